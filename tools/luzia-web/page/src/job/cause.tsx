// Why a job ended badly, above whatever is looked at: the reason, the line that says so, and what fixes it.
import { issuesOf } from '../base/concerns.ts';
import { useReading } from '../base/reading.ts';
import { jobHref } from '../base/route.ts';
import type { Issue, Job } from '../base/shapes.ts';
import { Said, sentence } from '../base/text.tsx';
import { Icon } from '../parts/icons.tsx';
import { lookOf } from '../parts/states.tsx';

const kMostKnown = 3;

/// What is known about the last attempt's output, once for each kind.
function known(issues: Issue[], attempt: number): Issue[] {
  const kinds = new Map<string, Issue>();
  for (const issue of issues)
    if (issue.attempt === attempt && !kinds.has(issue.pattern)) kinds.set(issue.pattern, issue);
  return [...kinds.values()].slice(0, kMostKnown);
}

export function Cause({ job }: { job: Job }) {
  const { failure } = job;
  const path = failure && job.issues > 0 ? `/v1/issues?job=${job.id}` : '';
  const { value } = useReading<{ issues: Issue[] }>(path, issuesOf(job.id));
  if (!failure) return null;
  const look = lookOf(job);
  const reason = job.reason_text ?? 'for no known reason';
  const place = (byte: number) => jobHref(job.id, 'output', { byte, attempt: job.attempt });
  return (
    <section class="cause" aria-label="Why it ended">
      <p class="cause-reason">
        <Icon name={look.icon} />
        <Said text={sentence(`${look.word}: ${failure.offset === null ? failure.summary : reason}`)} line most={400} />
      </p>
      {failure.offset !== null && (
        <p>
          <a class="mono" href={place(failure.offset)}>
            <Said text={failure.summary} line most={300} />
          </a>
        </p>
      )}
      {known(value?.issues ?? [], job.attempt).map((issue) => (
        <p key={issue.pattern}>
          <a href={place(issue.first_offset)}>
            <Said text={sentence(issue.description || issue.pattern)} line most={200} />
          </a>{' '}
          <Said text={issue.fix && sentence(issue.fix)} most={600} />
        </p>
      ))}
    </section>
  );
}
