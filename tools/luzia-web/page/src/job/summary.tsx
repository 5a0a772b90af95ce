// What a job is, in facts; and what it asks.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { moment, request, type Problem } from '../base/api.ts';
import { nowUs } from '../base/clock.ts';
import { wordFor } from '../base/filter.ts';
import { bytes, count, counted, duration, fine, inFull, usOf, usd, when } from '../base/format.ts';
import { href, jobHref } from '../base/route.ts';
import type { Job, Limits } from '../base/shapes.ts';
import { Said, withoutCommands } from '../base/text.tsx';
import { ApprovalCard, QuestionCard } from '../parts/ask_card.tsx';
import { Bar, elapsed } from '../parts/job_row.tsx';
import { hasEnded } from '../parts/states.tsx';
import { Todos } from '../parts/todos.tsx';
import { useOverview } from '../screens/now.tsx';

/// The questions and approvals of the job that are open.
export function JobAsks({ job }: { job: Job }) {
  const { value } = useOverview();
  if (!value || job.questions_open + job.approvals_open === 0) return null;
  return (
    <div class="job-asks">
      {value.questions
        .filter((each) => each.job === job.id)
        .map((each) => (
          <QuestionCard key={each.id} question={each} />
        ))}
      {value.approvals
        .filter((each) => each.job === job.id)
        .map((each) => (
          <ApprovalCard key={each.id} approval={each} />
        ))}
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  if (children === null || children === undefined || children === '' || children === false) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const findings = (job: Job): string =>
  [
    job.errors && counted(job.errors, 'error'),
    job.warnings && counted(job.warnings, 'warning'),
    job.issues && counted(job.issues, 'known problem'),
  ]
    .filter(Boolean)
    .join(', ');

const calls = (job: Job): string =>
  [
    count(job.tool_calls),
    job.tool_failures && `${job.tool_failures} failed`,
    job.tool_denials && `${job.tool_denials} denied`,
  ]
    .filter(Boolean)
    .join(', ');

/// "512 MiB memory, 500 processes".
const limitWords = (limits: Limits): string =>
  [
    limits.memory_bytes && `${bytes(limits.memory_bytes)} memory`,
    limits.cpu_percent && `${limits.cpu_percent} % CPU`,
    limits.processes && counted(limits.processes, 'process', 'processes'),
    limits.disk_bytes && `${bytes(limits.disk_bytes)} disk`,
  ]
    .filter(Boolean)
    .join(', ');

export function Summary({ job }: { job: Job }) {
  const task = job.task ?? '';
  return (
    <aside class="summary" aria-label="Summary">
      {(task.trim().includes('\n') || task.length > 120) && (
        <details class="task">
          <summary>The whole task</summary>
          <pre tabIndex={0}>
            <Said text={task} most={20_000} />
          </pre>
        </details>
      )}
      {job.message && (
        <details class="task">
          <summary>What the agent is told with this attempt</summary>
          <pre tabIndex={0}>
            <Said text={job.message} most={20_000} />
          </pre>
        </details>
      )}
      {job.started_us > 0 && job.agent !== 'shell' && moment.value === null && (
        <Prompt key={job.attempt} job={job.id} />
      )}
      {job.outcome_text && (
        <p class="outcome">
          <Said text={job.outcome_text} most={2000} />
        </p>
      )}
      {job.progress && job.progress.percent !== null && (
        <div class="summary-bar">
          <Bar job={job} />
          <span class="quiet">{Math.round(job.progress.percent)} %</span>
        </div>
      )}
      {job.todo.length > 0 && <Todos items={job.todo} />}
      <dl class="facts">
        <Times job={job} />
        <Work job={job} />
        <Origin job={job} />
      </dl>
    </aside>
  );
}

/// All that the agent was told, the template and what was learned included. Read when it is opened.
function Prompt({ job }: { job: string }) {
  const [text, setText] = useState<string | null>(null);
  const look = async () => setText(await (await request(`/v1/jobs/${job}/prompt`)).text());
  const open = (event: { currentTarget: HTMLDetailsElement }) =>
    event.currentTarget.open && text === null && look().catch((problem: Problem) => setText(problem.message));
  return (
    <details class="task" onToggle={open}>
      <summary>The prompt as sent</summary>
      <pre tabIndex={0}>{text !== null && <Said text={text} most={100_000} />}</pre>
    </details>
  );
}

function Times({ job }: { job: Job }) {
  return (
    <>
      <Fact name="Ended because">{!job.failure && job.reason_text}</Fact>
      <Fact name="Waits because">{job.blocked_why && <Said text={withoutCommands(job.blocked_why)} />}</Fact>
      <Fact name={hasEnded(job) ? 'Ran for' : 'Runs for'}>{job.started_us > 0 && fine(elapsed(job))}</Fact>
      <Fact name="Waited for people">{job.human_wait_seconds ? duration(job.human_wait_seconds) : null}</Fact>
      <Fact name="In the queue">{job.queue_wait_seconds ? fine(job.queue_wait_seconds) : null}</Fact>
      <Moment name="Queued" us={job.queued_us} />
      <Moment name="Started" us={job.started_us} />
      <Moment name="Ended" us={job.ended_us} />
      <Fact name="Parked until">{job.parked_until && when(usOf(job.parked_until), nowUs.value)}</Fact>
      <Fact name="Attempt">{job.attempts > 1 && `${job.attempt} of ${job.attempts}`}</Fact>
    </>
  );
}

function Work({ job }: { job: Job }) {
  const tokens = job.tokens.input + job.tokens.output;
  return (
    <>
      <Fact name="Tokens">
        {tokens > 0 &&
          `${count(job.tokens.input)} in, ${count(job.tokens.output)} out${job.usage_partial ? ' so far' : ''}`}
      </Fact>
      <Fact name="Cost">{job.cost_usd ? usd(job.cost_usd) : null}</Fact>
      <Fact name="Tool calls">{job.tool_calls > 0 && calls(job)}</Fact>
      <Fact name="Findings">{findings(job) && <a href={jobHref(job.id, 'why')}>{findings(job)}</a>}</Fact>
      <Fact name="Output">{`${bytes(job.output.bytes)}, ${counted(job.output.lines, 'line')}`}</Fact>
      <Fact name="Memory now">{job.resident_kib && bytes(job.resident_kib * 1024)}</Fact>
      <Fact name="Peak memory">{job.max_rss_kib > 0 && bytes(job.max_rss_kib * 1024)}</Fact>
      <Fact name="Limits">{job.limits && limitWords(job.limits)}</Fact>
      <Fact name="Sandbox">{job.sandbox ? <Said text={job.sandbox} most={300} /> : job.started_us > 0 && 'none'}</Fact>
      <Fact name="Model">{job.model && <Said text={job.model} most={80} />}</Fact>
      <Fact name="Session">
        {job.session_id && (
          <span class="mono">
            <Said text={job.session_id} most={80} />
          </span>
        )}
      </Fact>
    </>
  );
}

function Origin({ job }: { job: Job }) {
  return (
    <>
      <Fact name="Priority">{job.priority}</Fact>
      <Fact name="Tags">
        {job.tags.length > 0 &&
          job.tags.map((tag) => (
            <span key={tag} class="tag">
              <Said text={tag} most={60} />
            </span>
          ))}
      </Fact>
      <Fact name="After">
        {job.after.length > 0 &&
          job.after.map((id) => (
            <a key={id} class="mono" href={jobHref(id)}>
              {id}{' '}
            </a>
          ))}
      </Fact>
      <Fact name="Flow">
        {job.flow && (
          <a href={href(`flows/${job.flow}`, job.step ? { step: job.step } : {})}>
            <Said text={`${job.flow}${job.step ? `, step ${job.step}` : ''}`} />
          </a>
        )}
      </Fact>
      <Fact name="Schedule">
        {job.schedule && (
          <a href={href('jobs', { q: wordFor('schedule', job.schedule) })}>
            <Said text={job.schedule} line most={100} />
          </a>
        )}
      </Fact>
      <Fact name="User">{job.user}</Fact>
      <Fact name="Runs in">
        {job.working_dir && (
          <span class="mono">
            <Said text={job.working_dir} most={300} />
          </span>
        )}
      </Fact>
    </>
  );
}

function Moment({ name, us }: { name: string; us: number }) {
  if (us === 0) return null;
  return (
    <Fact name={name}>
      <time title={inFull(us)}>{when(us, nowUs.value, 'second')}</time>
    </Fact>
  );
}
