// A job in a list.
import { bytes, duration, fine, roughly, short, usd } from '../base/format.ts';
import { nowUs } from '../base/clock.ts';
import { isOther } from '../base/others.ts';
import { jobHref } from '../base/route.ts';
import type { Job } from '../base/shapes.ts';
import { Said, withoutCommands } from '../base/text.tsx';
import { Icon } from './icons.tsx';
import { MachineName } from './on_machine.tsx';
import { hasEnded, StateMark } from './states.tsx';

/// How long it has run; of a job that has not started, how long it has waited.
export function elapsed(job: Job): number {
  if (job.started_us === 0) return (nowUs.value - job.queued_us) / 1e6;
  return ((job.ended_us || nowUs.value) - job.started_us) / 1e6;
}

export function Bar({ job }: { job: Job }) {
  const percent = job.progress?.percent;
  if (percent === null || percent === undefined) return null;
  return <progress class="bar" max={100} value={percent} aria-label={`progress, ${Math.round(percent)} %`} />;
}

/// "4/5 Run the tests", "63 %".
function step(job: Job): string {
  const progress = job.progress;
  if (!progress) return '';
  if (progress.total_steps > 0) {
    const doing = job.todo.find((item) => item.status === 'in_progress')?.text;
    return `${progress.current_step}/${progress.total_steps} ${progress.step_name ?? doing ?? ''}`;
  }
  return progress.percent === null ? '' : `${Math.round(progress.percent)} % ${progress.step_name ?? ''}`;
}

/// What it does now, or what it waits for, or how it ended.
function doing(job: Job): string {
  if (hasEnded(job)) {
    const cause = job.failure && job.failure.offset !== null ? job.failure.summary : '';
    return job.outcome_text || cause || job.last_warning || job.last_line || '';
  }
  const waits = withoutCommands(job.blocked_why ?? '') || (job.state === 'parked' ? (job.limit ?? 'usage limit') : '');
  return waits || job.last_line || '';
}

export function Spent({ job }: { job: Job }) {
  const tokens = job.tokens.input + job.tokens.output;
  const ran = hasEnded(job) && job.started_us > 0;
  if (tokens === 0 && !job.cost_usd && !job.resident_kib && !ran) return null;
  return (
    <span class="spent">
      {ran && (
        <span class="ran" title="how long it ran">
          <Icon name="clock" /> {fine(elapsed(job))}
        </span>
      )}
      {job.resident_kib && <span title="memory of its processes">{bytes(job.resident_kib * 1024)}</span>}
      {tokens > 0 && <span title="tokens in and out">{short(tokens)} tok</span>}
      {job.cost_usd !== null && job.cost_usd > 0 && <span title="cost so far">{usd(job.cost_usd)}</span>}
    </span>
  );
}

/// By itself, because it changes each second while the rest of the row does not.
function JobTime({ job }: { job: Job }) {
  const text = hasEnded(job) ? `${roughly((nowUs.value - job.ended_us) / 1e6)} ago` : duration(elapsed(job));
  return <span class="time">{text}</span>;
}

export function JobRow({ job, now = false }: { job: Job; now?: boolean }) {
  const ended = hasEnded(job);
  const line = doing(job);
  const badReason =
    ended && job.state !== 'completed' && job.reason_text ? `${job.reason_text}${line ? ': ' : ''}` : '';
  const Row = isOther(job) ? 'div' : 'a'; // another machine's job is not read here
  const place = isOther(job) ? {} : { href: jobHref(job.id), 'data-row': true };
  return (
    <Row class={`row job-row${job.as_of_us && !job.fresh ? ' old' : ''}`} {...place}>
      <StateMark job={job} />
      <span class="row-main">
        <span class="row-title">
          <Said text={job.task || job.id} line most={300} />
        </span>
        <span class="row-sub">
          <span class="where">
            {job.project}
            <i aria-hidden="true">·</i>
            {job.agent}
          </span>
          <MachineName row={job} />
          {now && step(job) && (
            <span class="step">
              <Said text={step(job)} line most={120} />
            </span>
          )}
          {(badReason || line) && (
            <span class="line">
              {badReason}
              {line && <Said text={line} line most={240} />}
            </span>
          )}
        </span>
        {now && <Bar job={job} />}
      </span>
      <span class="row-end">
        <JobTime job={job} />
        <Spent job={job} />
      </span>
    </Row>
  );
}
