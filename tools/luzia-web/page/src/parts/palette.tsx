// Go to anything by its name: a screen, a project, a job by its id or by words of its task. By keyboard alone.
import { useEffect, useState } from 'preact/hooks';
import { read } from '../base/api.ts';
import { never } from '../base/concerns.ts';
import { mayActNow } from '../base/me.ts';
import { useReading } from '../base/reading.ts';
import { go, href, jobHref } from '../base/route.ts';
import type { Job, Project } from '../base/shapes.ts';
import { clipped, firstLine, harmless } from '../base/text.tsx';
import { nextTheme } from '../base/theme.ts';
import { searchable } from '../search/results.ts';
import { useOverview } from '../screens/now.tsx';
import { Dialog } from './dialog.tsx';
import { Icon, type IconName } from './icons.tsx';
import { helpShown, newJobShown, paletteShown, timeShown } from './keys.ts';
import { kPlaces } from './places.ts';
import { lookOf } from './states.tsx';

const kPauseMs = 150; // after the last letter
const kMostJobs = 8;

interface Goal {
  id: string;
  icon: IconName;
  title: string;
  kind: string;
  act: () => void;
}

const to = (address: string) => () => go(address);

const placeGoals: Goal[] = kPlaces.map(({ path, title, icon }) => {
  return { id: `screen-${path || 'now'}`, icon, title, kind: 'Screen', act: to(href(path)) };
});

function actGoals(): Goal[] {
  const goals: Goal[] = [
    { id: 'time', icon: 'clock', title: 'Another time', kind: 'Do', act: () => (timeShown.value = true) },
    { id: 'colours', icon: 'light', title: 'Change the colours', kind: 'Do', act: nextTheme },
    { id: 'keys', icon: 'help', title: 'Keys', kind: 'Do', act: () => (helpShown.value = true) },
  ];
  if (!mayActNow.value) return goals;
  return [{ id: 'new', icon: 'plus', title: 'New job', kind: 'Do', act: () => (newJobShown.value = true) }, ...goals];
}

const projectGoal = ({ name }: Project): Goal => {
  const address = href('jobs', { q: `project:${name}` });
  return { id: `project-${name}`, icon: 'jobs', title: harmless(name), kind: 'Project', act: to(address) };
};

const jobGoal = (job: Job): Goal => {
  const title = clipped(harmless(firstLine(job.task || job.id)), 200);
  return { id: `job-${job.id}`, icon: lookOf(job).icon, title, kind: harmless(job.project), act: to(jobHref(job.id)) };
};

/// Jobs whose tasks have the words.
function useFound(words: string): Job[] {
  const [found, setFound] = useState<Job[]>([]);
  useEffect(() => {
    setFound([]);
    if (!searchable(words)) return;
    const own = new AbortController();
    const path = `/v1/search/tasks?limit=${kMostJobs}&words=${encodeURIComponent(words)}`;
    const look = () =>
      read<{ jobs: Job[] }>(path, null, own.signal).then((answer) => setFound(answer?.body.jobs ?? []));
    const timer = setTimeout(() => void look().catch(() => undefined), kPauseMs);
    return () => (clearTimeout(timer), own.abort());
  }, [words]);
  return found;
}

/// What the words mean, the most exact first.
function useGoals(words: string): Goal[] {
  const projects = useReading<{ projects: Project[] }>('/v1/projects', never).value?.projects ?? [];
  const { value } = useOverview();
  const found = useFound(words);
  const present = [...(value?.needs_input ?? []), ...(value?.working ?? [])].slice(0, kMostJobs).map(jobGoal);
  if (!words) return [...present, ...placeGoals, ...projects.map(projectGoal), ...actGoals()];
  const all = words.toLowerCase().split(/\s+/);
  const fits = ({ title }: Goal) => all.every((word) => title.toLowerCase().includes(word));
  const goals = [...placeGoals, ...projects.map(projectGoal), ...actGoals()].filter(fits);
  if (/^\d[0-9a-z]{4,12}$/.test(words))
    goals.unshift({ id: 'job-id', icon: 'jobs', title: `Job ${words}`, kind: 'Id', act: to(jobHref(words)) });
  goals.push(...found.map(jobGoal));
  const title = `Search for “${words}”`;
  goals.push({ id: 'search', icon: 'search', title, kind: 'Everything', act: to(href('search', { q: words })) });
  return goals;
}

export function Palette() {
  return paletteShown.value ? <Open /> : null;
}

function Open() {
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const words = typed.trim();
  const goals = useGoals(words);
  const chosen = Math.min(at, goals.length - 1);
  const close = () => (paletteShown.value = false);
  useEffect(() => setAt(0), [words]);
  useEffect(() => document.querySelector('.goal[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }), [chosen]);
  const take = (goal: Goal | undefined) => goal && (close(), goal.act());
  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Record<string, number> = { ArrowDown: chosen + 1, ArrowUp: chosen - 1 };
    const next = moves[event.key];
    if (next !== undefined) setAt((next + goals.length) % goals.length);
    else if (event.key === 'Enter' && !event.isComposing) take(goals[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to" onClose={close} wide>
      <input
        type="text"
        role="combobox"
        class="palette-field"
        autofocus
        value={typed}
        maxLength={256}
        aria-label="Screen, project, job id, or words of a task"
        placeholder="Screen, project, job id, or words of a task"
        aria-expanded="true"
        aria-controls="goals"
        aria-activedescendant={goals[chosen] && `goal-${goals[chosen]!.id}`}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <ul class="goals" id="goals" role="listbox" aria-label="Where to">
        {goals.map((goal, index) => (
          <li
            key={goal.id}
            id={`goal-${goal.id}`}
            class="goal"
            role="option"
            aria-selected={index === chosen}
            onMouseMove={() => setAt(index)}
            onClick={() => take(goal)}>
            <Icon name={goal.icon} />
            <bdi class="goal-title">{goal.title}</bdi>
            <span class="quiet">{goal.kind}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
