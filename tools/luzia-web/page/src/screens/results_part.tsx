// The latest results of each project: a cell for each job that has ended, the newest at the right, which opens it.
import { useEffect, useRef, useState } from 'preact/hooks';
import { nowUs } from '../base/clock.ts';
import { endOfJob } from '../base/concerns.ts';
import { counted, when } from '../base/format.ts';
import { useReading } from '../base/reading.ts';
import { href, jobHref } from '../base/route.ts';
import type { Job } from '../base/shapes.ts';
import { clipped, firstLine, harmless } from '../base/text.tsx';
import { kEndStates, lookOf } from '../parts/states.tsx';

const kProjects = 6;
const kResults = 20;
// One reading for all projects: the results of a single one can be anywhere among a million jobs.
const kPath = `/v1/jobs?limit=120&state=${kEndStates.join()}`;
const kPauseMs = 5000; // at least, between two readings

/// The jobs of each project, the newest last, of those projects that have most of them.
function byProject(jobs: Job[]): [project: string, jobs: Job[]][] {
  const all = new Map<string, Job[]>();
  for (const job of [...jobs].sort((a, b) => a.ended_us - b.ended_us))
    all.set(job.project, [...(all.get(job.project) ?? []), job]);
  return [...all]
    .sort(([, a], [, b]) => b.length - a.length)
    .slice(0, kProjects)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

export function LatestResults() {
  const { value } = useReading<{ jobs: Job[] }>(kPath, endOfJob, kPauseMs);
  if (!value || value.jobs.length === 0) return null;
  return (
    <section class="group" aria-labelledby="results">
      <h2 id="results">Latest results</h2>
      <div class="rows strips">
        {byProject(value.jobs).map(([project, jobs]) => (
          <Strip key={project} project={project} jobs={jobs.slice(-kResults)} />
        ))}
      </div>
    </section>
  );
}

function Strip({ project, jobs }: { project: string; jobs: Job[] }) {
  const good = jobs.filter((job) => job.state === 'completed').length;
  return (
    <div class="strip-row">
      <a class="strip-name" href={href('jobs', { q: `project:${project}` })}>
        {project}
      </a>
      <Cells jobs={jobs} label={`${counted(jobs.length, 'result')} of ${project}, the newest last`} />
      <span class="spent">
        {good} of {jobs.length} completed
      </span>
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
