// Known issues by pattern: how often, whether rarer than the week before, what fixed them, and the jobs that met them.
import { ends } from '../base/concerns.ts';
import { count, counted, roughly } from '../base/format.ts';
import { nowUs } from '../base/clock.ts';
import { useReading } from '../base/reading.ts';
import { jobHref } from '../base/route.ts';
import type { Issue } from '../base/shapes.ts';
import { Said } from '../base/text.tsx';
import { Icon } from '../parts/icons.tsx';
import { queryOf, type Range } from './range.ts';
import type { IssueStatistic } from './shapes.ts';

const kMostIssues = 500; // the newest, of which the jobs are known
const kMostPatterns = 12;
const kMostJobs = 8; // of a pattern

export function Issues({ range }: { range: Range }) {
  const sums = useReading<{ issue_statistics: IssueStatistic[] }>(
    `/v1/issues?${queryOf(range, { by: 'pattern' })}`,
    ends,
  );
  const newest = useReading<{ issues: Issue[] }>(`/v1/issues?${queryOf(range, { limit: String(kMostIssues) })}`, ends);
  const patterns = sums.value?.issue_statistics ?? [];
  if (patterns.length === 0) return null;
  const most = Math.max(...patterns.map((each) => each.issues));
  return (
    <section class="panel" aria-labelledby="issues">
      <h2 id="issues">Issues and what fixed them</h2>
      <div class="rows">
        {patterns.slice(0, kMostPatterns).map((each) => (
          <Pattern
            key={each.key}
            pattern={each}
            most={most}
            issues={(newest.value?.issues ?? []).filter((issue) => issue.pattern === each.key)}
          />
        ))}
      </div>
      {patterns.length > kMostPatterns && (
        <p class="quiet">{counted(patterns.length - kMostPatterns, 'rarer pattern')}</p>
      )}
    </section>
  );
}

/// "3 more than the week before".
function trend({ last_week, week_before }: IssueStatistic): string {
  if (last_week === week_before) return `${count(last_week)} in a week`;
  const words = last_week > week_before ? 'more' : 'fewer';
  return `${count(Math.abs(last_week - week_before))} ${words} than the week before`;
}

function Pattern({ pattern, most, issues }: { pattern: IssueStatistic; most: number; issues: Issue[] }) {
  const bad = pattern.severity === 'error' || pattern.severity === 'critical';
  return (
    <details class="unfolds issue-pattern">
      <summary data-row>
        <span class={`mark tone-${bad ? 'bad' : 'need'}`}>
          <Icon name="alert" label={pattern.severity} />
        </span>
        <span class="row-main">
          <span class="row-title">
            <Said text={issues[0]?.description || pattern.key} line most={120} />
          </span>
          <span class="row-sub">
            {issues[0] && <span class="mono">{pattern.key}</span>}
            <span>{trend(pattern)}</span>
            {pattern.fixed > 0 && <span class="tone-good">{counted(pattern.fixed, 'time')} fixed</span>}
          </span>
          <progress class="bar" max={most} value={pattern.issues} aria-hidden="true" title="beside the most frequent one" />
        </span>
        <span class="row-end">{count(pattern.issues)}</span>
      </summary>
      <div class="issue-more">
        {issues[0]?.fix && (
          <p>
            <Said text={issues[0].fix} most={600} />
          </p>
        )}
        <ul>
          {issues.slice(0, kMostJobs).map((issue, index) => (
            <IssueLine key={index} issue={issue} />
          ))}
        </ul>
        {issues.length > kMostJobs && <p class="quiet">and {count(issues.length - kMostJobs)} more</p>}
      </div>
    </details>
  );
}

function IssueLine({ issue }: { issue: Issue }) {
  const place = { byte: issue.first_offset, attempt: issue.attempt };
  return (
    <li>
      <a class="mono" href={jobHref(issue.job, 'output', place)}>
        {issue.job}
      </a>{' '}
      <span class="quiet">
        {issue.project}, {roughly((nowUs.value - issue.last_seen_us) / 1e6)} ago
      </span>
      {issue.fixed_by && (
        <span>
          {' '}
          fixed by <Said text={issue.fixed_by} line most={200} />
          {issue.fixed_by_job && (
            <>
              {' '}
              in{' '}
              <a class="mono" href={jobHref(issue.fixed_by_job)}>
                {issue.fixed_by_job}
              </a>
            </>
          )}
        </span>
      )}
    </li>
  );
}
