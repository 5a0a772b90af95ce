// Now: everything by the attention that it needs.
import { useEffect, useMemo } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { moment } from '../base/api.ts';
import { heardTime, nowUs } from '../base/clock.ts';
import { anyJob } from '../base/concerns.ts';
import { count, roughly, when, words } from '../base/format.ts';
import { rowKey, silentOnes, useOfAll, withOthers } from '../base/others.ts';
import { useReading } from '../base/reading.ts';
import { href } from '../base/route.ts';
import { mayActNow } from '../base/me.ts';
import type { Alert, Approval, Job, Overview, Pause, Question } from '../base/shapes.ts';
import { Said, sentence, withoutCommands } from '../base/text.tsx';
import { ApprovalCard, dueUs, QuestionCard, StepCard } from '../parts/ask_card.tsx';
import { NewJobButton } from '../dispatch/new_job.tsx';
import { Icon } from '../parts/icons.tsx';
import { JobRow } from '../parts/job_row.tsx';
import { SilentMachines } from '../parts/on_machine.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { NextSchedules } from '../schedules/next_part.tsx';
import { Budgets } from './budgets_part.tsx';
import { LatestResults } from './results_part.tsx';

export const kOverview = '/v1/overview';

/// Of this machine, with the rows of the others.
export function useOverview() {
  const shown = useReading<Overview>(kOverview, anyJob);
  const all = useOfAll<Overview>(kOverview);
  useEffect(() => void (shown.value && heardTime(shown.value.time_us)), [shown.value]);
  const value = useMemo(() => shown.value && withOthers(shown.value, all.value), [shown.value, all.value]);
  return { ...shown, value };
}

/// What waits for an answer: the earliest deadline first, then who has asked longest.
export function asked(overview: Overview): (Question | Approval)[] {
  const late = 1e17;
  return [...overview.questions, ...overview.approvals].sort(
    (a, b) => (dueUs(a) || late) - (dueUs(b) || late) || b.priority - a.priority || a.asked_us - b.asked_us,
  );
}

export function AskList({ overview }: { overview: Overview }) {
  const tasks = new Map(overview.needs_input.map((job) => [job.id, job.task]));
  return (
    <>
      {asked(overview).map((each) =>
        'question' in each && each.question !== null && !('gate' in each) ? (
          <QuestionCard key={rowKey(each)} question={each as Question} task={tasks.get(each.job) ?? null} />
        ) : (
          <ApprovalCard key={rowKey(each)} approval={each as Approval} task={tasks.get(each.job ?? '') ?? null} />
        ),
      )}
      {overview.manual_steps.map((step) => (
        <StepCard key={`${step.flow}.${step.step}`} step={step} />
      ))}
    </>
  );
}

export function Now() {
  const { value, problem, loading } = useOverview();
  if (!value) return <Trouble problem={problem} loading={loading} heading="Now" />;
  const open = asked(value).length + value.manual_steps.length;
  // A job that needs a person has its card; one without a card, such as a question of another user, has a row.
  const carded = new Set([...value.questions, ...value.approvals].map((each) => each.job));
  const others = value.needs_input.filter((job) => !carded.has(job.id));
  const quiet = open + others.length + value.working.length + value.queued.length + value.parked.length === 0;
  if (quiet && value.ended.length === 0 && moment.value === null) return <First overview={value} />;
  return (
    <div class={`now${open + others.length > 0 ? ' asking' : ''}`}>
      <h1 class="hidden">Now</h1>
      <Notices overview={value} />
      <section class="now-need" aria-labelledby="need">
        <h2 id="need">
          Needs you <Count n={open + others.length} tone="need" />
        </h2>
        <AskList overview={value} />
        {others.map((job) => (
          <JobRow key={rowKey(job)} job={job} now />
        ))}
        {open + others.length === 0 && (
          <p class="calm">
            <Icon name="completed" /> Nothing waits for you.
          </p>
        )}
      </section>
      <Group id="running" title="Running" jobs={value.working} total={value.counts.working} now empty="Nothing runs." />
      <div class="now-side">
        <Group id="parked" title="Parked" jobs={value.parked} total={value.counts.parked} />
        <Group
          id="queued"
          title="Queued"
          jobs={value.queued}
          total={value.counts.queued}
          more={href('jobs', { q: 'state:queued' })}
        />
        <NextSchedules />
        <Budgets />
        <LatestResults />
      </div>
      <Group
        id="ended"
        title="Ended"
        jobs={value.ended}
        total={value.counts.ended}
        note={lastDay(value)}
        more={href('jobs')}
        empty="Nothing yet."
      />
    </div>
  );
}

