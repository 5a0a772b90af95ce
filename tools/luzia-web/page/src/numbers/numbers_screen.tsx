// Numbers: how jobs came out, how long they took, what they cost. Each bar and row opens its jobs.
import { ends, never } from '../base/concerns.ts';
import { count, duration, short, usd } from '../base/format.ts';
import { useReading } from '../base/reading.ts';
import { go, href, route } from '../base/route.ts';
import type { Outcome, Project } from '../base/shapes.ts';
import { Trouble } from '../parts/trouble.tsx';
import { Charts } from './charts.tsx';
import { Groups } from './groups.tsx';
import { Issues } from './issues_part.tsx';
import { People } from './people_part.tsx';
import { queryOf, type Range } from './range.ts';
import { Steps } from './steps_part.tsx';
import { badOf, kSpans, kUsualSpan, percent, sum, tokensOf } from './sums.ts';

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
            <Steps project={range.project} />
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
