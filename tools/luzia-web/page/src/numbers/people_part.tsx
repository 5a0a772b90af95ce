// How people answered questions and approvals. A person opens what they decided.
import { useState } from 'preact/hooks';
import { nowUs } from '../base/clock.ts';
import { ends } from '../base/concerns.ts';
import { count, counted, duration, when, words } from '../base/format.ts';
import { useReading } from '../base/reading.ts';
import { href, jobHref } from '../base/route.ts';
import { Said } from '../base/text.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { queryOf, type Range } from './range.ts';
import type { AnswerStatistic, Decision } from './shapes.ts';

const kNewest = 200; // decisions of all people that are looked at
const kMost = 20; // that are listed
const kNobody = '(nobody)';

export function People({ range }: { range: Range }) {
  const { value } = useReading<{ answers: AnswerStatistic[] }>(`/v1/stats?${queryOf(range, { by: 'person' })}`, ends);
  if (!value || value.answers.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="people">
      <h2 id="people">Answers of people</h2>
      <div class="rows">
        {value.answers.map((row) => (
          <Person key={row.key} row={row} range={range} />
        ))}
      </div>
    </section>
  );
}

function Person({ row, range }: { row: AnswerStatistic; range: Range }) {
  const [open, setOpen] = useState(false);
  return (
    <details class="unfolds person" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary data-row>
        <span class="row-main">
          <span class="row-title">
            <Said text={row.key} line most={80} />
          </span>
          <span class="row-sub">
            {row.mean_seconds !== null && <span>mean wait {duration(row.mean_seconds)}</span>}
            {row.missed > 0 && <span class="tone-bad">{count(row.missed)} missed</span>}
          </span>
        </span>
        <span class="row-end">{counted(row.answered, 'answer')}</span>
      </summary>
      {open && <Decisions person={row.key} range={range} />}
    </details>
  );
}

function Decisions({ person, range }: { person: string; range: Range }) {
  const path = `/v1/audit?${queryOf(range, { limit: String(kNewest) })}`;
  const { value, problem, loading } = useReading<{ audit: Decision[] }>(path, ends);
  if (!value) return <Trouble problem={problem} loading={loading} />;
  const own = value.audit.filter((each) => each.policy === null && (each.by ?? kNobody) === person);
  return (
    <div class="issue-more">
      <ul>
        {own.slice(0, kMost).map((each) => (
          <li key={each.id}>
            <a href={each.job ? jobHref(each.job) : href(`flows/${each.flow ?? ''}`)}>
              <Said text={each.what || each.tool || each.id} line most={200} />
            </a>{' '}
            <span class="quiet">
              {words(each.decision)}
              {each.answer && (
                <>
                  : <Said text={each.answer} line most={120} />
                </>
              )}
              , {each.project}, {when(each.decided_us, nowUs.value)}
            </span>
          </li>
        ))}
      </ul>
      {own.length === 0 && <p class="quiet">None among the newest {kNewest} decisions.</p>}
      {own.length > kMost && <p class="quiet">and older ones</p>}
    </div>
  );
}
