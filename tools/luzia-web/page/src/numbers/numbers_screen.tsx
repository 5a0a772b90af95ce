// Numbers: how jobs came out, how long they took, what they cost. Each bar and row opens its jobs.
import { nowUs } from '../base/clock.ts';
import { ends, never } from '../base/concerns.ts';
import { count, duration, fine, short, usd } from '../base/format.ts';
import { useReading } from '../base/reading.ts';
import { go, href, route } from '../base/route.ts';
import type { Outcome, Project } from '../base/shapes.ts';
import { Trouble } from '../parts/trouble.tsx';
import { DayChart, type Bar } from './day_chart.tsx';
import { dayOf, daysUpTo, nextDay } from './days.ts';
import { Groups } from './groups.tsx';
import { Issues } from './issues_part.tsx';
import { People } from './people_part.tsx';
import { jobsHref, queryOf, type Range } from './range.ts';

const kSpans: [words: string, since: string, days: number | null][] = [
  ['7 days', '6d', 7],
  ['30 days', '29d', 30],
  ['90 days', '89d', 90],
  ['All', '', null],
];
const kUsualSpan = '29d';

export function Numbers() {
  const { query } = route.value;
  const range: Range = { since: query.get('since') ?? kUsualSpan, project: query.get('project') ?? '' };
  const { value, problem, loading } = useReading<{ outcomes: Outcome[] }>(
    `/v1/stats?${queryOf(range, { by: 'day' })}`,
    ends,
  );
  return (
    <div class="numbers">
      <h1 class="hidden">Numbers</h1>
      <RangeBar range={range} />
      {!value ? (
        <Trouble problem={problem} loading={loading} />
      ) : value.outcomes.length === 0 ? (
        <p class="empty">No job has ended in this time.</p>
      ) : (
        <>
          <Sums days={value.outcomes} />
          <Charts days={value.outcomes} range={range} />
          <div class="number-tables">
            <Groups range={range} />
            <Issues range={range} />
            <People range={range} />
          </div>
        </>
      )}
    </div>
  );
}

function RangeBar({ range }: { range: Range }) {
  const { value } = useReading<{ projects: Project[] }>('/v1/projects', never);
  const show = (next: Partial<Range>) => {
    const { since, project } = { ...range, ...next };
    go(href('numbers', { since, ...(project ? { project } : {}) }), true);
  };
  return (
    <div class="range-bar">
      <div class="chips" role="group" aria-label="Time">
        {kSpans.map(([words, since]) => (
          <button
            key={words}
            type="button"
            class="chip-button"
            aria-pressed={range.since === since}
            onClick={() => show({ since })}>
            {words}
          </button>
        ))}
      </div>
      <div class="chips" role="group" aria-label="Project">
        {(value?.projects ?? []).slice(0, 12).map(({ name }) => (
          <button
            key={name}
            type="button"
            class="chip-button"
            aria-pressed={range.project === name}
            onClick={() => show({ project: range.project === name ? '' : name })}>
            {name}
          </button>
        ))}
      </div>
    </div>
  );
}

const sum = (days: Outcome[], of: (day: Outcome) => number): number =>
  days.reduce((total, day) => total + of(day), 0);
const tokensOf = (day: Outcome): number => day.tokens.input + day.tokens.output;
const badOf = (day: Outcome): number => day.failed + day.timed_out + day.lost;
const percent = (part: number, whole: number): string => (whole > 0 ? `${Math.round((part / whole) * 100)} %` : '–');