const kFirst: [command: string, what: string][] = [
  ['luzia run "fix the failing test"', 'starts an agent on a task. It works in the background and shows up here.'],
  ['luzia doctor', 'names the agents that are installed, and what is missing.'],
  ['luzia web pair --name phone', 'lets your phone in. Questions of agents reach you there.'],
];

/// In place of everything while nothing has ever run.
function First({ overview }: { overview: Overview }) {
  return (
    <div class="first">
      <Notices overview={overview} />
      <h1>Nothing has run yet</h1>
      {mayActNow.value && <NewJobButton primary />}
      <p class="quiet">{mayActNow.value ? 'Or type' : 'Type'} in a terminal, in the folder of your project:</p>
      <dl>
        {kFirst.map(([command, what]) => (
          <div key={command}>
            <dt>
              <code>{command}</code>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <NextSchedules />
    </div>
  );
}

export function Count({ n, tone = 'idle' }: { n: number; tone?: string }) {
  return n > 0 ? <span class={`count tone-${tone}`}>{count(n)}</span> : null;
}

/// "Ended in the last day: 12 completed, 1 failed".
function lastDay({ last_day }: Overview): string {
  const ends = Object.entries(last_day ?? {}).filter(([name, value]) => name !== 'is_cut' && value);
  if (ends.length === 0) return '';
  const said = ends.map(([name, value]) => `${count(Number(value))} ${words(name)}`).join(', ');
  return `Ended in the last day: ${last_day?.is_cut ? 'at least ' : ''}${said}`;
}

interface GroupProps {
  id: string;
  title: string;
  jobs: Job[];
  total: number | undefined;
  now?: boolean;
  more?: string;
  note?: string;
  empty?: ComponentChildren;
}

function Group({ id, title, jobs, total = 0, now = false, more, note, empty }: GroupProps) {
  if (jobs.length === 0 && !empty) return null;
  const rest = total - jobs.length;
  return (
    <section class={`group now-${id}`} aria-labelledby={id}>
      <h2 id={id}>
        {title} <Count n={Math.max(total, jobs.length)} tone={now ? 'run' : 'idle'} />
      </h2>
      {note && <p class="quiet group-note">{note}</p>}
      {jobs.length > 0 ? (
        <div class="rows">
          {jobs.map((job) => (
            <JobRow key={rowKey(job)} job={job} now={now || id === 'parked'} />
          ))}
        </div>
      ) : (
        <p class="calm">{empty}</p>
      )}
      {more && rest > 0 && (
        <a class="more-link" href={more}>
          {count(rest)} more
        </a>
      )}
    </section>
  );
}

function Notices({ overview }: { overview: Overview }) {
  const silent = silentOnes(overview.machines).length;
  if (overview.alerts.length + overview.paused.length + silent === 0) return null;
  return (
    <section class="notices" aria-label="Alerts and pauses">
      {overview.alerts.map((alert) => (
        <AlertLine key={alert.alert} alert={alert} />
      ))}
      {overview.paused.map((pause, index) => (
        <PauseLine key={index} pause={pause} />
      ))}
      <SilentMachines machines={overview.machines} />
    </section>
  );
}

export function AlertLine({ alert }: { alert: Alert }) {
  return (
    <p class={`notice ${alert.severity === 'warning' || alert.severity === 'notice' ? 'warn' : 'bad'}`}>
      <Icon name="alert" label={alert.severity} />
      <span>
        <Said text={sentence(alert.message)} most={400} />{' '}
        <span class="quiet">
          <Said text={sentence(withoutCommands(alert.recommendation ?? ''))} most={400} />
        </span>
      </span>
    </p>
  );
}

export function PauseLine({ pause }: { pause: Pause }) {
  const what = pause.draining
    ? 'Draining: nothing more starts'
    : pause.scope === 'agent'
      ? `Agent ${pause.agent ?? ''} is parked`
      : pause.project
        ? `The queue of ${pause.project} is paused`
        : 'The queue is paused';
  return (
    <p class="notice warn">
      <Icon name="pause" />
      <span>
        {what}, since {roughly((nowUs.value - pause.since_us) / 1e6)}
        {pause.until_us ? `, until ${when(pause.until_us, nowUs.value)}` : ''}.{' '}
        {pause.note && <Said text={pause.note} most={400} />}
      </span>
    </p>
  );
}
