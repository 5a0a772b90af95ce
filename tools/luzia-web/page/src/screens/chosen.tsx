// Several jobs at once: which ones are chosen, and what to do with all of them.
import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { moment, Problem } from '../base/api.ts';
import { count, counted } from '../base/format.ts';
import { mayAct } from '../base/me.ts';
import { readAllAgain } from '../base/reading.ts';
import type { Job } from '../base/shapes.ts';
import { commandJob } from '../parts/command_job.ts';
import { Confirm } from '../parts/dialog.tsx';
import { Icon, type IconName } from '../parts/icons.tsx';
import { hasEnded } from '../parts/states.tsx';
import { say } from '../parts/toast.tsx';

/// The chosen jobs by id; null: nobody chooses.
export const chosen = signal<ReadonlyMap<string, Job> | null>(null);

export const mayChoose = (): boolean => mayAct.value && moment.value === null;

export function choose(jobs: Job[], on: boolean): void {
  const next = new Map(chosen.value ?? []);
  for (const job of jobs) on ? next.set(job.id, job) : next.delete(job.id);
  chosen.value = next;
}

export function switchChoosing(): void {
  chosen.value = chosen.value ? null : new Map();
}

interface Verb {
  verb: string;
  title: string;
  done: string;
  icon: IconName;
  fits: (job: Job) => boolean;
}

const kVerbs: Verb[] = [
  { verb: 'retry', title: 'Retry', done: 'retried', icon: 'retry', fits: hasEnded },
  { verb: 'hold', title: 'Hold', done: 'held', icon: 'pause', fits: (job) => job.state === 'queued' && !job.held },
  { verb: 'release', title: 'Release', done: 'released', icon: 'play', fits: (job) => job.held && !hasEnded(job) },
  {
    verb: 'cancel',
    title: 'Cancel',
    done: 'cancelled',
    icon: 'close',
    fits: (job) => !hasEnded(job) && !job.stopping,
  },
];
const kAtOnce = 4; // requests under way

/// Sends a command about each job. The problems of those that it was refused for, by job.
async function sendAll(verb: string, jobs: Job[]): Promise<Map<string, Problem>> {
  const problems = new Map<string, Problem>();
  const rest = [...jobs];
  const work = async () => {
    for (let job = rest.shift(); job; job = rest.shift()) {
      await commandJob(job, verb).catch((error: Problem) => problems.set(job.id, error));
    }
  };
  await Promise.all(Array.from({ length: kAtOnce }, work));
  return problems;
}

export function ChosenBar() {
  const [busy, setBusy] = useState(false);
  const [sure, setSure] = useState<Job[] | null>(null);
  if (!chosen.value || !mayChoose()) return null;
  const jobs = [...chosen.value.values()];
  const send = async ({ verb, done }: Verb, those: Job[]) => {
    setBusy(true);
    const problems = await sendAll(verb, those);
    setBusy(false);
    const refused = [...problems.values()][0];
    const good = those.length - problems.size;
    if (good > 0) say(`${counted(good, 'job')} ${done}`);
    if (refused) say(`${counted(problems.size, 'job')} not ${done}: ${refused.message} ${refused.hint}`, true);
    choose(
      those.filter((job) => !problems.has(job.id)),
      false,
    );
    readAllAgain();
  };
  return (
    <div class="chosen-bar" role="group" aria-label="Selected jobs">
      <span class="chosen-count" role="status">
        {jobs.length === 0 ? 'None selected' : `${count(jobs.length)} selected`}
      </span>
      {kVerbs.map((each) => {
        const those = jobs.filter(each.fits);
        if (those.length === 0) return null;
        return (
          <button
            key={each.verb}
            type="button"
            class="button small"
            disabled={busy}
            onClick={() => (each.verb === 'cancel' ? setSure(those) : void send(each, those))}>
            <Icon name={each.icon} /> {each.title}
            <span class="quiet">{count(those.length)}</span>
          </button>
        );
      })}
      <button type="button" class="button small" onClick={switchChoosing}>
        Done
      </button>
      {sure && (
        <Confirm
          title={`Cancel ${counted(sure.length, 'job')}?`}
          verb={`Cancel ${counted(sure.length, 'job')}`}
          text="Agents that run are asked to stop, and killed if they do not. Queued jobs do not start."
          onClose={() => setSure(null)}
          onYes={() =>
            void send(
              kVerbs.find((each) => each.verb === 'cancel')!,
              sure,
            )
          }
        />
      )}
    </div>
  );
}