function Sums({ days }: { days: Outcome[] }) {
  const completed = sum(days, (day) => day.completed);
  const figures: [string, string][] = [
    ['Jobs ended', count(sum(days, (day) => day.jobs))],
    ['Success', percent(completed, completed + sum(days, badOf))],
    ['First try', percent(sum(days, (day) => day.first_try), completed)],
    ['Retries', count(sum(days, (day) => day.retries))],
    ['Human wait', duration(sum(days, (day) => day.human_wait_seconds))],
    ['Tokens', short(sum(days, tokensOf))],
    ['Cost', usd(sum(days, (day) => day.cost_usd))],
    ['Issues', count(sum(days, (day) => day.issues))],
  ];
  return (
    <dl class="figures">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/// "0", "5m", "2h", "1h 30m".
const axis = (seconds: number): string =>
  seconds === 0 ? '0' : seconds < 10 ? fine(seconds) : duration(seconds).replace(/ 00?[smh]$/, '');

function Charts({ days, range }: { days: Outcome[]; range: Range }) {
  const byDay = new Map(days.map((day) => [day.key, day]));
  const span = kSpans.find(([, since]) => since === range.since)?.[2] ?? null;
  const shown = daysUpTo(dayOf(nowUs.value), span, [...byDay.keys()]);
  const bars = (of: (day: Outcome) => Pick<Bar, 'parts' | 'mark'> & { words: string }): Bar[] =>
    shown.map((key) => {
      const day = byDay.get(key);
      if (!day) return { day: key, parts: [], words: '', href: '' };
      const drawn = of(day);
      const link = jobsHref({ ...range, since: key }, `until:${nextDay(key)}`);
      return { day: key, ...drawn, words: `${key}: ${drawn.words}`, href: link };
    });
  return (
    <div class="charts">
      <DayChart
        title="Jobs ended"
        total={count(sum(days, (day) => day.jobs))}
        unit="count"
        format={count}
        legend={[
          ['good', 'completed'],
          ['bad', 'failed'],
          ['idle', 'killed, never ran'],
        ]}
        bars={bars((day) => ({
          parts: [
            { tone: 'good', value: day.completed },
            { tone: 'bad', value: badOf(day) },
            { tone: 'idle', value: day.jobs - day.completed - badOf(day) },
          ],
          words: `${count(day.jobs)} ended, ${count(day.completed)} completed, ${count(badOf(day))} failed`,
        }))}
      />
      <DayChart
        title="Run time"
        total="median and 95th percentile"
        unit="seconds"
        format={axis}
        bars={bars((day) => ({
          parts: [{ tone: 'run', value: day.run.p50_ms / 1000 }],
          mark: day.run.p95_ms / 1000,
          words: `half ran up to ${fine(day.run.p50_ms / 1000)}, 95 % up to ${fine(day.run.p95_ms / 1000)}`,
        }))}
      />
      {sum(days, (day) => day.cost_usd) > 0 && (
        <DayChart
          title="Cost"
          total={usd(sum(days, (day) => day.cost_usd))}
          format={(value) => (value === 0 ? '$0' : usd(value))}
          bars={bars((day) => ({ parts: [{ tone: 'parked', value: day.cost_usd }], words: usd(day.cost_usd) }))}
        />
      )}
      {sum(days, tokensOf) > 0 && (
        <DayChart
          title="Tokens"
          total={short(sum(days, tokensOf))}
          unit="count"
          format={short}
          legend={[
            ['run', 'in'],
            ['parked', 'out'],
          ]}
          bars={bars((day) => ({
            parts: [
              { tone: 'run', value: day.tokens.input },
              { tone: 'parked', value: day.tokens.output },
            ],
            words: `${count(day.tokens.input)} tokens in, ${count(day.tokens.output)} out`,
          }))}
        />
      )}
      <DayChart
        title="Queue time"
        total="median and 95th percentile"
        unit="seconds"
        format={axis}
        bars={bars((day) => ({
          parts: [{ tone: 'idle', value: day.queue_wait.p50_ms / 1000 }],
          mark: day.queue_wait.p95_ms / 1000,
          words: `half waited up to ${fine(day.queue_wait.p50_ms / 1000)}, 95 % up to ${fine(day.queue_wait.p95_ms / 1000)}`,
        }))}
      />
      {sum(days, (day) => day.human_wait_seconds) > 0 && (
        <DayChart
          title="Human wait"
          total={duration(sum(days, (day) => day.human_wait_seconds))}
          unit="seconds"
          format={axis}
          bars={bars((day) => ({
            parts: [{ tone: 'need', value: day.human_wait_seconds }],
            words: duration(day.human_wait_seconds),
          }))}
        />
      )}
    </div>
  );
}
