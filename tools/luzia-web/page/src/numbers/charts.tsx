// The charts of the numbers, a bar for each day.
import { nowUs } from '../base/clock.ts';
import { count, duration, fine, short, usd } from '../base/format.ts';
import type { Outcome, Spread } from '../base/shapes.ts';
import { DayChart, type Bar } from './day_chart.tsx';
import { dayOf, daysUpTo } from './days.ts';
import { dayHref, type Range } from './range.ts';
import { badOf, kSpans, sum, tokensOf } from './sums.ts';

type Drawn = Pick<Bar, 'parts' | 'mark'> & { words: string };
interface Props {
  days: Outcome[];
  bars: (of: (day: Outcome) => Drawn) => Bar[];
}

/// "0", "5m", "2h", "1h 30m".
const axis = (seconds: number): string =>
  seconds === 0 ? '0' : seconds < 10 ? fine(seconds) : duration(seconds).replace(/ 00?[smh]$/, '');

const spread = (did: string, { p50_ms, p95_ms }: Spread): string =>
  `half ${did} up to ${fine(p50_ms / 1000)}, 95 % up to ${fine(p95_ms / 1000)}`;

export function Charts({ days, range }: { days: Outcome[]; range: Range }) {
  const byDay = new Map(days.map((day) => [day.key, day]));
  const span = kSpans.find(([, since]) => since === range.since)?.[2] ?? null;
  const shown = daysUpTo(dayOf(nowUs.value), span, [...byDay.keys()]);
  const bars = (of: (day: Outcome) => Drawn): Bar[] =>
    shown.map((key) => {
      const day = byDay.get(key);
      if (!day) return { day: key, parts: [], words: '', href: '' };
      const drawn = of(day);
      return { day: key, ...drawn, words: `${key}: ${drawn.words}`, href: dayHref(range, key) };
    });
  return (
    <div class="charts">
      <Outcomes days={days} bars={bars} />
      <Spending days={days} bars={bars} />
      <Waiting days={days} bars={bars} />
    </div>
  );
}

function Outcomes({ days, bars }: Props) {
  return (
    <>
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
          words: spread('ran', day.run),
        }))}
      />
    </>
  );
}

function Spending({ days, bars }: Props) {
  return (
    <>
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
    </>
  );
}

function Waiting({ days, bars }: Props) {
  return (
    <>
      <DayChart
        title="Queue time"
        total="median and 95th percentile"
        unit="seconds"
        format={axis}
        bars={bars((day) => ({
          parts: [{ tone: 'idle', value: day.queue_wait.p50_ms / 1000 }],
          mark: day.queue_wait.p95_ms / 1000,
          words: spread('waited', day.queue_wait),
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
    </>
  );
}
