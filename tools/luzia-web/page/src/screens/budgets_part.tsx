// What projects have used of their budgets of the day.
import { endOfJob } from '../base/concerns.ts';
import { duration, short, usd, usOf, when } from '../base/format.ts';
import { nowUs } from '../base/clock.ts';
import { useReading } from '../base/reading.ts';
import { href } from '../base/route.ts';
import type { Budget } from '../base/shapes.ts';

const kLeastMs = 10_000;

/// Each kind of budget that is set: what of it is used, and how that reads.
function partsOf(budget: Budget): [used: number, words: string][] {
  const kinds = [
    [budget.tokens, budget.tokens_budget, short, ' tokens'],
    [budget.cost_usd, budget.cost_budget_usd, usd, ''],
    [budget.time_seconds ?? 0, budget.time_budget_seconds, duration, ' of run time'],
  ] as const;
  return kinds.flatMap(([used, all, format, what]): [number, string][] =>
    all ? [[used / all, `${format(used)} of ${format(all)}${what}`]] : [],
  );
}

export function Budgets() {
  const { value } = useReading<{ budgets: Budget[] }>('/v1/cost?since=1d', endOfJob, kLeastMs);
  const budgets = (value?.budgets ?? []).filter((each) => partsOf(each).length > 0);
  if (budgets.length === 0) return null;
  return (
    <section class="group" aria-labelledby="budgets">
      <h2 id="budgets">Budgets of the day</h2>
      <div class="rows">
        {budgets.map((budget) => (
          <a
            class="row one"
            key={budget.project ?? ''}
            href={href('jobs', budget.project ? { q: `project:${budget.project}` } : {})}
            data-row>
            <span class="row-main">
              <span class="row-title">{budget.project ?? 'all projects'}</span>
              {partsOf(budget).map(([used, words]) => (
                <span class="row-sub" key={words}>
                  <span class="line">{words}</span>
                  <progress class="bar" max={1} value={Math.min(used, 1)} aria-label={words} />
                </span>
              ))}
              {budget.stopped && (
                <span class="row-sub tone-bad">
                  Used up: nothing more starts{budget.until ? ` until ${when(usOf(budget.until), nowUs.value)}` : ''}
                </span>
              )}
              {budget.lifted && <span class="row-sub">It goes on over its budget.</span>}
            </span>
          </a>
        ))}
      </div>
    </section>
  );
}
