// Machine: the queue, how the machine is, projects, agents, and the devices that may come here.
import { act, moment, Problem } from '../base/api.ts';
import { nowUs } from '../base/clock.ts';
import { agentLimits, anyJob, endOfJob, queue as ofQueue } from '../base/concerns.ts';
import { count, duration, inFull, roughly, usOf, words } from '../base/format.ts';
import { mayAct } from '../base/me.ts';
import { readAllAgain, useReading } from '../base/reading.ts';
import { href, jobHref } from '../base/route.ts';
import type { Agent, Overview, Pause, Project, ProjectTotals, QueueEntry } from '../base/shapes.ts';
import { Said, withoutCommands } from '../base/text.tsx';
import { Icon } from '../parts/icons.tsx';
import { say } from '../parts/toast.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { Devices } from './devices.tsx';
import { Channels, Health, useMachine } from './health.tsx';
import { Fleet } from './fleet_part.tsx';
import { Others } from './others_part.tsx';
import { Pushes } from './pushes.tsx';
import { AlertLine, Count, kOverview, PauseLine } from './now.tsx';

const send = (path: string, body: object, done: string) =>
  act(path, body).then(
    () => (say(done), readAllAgain()),
    (error: Problem) => say(`${error.message} ${error.hint}`, true),
  );

export function Machine() {
  const { value: state, problem } = useMachine();
  return (
    <div class="machine">
      <h1 class="hidden">Machine</h1>
      <QueuePart />
      <div class="machine-side">
        <Health state={state} problem={problem} />
        <Others />
        <Fleet />
        <Projects />
        <Agents />
        <Channels hooks={state?.hooks ?? []} />
        <Pushes />
      </div>
      <Devices hooks={state?.hooks ?? []} />
    </div>
  );
}

const kCountNames: Record<string, string> = { needs_input: 'need you', working: 'running' };

function QueuePart() {
  const overview = useReading<Overview>(kOverview, anyJob);
  const queue = useReading<{ queue: QueueEntry[] }>('/v1/queue', ofQueue);
  const pauses = overview.value?.paused ?? [];
  const whole = pauses.some((pause) => pause.scope !== 'agent' && !pause.project && !pause.draining);
  if (!queue.value || !overview.value)
    return <Trouble problem={queue.problem ?? overview.problem} loading={queue.loading} />;
  const { counts } = overview.value;
  const rest = (counts.queued ?? 0) - queue.value.queue.length;
  const tasks = new Map(overview.value.queued.map((job) => [job.id, job.task]));
  return (
    <section class="panel" aria-labelledby="queue">
      <header class="panel-head">
        <h2 id="queue">
          Queue <Count n={counts.queued ?? 0} />
        </h2>
        {mayAct.value && moment.value === null && (
          <button
            type="button"
            class="button small"
            onClick={() =>
              void send(
                `/v1/queue/${whole ? 'resume' : 'pause'}`,
                {},
                whole ? 'The queue goes on' : 'The queue is paused',
              )
            }>
            <Icon name={whole ? 'play' : 'pause'} /> {whole ? 'Resume' : 'Pause'}
          </button>
        )}
      </header>
      <dl class="figures">
        {Object.entries(counts).map(([name, value]) => (
          <div key={name}>
            <dt>{kCountNames[name] ?? words(name)}</dt>
            <dd>{count(value)}</dd>
          </div>
        ))}
      </dl>
      {overview.value.alerts.map((alert) => (
        <AlertLine key={alert.alert} alert={alert} />
      ))}
      {pauses.map((pause, index) => (
        <PauseRow key={index} pause={pause} />
      ))}
      {queue.value.queue.length === 0 ? (
        <p class="calm">{counts.queued ? '' : 'Nothing is queued.'}</p>
      ) : (
        <div class="rows">
          {queue.value.queue.map((entry) => (
            <QueueRow key={entry.job} entry={entry} task={tasks.get(entry.job)} />
          ))}
        </div>
      )}
      {rest > 0 && (
        <a class="more-link" href={href('jobs', { q: 'state:queued' })}>
          {count(rest)} more
        </a>
      )}
    </section>
  );
}

function PauseRow({ pause }: { pause: Pause }) {
  return (
    <div class="pause-row">
      <PauseLine pause={pause} />
      {pause.project && mayAct.value && moment.value === null && (
        <button
          type="button"
          class="button small"
          onClick={() => void send('/v1/queue/resume', { project: pause.project }, `${pause.project} goes on`)}>
          <Icon name="play" /> Resume
        </button>
      )}
    </div>
  );
}

/// By its task, of those that Now shows too; by its id behind them.
function QueueRow({ entry, task }: { entry: QueueEntry; task: string | null | undefined }) {
  return (
    <a class="row" href={jobHref(entry.job)} data-row>
      <span class="place">{entry.position}</span>
      <span class="row-main">
        <span class="row-title">
          <Said text={task || entry.job} line most={300} />
        </span>
        <span class="row-sub">
          <span class="where">
            {entry.project}
            <i aria-hidden="true">·</i>
            {entry.agent}
          </span>
          <Said text={withoutCommands(entry.blocked_why ?? 'starts next')} line most={300} />
        </span>
      </span>
      <span class="row-end">
        <span class="time">
          {entry.estimated_wait_seconds
            ? `in ~${duration(entry.estimated_wait_seconds)}`
            : `for ${roughly((nowUs.value - entry.queued_us) / 1e6)}`}
        </span>
        <span class="spent">priority {entry.priority}</span>
      </span>
    </a>
  );
}

/// As Now and the command line count: however they ended.
const endedOf = (total: ProjectTotals): number =>
  total.completed + total.failed + total.killed + total.timed_out + total.lost + total.skipped + total.cancelled;

function Projects() {
  const { value, problem, loading } = useReading<{ projects: Project[] }>('/v1/projects', () => false);
  const stats = useReading<{ projects: ProjectTotals[] }>('/v1/stats', endOfJob);
  const totals = new Map((stats.value?.projects ?? []).map((each) => [each.project, each]));
  return (
    <section class="panel" aria-labelledby="projects">
      <h2 id="projects">Projects</h2>
      {!value ? (
        <Trouble problem={problem} loading={loading} />
      ) : (
        <div class="rows">
          {value.projects.map((project) => {
            const total = totals.get(project.name);
            return (
              <a class="row" key={project.name} href={href('jobs', { q: `project:${project.name}` })} data-row>
                <span class="row-main">
                  <span class="row-title">{project.name}</span>
                  <span class="row-sub mono">
                    <Said text={project.path} most={200} />
                  </span>
                </span>
                <span class="row-end">
                  <span class="time">
                    {total?.success_rate != null ? `${Math.round(total.success_rate * 100)} % completed` : ''}
                  </span>
                  <span class="spent">{total ? `${count(endedOf(total))} ended` : 'no jobs yet'}</span>
                </span>
              </a>
            );
          })}
        </div>
      )}
    </section>
  );
}

function Agents() {
  const { value, problem, loading } = useReading<{ agents: Agent[] }>('/v1/agents', agentLimits);
  return (
    <section class="panel" aria-labelledby="agents">
      <h2 id="agents">Agents</h2>
      {!value ? (
        <Trouble problem={problem} loading={loading} />
      ) : (
        <ul class="agents">
          {value.agents.map((agent) => (
            <li key={agent.name}>
              <a href={href('jobs', { q: `agent:${agent.name}` })}>{agent.name}</a>
              {agent.parked_until && (
                <span class="state tone-parked">
                  <Icon name="parked" />
                  until {inFull(usOf(agent.parked_until))}
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
