// Schedules: the recurring jobs of the configuration, when each is due, and how it went.
import { actOnce, type Problem } from '../base/api.ts';
import { nowUs } from '../base/clock.ts';
import { schedules as ofSchedules } from '../base/concerns.ts';
import { wordFor } from '../base/filter.ts';
import { usd } from '../base/format.ts';
import { mayActNow } from '../base/me.ts';
import { readAllAgain, useReading } from '../base/reading.ts';
import { href, jobHref } from '../base/route.ts';
import type { Schedule } from '../base/shapes.ts';
import { harmless, Said, withoutCommands } from '../base/text.tsx';
import { Icon } from '../parts/icons.tsx';
import { say } from '../parts/toast.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { Count } from '../screens/now.tsx';
import { ruleWords } from './rule.ts';
import { dueTime, dueWords, inOrder, isBad, lastWords, pauseWords, sumWords } from './words.ts';

const kMost = 1000;
const kPath = `/v1/schedules?all=1&limit=${kMost}`;
const kLeastMs = 3000; // at least, between two readings

interface Listed {
  schedules: Schedule[];
}
export const useSchedules = () => useReading<Listed>(kPath, ofSchedules, kLeastMs);

export function Schedules() {
  const { value, problem, loading } = useSchedules();
  if (!value) return <Trouble problem={problem} loading={loading} heading="Schedules" />;
  const configured = inOrder(value.schedules.filter((each) => !each.dropped_at));
  const dropped = value.schedules.filter((each) => each.dropped_at);
  return (
    <div class="schedules">
      <h1 class="hidden">Schedules</h1>
      <section class="group" aria-labelledby="schedules">
        <h2 id="schedules">
          Schedules <Count n={configured.length} />
        </h2>
        {configured.length === 0 ? (
          <p class="calm">
            No job recurs. A <code>[[schedules]]</code> in <code>luzia.toml</code> with a name, a project, a task and{' '}
            <code>every = "2h"</code> makes one.
          </p>
        ) : (
          <Rows schedules={configured} />
        )}
      </section>
      {dropped.length > 0 && (
        <details class="group">
          <summary>{dropped.length} not configured any more</summary>
          <Rows schedules={dropped} />
        </details>
      )}
    </div>
  );
}

function Rows({ schedules }: { schedules: Schedule[] }) {
  return (
    <ul class="rows">
      {schedules.map((each) => (
        <Row key={each.name} schedule={each} />
      ))}
    </ul>
  );
}

/// Sends a command about a schedule as it is shown.
async function send(schedule: Schedule, verb: string, done: (ids: string[]) => string): Promise<void> {
  const path = `/v1/schedules/${encodeURIComponent(schedule.name)}/${verb}`;
  await actOnce<{ ids: string[] }>(String(schedule.position), path).then(
    ({ ids }) => say(done(ids)),
    (error: Problem) => say(`${error.message} ${error.hint}`, true),
  );
  readAllAgain();
}

const ranWords = (ids: string[]): string =>
  ids.length > 0 ? 'Its job is dispatched' : 'Its job is dispatched when the last one has ended';

function Row({ schedule }: { schedule: Schedule }) {
  const jobs = wordFor('schedule', schedule.name);
  const last = lastWords(schedule, nowUs.value);
  const sums = sumWords(schedule);
  return (
    <li class="row schedule">
      <span class={`mark tone-${schedule.paused_at ? 'parked' : isBad(schedule) ? 'bad' : 'idle'}`}>
        <Icon
          name={schedule.paused_at ? 'pause' : isBad(schedule) ? 'failed' : 'clock'}
          label={schedule.paused_at ? 'paused' : isBad(schedule) ? 'its last job failed' : 'on'}
        />
      </span>
      <div class="row-main">
        <a class="row-title" href={href('jobs', jobs ? { q: jobs } : {})} data-row>
          <Said text={schedule.name} line most={100} />
        </a>
        <p class="row-sub">
          <span>
            <Said text={`${schedule.project}${schedule.agent ? ` · ${schedule.agent}` : ''}`} most={200} />
          </span>
          <span>{harmless(ruleWords(schedule.rule, schedule.time_zone))}</span>
        </p>
        <p class="schedule-said">
          {schedule.last_job && schedule.last_outcome === 'dispatched' ? (
            <a class={isBad(schedule) ? 'tone-bad' : ''} href={jobHref(schedule.last_job)}>
              {last}
            </a>
          ) : (
            <span class={isBad(schedule) ? 'tone-bad' : ''}>
              <Said text={withoutCommands(last)} most={400} />
            </span>
          )}
          {sums && <span class="quiet"> · {sums}</span>}
          {schedule.cost_usd > 0 && <span class="quiet"> · {usd(schedule.cost_usd)}</span>}
        </p>
        {schedule.paused_at && (
          <p class="schedule-said">
            <Said text={pauseWords(schedule)} most={500} />
          </p>
        )}
      </div>
      <div class="row-end">
        <span class="time">{dueWords(schedule, nowUs.value)}</span>
        <span class="spent">{dueTime(schedule, nowUs.value)}</span>
      </div>
      {mayActNow.value && !schedule.dropped_at && <Buttons schedule={schedule} />}
    </li>
  );
}

function Buttons({ schedule }: { schedule: Schedule }) {
  const paused = schedule.paused_at !== null;
  const name = harmless(schedule.name);
  return (
    <div class="buttons">
      <button
        type="button"
        class="button small"
        aria-label={`Run now: ${name}`}
        onClick={() => void send(schedule, 'run', ranWords)}>
        <Icon name="play" /> Run now
      </button>
      <button
        type="button"
        class="button small"
        aria-label={`${paused ? 'Resume' : 'Pause'}: ${name}`}
        onClick={() =>
          void send(schedule, paused ? 'resume' : 'pause', () =>
            paused ? 'It goes on with its next due time' : 'Paused: due times are skipped until it is resumed',
          )
        }>
        <Icon name={paused ? 'retry' : 'pause'} /> {paused ? 'Resume' : 'Pause'}
      </button>
    </div>
  );
}
