// The latest results of each project: a cell for each job that has ended, the newest at the right, which opens it.
import { useEffect, useRef, useState } from 'preact/hooks';
import { nowUs } from '../base/clock.ts';
import { endOfJob } from '../base/concerns.ts';
import { counted, when } from '../base/format.ts';
import { useReading } from '../base/reading.ts';
import { href, jobHref } from '../base/route.ts';
import type { Job, ProjectTotals } from '../base/shapes.ts';
import { clipped, firstLine, harmless } from '../base/text.tsx';
import { hasEnded, lookOf } from '../parts/states.tsx';

const kProjects = 6; // those in which something has happened last
const kResults = 20;
const kLook = 40; // jobs that are read: some of them have not ended
const kPauseMs = 2000; // at least, between two readings

/// As Now and the command line count: however they ended.
export const endedOf = (total: ProjectTotals): number =>
  total.completed + total.failed + total.killed + total.timed_out + total.lost + total.skipped + total.cancelled;

export function LatestResults() {
  const { value } = useReading<{ projects: ProjectTotals[] }>('/v1/stats', endOfJob, kPauseMs);
  const projects = (value?.projects ?? [])
    .filter((each) => endedOf(each) > 0)
    .sort((a, b) => b.last_us - a.last_us)
    .slice(0, kProjects)
    .map((each) => each.project)
    .sort();
  if (projects.length === 0) return null;
  return (
    <section class="group" aria-labelledby="results">
      <h2 id="results">Latest results</h2>
      <div class="rows strips">
        {projects.map((project) => (
          <Strip key={project} project={project} />
        ))}
      </div>
    </section>
  );
}

function Strip({ project }: { project: string }) {
  const path = `/v1/jobs?all=1&limit=${kLook}&project=${encodeURIComponent(project)}`;
  const { value } = useReading<{ jobs: Job[] }>(path, endOfJob, kPauseMs);
  const jobs = (value?.jobs ?? []).filter(hasEnded).slice(0, kResults).reverse();
  const good = jobs.filter((job) => job.state === 'completed').length;
  return (
    <div class="strip-row">
      <a class="strip-name" href={href('jobs', { q: `project:${project}` })}>
        {project}
      </a>
      <Cells jobs={jobs} label={`${counted(jobs.length, 'result')} of ${project}, the newest last`} />
      <span class="spent">{jobs.length > 0 && `${good} of ${jobs.length} completed`}</span>
    </div>
  );
}

/// One stop of the Tab key; arrow keys lead to the others.
function Cells({ jobs, label }: { jobs: Job[]; label: string }) {
  const list = useRef<HTMLOListElement>(null);
  const [at, setAt] = useState<string | null>(null);
  const stop = jobs.some((job) => job.id === at) ? at : (jobs.at(-1)?.id ?? null);
  useEffect(() => setAt(stop), [stop]); // it stays where it is when others come
  const onKeyDown = (event: KeyboardEvent) => {
    const links = [...list.current!.querySelectorAll('a')];
    const now = links.indexOf(document.activeElement as HTMLAnchorElement);
    const next = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: links.length - 1 }[event.key];
    if (next === undefined || !links[next]) return;
    event.preventDefault();
    links[next]!.focus();
    setAt(jobs[next]!.id);
  };
  return (
    <ol class="strip" ref={list} aria-label={label} onKeyDown={onKeyDown}>
      {jobs.map((job) => {
        const look = lookOf(job);
        const task = clipped(harmless(firstLine(job.task || job.id)), 80);
        const text = `${look.word}, ${when(job.ended_us, nowUs.peek())}: ${task}`;
        return (
          <li key={job.id}>
            <a
              class={`result tone-${look.tone}`}
              href={jobHref(job.id)}
              aria-label={text}
              title={text}
              tabIndex={job.id === stop ? 0 : -1}
            />
          </li>
        );
      })}
    </ol>
  );
}
