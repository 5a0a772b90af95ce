// On Now: the schedules that are due next.
import { nowUs } from '../base/clock.ts';
import { href } from '../base/route.ts';
import { harmless, Said } from '../base/text.tsx';
import { ruleWords } from './rule.ts';
import { useSchedules } from './schedules_screen.tsx';
import { dueWords, inOrder, isBad, lastWords } from './words.ts';

const kShown = 3;

export function NextSchedules() {
  const all = inOrder((useSchedules().value?.schedules ?? []).filter((each) => !each.dropped_at));
  if (all.length === 0) return null;
  return (
    <section class="group" aria-labelledby="scheduled">
      <h2 id="scheduled">Scheduled</h2>
      <div class="rows">
        {all.slice(0, kShown).map((each) => (
          <a class="row due-row" key={each.name} href={href('schedules')} data-row>
            <span class="row-main">
              <span class="row-title">
                <Said text={each.name} line most={100} />
              </span>
              <span class="row-sub">
                <span class={isBad(each) ? 'tone-bad' : ''}>
                  {harmless(isBad(each) ? lastWords(each, nowUs.value) : ruleWords(each.rule, each.time_zone))}
                </span>
              </span>
            </span>
            <span class="row-end">
              <span class="time">{dueWords(each, nowUs.value)}</span>
            </span>
          </a>
        ))}
      </div>
      {all.length > kShown && (
        <a class="more-link" href={href('schedules')}>
          {all.length - kShown} more
        </a>
      )}
    </section>
  );
}
