// How often steps of flows are completed, and how long they take. Of all time: they are few.
import { flows as ofFlows } from '../base/concerns.ts';
import { wordFor } from '../base/filter.ts';
import { count, fine } from '../base/format.ts';
import { useReading } from '../base/reading.ts';
import { Said } from '../base/text.tsx';
import { Success } from './groups.tsx';
import { jobsHref } from './range.ts';
import type { StepStatistic } from './shapes.ts';

const kLeastMs = 10_000;
const kMost = 40; // steps that are listed: the ones that ran most often

export function Steps({ project }: { project: string }) {
  const path = `/v1/steps${project ? `?project=${encodeURIComponent(project)}` : ''}`;
  const { value } = useReading<{ steps: StepStatistic[] }>(path, ofFlows, kLeastMs);
  const steps = [...(value?.steps ?? [])].sort((a, b) => b.started - a.started).slice(0, kMost);
  if (steps.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="steps">
      <h2 id="steps">Steps of flows, of all time</h2>
      <div class="table-frame" tabIndex={0} role="region" aria-label="Table of steps">
        <table class="numbers-table outcomes">
          <thead>
            <tr>
              <th scope="col">Step</th>
              <th scope="col">Completed</th>
              <th scope="col">Begun</th>
              <th scope="col">Skipped</th>
              <th scope="col">Median</th>
              <th scope="col">95 %</th>
            </tr>
          </thead>
          <tbody>
            {steps.map((row) => (
              <tr key={`${row.project}/${row.step}`}>
                <th scope="row">
                  <a href={jobsHref({ since: '', project: row.project }, wordFor('step', row.step))} data-row>
                    <Said text={project ? row.step : `${row.project}: ${row.step}`} line most={80} />
                  </a>
                </th>
                <td class="success">
                  <Success rate={row.completion_rate} />
                </td>
                <td>{count(row.started)}</td>
                <td>{count(row.skipped)}</td>
                <td>{row.timed > 0 ? fine(row.p50_ms / 1000) : '–'}</td>
                <td>{row.timed > 0 ? fine(row.p95_ms / 1000) : '–'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
