// How jobs came out by agent, model, project, or reason of their end.
import { useState } from 'preact/hooks';
import { nowUs } from '../base/clock.ts';
import { ends } from '../base/concerns.ts';
import { wordFor } from '../base/filter.ts';
import { count, fine, short, usd } from '../base/format.ts';
import { useReading } from '../base/reading.ts';
import type { Outcome } from '../base/shapes.ts';
import { Said } from '../base/text.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { countedOf, jobsHref, queryOf, type Range } from './range.ts';

const kKinds = ['agent', 'model', 'project'] as const;
type Kind = (typeof kKinds)[number];

export function Groups({ range }: { range: Range }) {
  const [kind, setKind] = useState<Kind>('agent');
  return (
    <section class="panel wide-panel" aria-labelledby="success">
      <header class="panel-head">
        <h2 id="success">Success by {kind}</h2>
        <div class="chips" role="group" aria-label="Success by">
          {kKinds.map((each) => (
            <button
              key={each}
              type="button"
              class="chip-button"
              aria-pressed={each === kind}
              onClick={() => setKind(each)}>
              {each}
            </button>
          ))}
        </div>
      </header>
      <Table range={range} kind={kind} />
    </section>
  );
}

function Table({ range, kind }: { range: Range; kind: Kind }) {
  const { value, problem, loading } = useReading<{ outcomes: Outcome[] }>(
    `/v1/stats?${queryOf(range, { by: kind })}`,
    ends,
  );
  if (!value) return <Trouble problem={problem} loading={loading} />;
  const counted = countedOf(range, nowUs.value);
  return (
    <div class="table-frame" tabIndex={0} role="region" aria-label={`Table by ${kind}`}>
      <table class="numbers-table outcomes">
        <thead>
          <tr>
            <th scope="col">{kind}</th>
            <th scope="col">Success</th>
            <th scope="col">Jobs</th>
            <th scope="col">Median</th>
            <th scope="col">95 %</th>
            <th scope="col">Tokens</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
          {value.outcomes.map((row) => (
            <tr key={row.key}>
              <th scope="row">
                <a href={jobsHref(counted, wordFor(kind, row.key))} data-row>
                  <Said text={row.key} line most={80} />
                </a>
              </th>
              <td class="success">
                <Success rate={row.success_rate} />
              </td>
              <td>{count(row.jobs)}</td>
              <td>{fine(row.run.p50_ms / 1000)}</td>
              <td>{fine(row.run.p95_ms / 1000)}</td>
              <td>{short(row.tokens.input + row.tokens.output)}</td>
              <td>{row.cost_usd > 0 ? usd(row.cost_usd) : '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Success({ rate }: { rate: number | null }) {
  if (rate === null) return <>–</>;
  const percent = Math.round(rate * 100);
  return (
    <span class="success-bar">
      <progress class="bar" max={100} value={percent} aria-hidden="true" />
      <span>{percent} %</span>
    </span>
  );
}
