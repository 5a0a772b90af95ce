// How people answered questions and approvals.
import { ends } from '../base/concerns.ts';
import { count, duration } from '../base/format.ts';
import { useReading } from '../base/reading.ts';
import type { AnswerStatistic } from '../base/shapes.ts';
import { Said } from '../base/text.tsx';
import { queryOf, type Range } from './range.ts';

export function People({ range }: { range: Range }) {
  const { value } = useReading<{ answers: AnswerStatistic[] }>(`/v1/stats?${queryOf(range, { by: 'person' })}`, ends);
  if (!value || value.answers.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="people">
      <h2 id="people">Answers of people</h2>
      <div class="table-frame" tabIndex={0} role="region" aria-label="Table of people">
        <table class="numbers-table">
          <thead>
            <tr>
              <th scope="col">Person</th>
              <th scope="col">Answered</th>
              <th scope="col">Missed</th>
              <th scope="col">Mean wait</th>
            </tr>
          </thead>
          <tbody>
            {value.answers.map((row) => (
              <tr key={row.key}>
                <th scope="row">
                  <Said text={row.key} line most={80} />
                </th>
                <td>{count(row.answered)}</td>
                <td class={row.missed > 0 ? 'tone-bad' : ''}>{count(row.missed)}</td>
                <td>{row.mean_seconds === null ? '–' : duration(row.mean_seconds)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
