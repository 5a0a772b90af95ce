// Jobs: all of them, newest first, narrowed down by the words of the command line.
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { moment } from '../base/api.ts';
import { lifecycle, never } from '../base/concerns.ts';
import { filterOf, toggled } from '../base/filter.ts';
import { onEvent } from '../base/live.ts';
import { useReading } from '../base/reading.ts';
import { go, href, route } from '../base/route.ts';
import type { Job, Project } from '../base/shapes.ts';
import { useSight, VirtualRows } from '../output/virtual_rows.tsx';
import { Icon } from '../parts/icons.tsx';
import { JobRow } from '../parts/job_row.tsx';
import { Pages } from './pages.ts';

const kRowHeight = 60;
const kPage = 100;
const kPauseMs = 700; // at least, between two readings of what is in sight
const kQuick = ['state:running', 'state:waiting', 'state:failed', 'since:today'];

const jobsOf = (body: unknown): Job[] => (body as { jobs: Job[] }).jobs;

export function Jobs() {
  const text = route.value.query.get('q') ?? '';
  const { wrong } = filterOf(text);
  return (
    <div class="jobs">
      <h1 class="hidden">Jobs</h1>
      <FilterField text={text} wrong={wrong} />
      <List key={`${text} ${moment.value}`} text={text} />
    </div>
  );
}

const search = (text: string) => go(href('jobs', text.trim() ? { q: text.trim() } : {}), true);

function FilterField({ text, wrong }: { text: string; wrong: string | null }) {
  const [typed, setTyped] = useState(text);
  const { value } = useReading<{ projects: Project[] }>('/v1/projects', never);
  useEffect(() => setTyped(text), [text]);
  useEffect(() => {
    const timer = setTimeout(() => typed.trim() !== text && search(typed), 250);
    return () => clearTimeout(timer);
  }, [typed]);
  const quick = [...kQuick, ...(value?.projects ?? []).slice(0, 8).map((project) => `project:${project.name}`)];
  const words = text.split(/\s+/);
  return (
    <div class="filter">
      <form role="search" class="filter-field" onSubmit={(event) => (event.preventDefault(), search(typed))}>
        <Icon name="search" />
        <input
          type="search"
          id="filter"
          value={typed}
          aria-label="Filter jobs"
          placeholder="project:web state:failed since:2h"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          aria-describedby="filter-wrong"
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </form>
      <p id="filter-wrong" class={wrong ? 'problem small' : 'hidden'} role="status">
        {wrong ?? ''}
      </p>
      <div class="chips" role="group" aria-label="Quick filters">
        {quick.map((word) => (
          <button
            key={word}
            type="button"
            class="chip-button"
            aria-pressed={words.includes(word)}
            onClick={() => search(toggled(text, word))}>
            {word}
          </button>
        ))}
      </div>
    </div>
  );
}

function pathOf(text: string): string {
  const { query } = filterOf(text);
  query.set('all', '1');
  query.set('limit', String(kPage));
  return `/v1/jobs?${query}`;
}

function List({ text }: { text: string }) {
  const scroller = useRef<HTMLDivElement>(null);
  const [, redraw] = useState(0);
  const pages = useMemo(() => new Pages<Job>(pathOf(text), kPage, jobsOf, () => redraw((n) => n + 1)), []);
  const [fresh, setFresh] = useState(0);
  const [sight, jump] = useSight(scroller, kRowHeight);
  const last = sight.first + sight.count;
  const seen = useRef(sight);
  seen.current = sight;

  useEffect(() => void pages.show(sight.first, last + 30), [sight.first, last, pages.pages.length]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = onEvent((event) => {
      if (moment.value !== null || !lifecycle(event)) return;
      if (event.type === 'JobQueued' && seen.current.first > 5) return setFresh((n) => n + 1);
      timer ??= setTimeout(() => {
        timer = undefined;
        pages.refresh(seen.current.first, seen.current.first + seen.current.count);
      }, kPauseMs);
    });
    return () => (stop(), clearTimeout(timer));
  }, [pages]);
  const toTop = useCallback(() => {
    setFresh(0);
    jump(0);
    pages.refresh(0, 1);
  }, [pages]);

  const row = (index: number) => {
    const job = pages.row(index);
    return (
      <div class="job-slot" key={job?.id ?? index}>
        {job ? <JobRow job={job} /> : <span class="row-ghost" />}
      </div>
    );
  };
  return (
    <div class="jobs-frame">
      {fresh > 0 && (
        <button type="button" class="chip-button fresh" onClick={toTop}>
          <Icon name="top" /> {fresh} new
        </button>
      )}
      {pages.problem && (
        <p class="problem" role="alert">
          {pages.problem.message} {pages.problem.hint}
        </p>
      )}
      <div class="jobs-scroll" ref={scroller} tabIndex={0} role="region" aria-label="List of jobs">
        {pages.total > 0 && <VirtualRows total={pages.total} rowHeight={kRowHeight} sight={sight} row={row} />}
        {pages.total === 0 && (
          <p class="empty" role="status">
            {pages.pages[0]?.rows ? (text ? 'No job matches.' : 'No jobs yet.') : pages.problem ? '' : 'Reading…'}
          </p>
        )}
      </div>
    </div>
  );
}
