// Jobs: all of them, newest first, narrowed down by filters and by words of their tasks.
import { Component } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { moment } from '../base/api.ts';
import { lifecycle, never } from '../base/concerns.ts';
import { filterOf, nameOf, toggled, wordsOf } from '../base/filter.ts';
import { counted } from '../base/format.ts';
import { onEvent } from '../base/live.ts';
import { Pace } from '../base/pace.ts';
import { isOther, rowKey, silentOnes, useOfAll } from '../base/others.ts';
import { useReading } from '../base/reading.ts';
import { go, href, route } from '../base/route.ts';
import type { Job, MachineAnswer, Project } from '../base/shapes.ts';
import { firstLine, harmless } from '../base/text.tsx';
import { useFlight, useSight, VirtualRows } from '../output/virtual_rows.tsx';
import { Icon } from '../parts/icons.tsx';
import { JobRow } from '../parts/job_row.tsx';
import { keysOn } from '../parts/keys.ts';
import { SilentMachines } from '../parts/on_machine.tsx';
import { Refusal } from '../parts/trouble.tsx';
import { choose, chosen, ChosenBar, mayChoose, switchChoosing } from './chosen.tsx';
import { Count, useOverview } from './now.tsx';
import { Pages } from './pages.ts';

const kRowHeight = 60;
const kPage = 100;
const kPauseMs = 250; // at least, between two readings of what is in sight
const kGhosts = 1000; // more than are in sight: they are used again while rows fly by
const kQuick = ['state:running', 'state:waiting', 'state:failed', 'since:24h'];

interface AllJobs {
  jobs: Job[];
  machines: MachineAnswer[];
}

const jobsOf = (body: unknown): Job[] => (body as { jobs: Job[] }).jobs;

export function Jobs() {
  const text = route.value.query.get('q') ?? '';
  const { wrong, words } = filterOf(text);
  useEffect(() => () => void (chosen.value = null), []);
  return (
    <div class="jobs">
      <h1 class="hidden">Jobs</h1>
      <FilterField text={text} wrong={wrong} />
      <Elsewhere text={text} />
      <List key={`${text} ${moment.value}`} text={text} words={words} />
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
  const words = wordsOf(text);
  const own = words.filter((word) => !quick.includes(word));
  return (
    <div class="filter">
      <form role="search" class="filter-field" onSubmit={(event) => (event.preventDefault(), search(typed))}>
        <Icon name="search" />
        <input
          type="search"
          id="filter"
          value={typed}
          aria-label="Filter jobs"
          placeholder="Words of the task, or state:failed since:2h"
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
        {mayChoose() && (
          <button
            type="button"
            class="chip-button"
            data-key="s"
            title="Select several jobs (s; x selects the row)"
            aria-pressed={chosen.value !== null}
            onClick={switchChoosing}>
            Select
          </button>
        )}
        {[...own, ...quick].map((word, index) => (
          <button
            key={word}
            type="button"
            class="chip-button"
            title={index < own.length ? 'Remove this filter' : undefined}
            aria-pressed={words.includes(word)}
            onClick={() => search(toggled(text, word))}>
            {harmless(nameOf(word))}
            {index < own.length && <Icon name="close" class="small-icon" />}
          </button>
        ))}
      </div>
    </div>
  );
}

function pathOf(text: string): string {
  const { query, words } = filterOf(text);
  query.set('limit', String(kPage));
  query.set(words ? 'words' : 'all', words || '1');
  return `/v1/${words ? 'search/tasks' : 'jobs'}?${query}`;
}

/// The newest ones on other machines that match; words are searched for on this one alone.
function Elsewhere({ text }: { text: string }) {
  const { value, problem } = useOfAll<AllJobs>(filterOf(text).words ? '' : pathOf(text));
  const rows = value?.jobs.filter(isOther) ?? [];
  if (rows.length + silentOnes(value?.machines).length === 0 && !problem) return null;
  return (
    <details class="elsewhere" open>
      <summary>
        On other machines <Count n={rows.length} />
      </summary>
      {problem && <Refusal problem={problem} />}
      <SilentMachines machines={value?.machines} />
      <div class="rows">
        {rows.map((job) => (
          <JobRow key={rowKey(job)} job={job} />
        ))}
      </div>
    </details>
  );
}

/// Chooses rows: by their boxes, and by the key x.
function useMarking(pages: Pages<Job>) {
  const marked = useRef<number | null>(null);
  /// Chooses a row; with `range`, also those between it and the one before.
  const mark = (index: number, on: boolean, range: boolean) => {
    const from = range ? (marked.current ?? index) : index;
    const [first, end] = [Math.min(from, index), Math.max(from, index)];
    const jobs = [];
    for (let at = first; at <= end; ++at) jobs.push(pages.row(at));
    choose(
      jobs.filter((job) => job !== null),
      on,
    );
    marked.current = index;
  };
  const onKey = (event: KeyboardEvent) => {
    const slot = (event.target as HTMLElement).closest<HTMLElement>('.job-slot');
    if (event.key !== 'x' || !slot || !keysOn.value || !mayChoose()) return;
    event.stopPropagation();
    const index = Number(slot.dataset.index);
    const job = pages.row(index);
    if (job) mark(index, !chosen.value?.has(job.id), false);
  };
  return { mark, onKey };
}

function List({ text, words }: { text: string; words: string }) {
  const scroller = useRef<HTMLDivElement>(null);
  const [, redraw] = useState(0);
  const pages = useMemo(() => new Pages<Job>(pathOf(text), kPage, jobsOf, () => redraw((n) => n + 1)), []);
  const [fresh, setFresh] = useState(0);
  const [sight, jump] = useSight(scroller, kRowHeight);
  const flying = useFlight(sight);
  const last = sight.first + sight.count;
  const seen = useRef(sight);
  const { mark, onKey } = useMarking(pages);
  seen.current = sight;

  useEffect(() => void pages.show(sight.first, last + 100), [sight.first, last, pages.known]);
  useEffect(() => {
    const pace = new Pace(async () => {
      await pages.refresh(seen.current.first, seen.current.first + seen.current.count);
      return kPauseMs;
    });
    const stop = onEvent((event) => {
      if (moment.value !== null || !lifecycle(event)) return;
      if (event.type === 'JobQueued' && seen.current.first > 5) return setFresh((n) => n + 1);
      pace.soon();
    });
    return () => (stop(), pace.stop());
  }, [pages]);
  const toTop = useCallback(() => {
    setFresh(0);
    jump(0);
    void pages.refresh(0, 1);
  }, [pages]);

  const row = (index: number) => {
    const job = flying ? null : pages.row(index);
    const picked = job && chosen.value ? chosen.value.has(job.id) : null;
    const choosing = chosen.value !== null;
    return (
      <Slot key={job?.id ?? index % kGhosts} job={job} index={index} choosing={choosing} picked={picked} mark={mark} />
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
      <div class="jobs-scroll" ref={scroller} tabIndex={0} role="region" aria-label="List of jobs" onKeyDown={onKey}>
        {pages.total > 0 && <VirtualRows total={pages.total} rowHeight={kRowHeight} sight={sight} row={row} />}
        {pages.total === 0 && (
          <p class="empty" role="status">
            {pages.known > 0 ? (text ? 'No job matches.' : 'No jobs yet.') : pages.problem ? '' : 'Reading…'}
            {words && pages.known > 0 && (
              <a href={href('search', { q: words })}>Search outputs and solutions for “{harmless(words)}”</a>
            )}
          </p>
        )}
      </div>
      <Total matching={pages.complete ? pages.total : null} all={text === ''} />
      <ChosenBar />
    </div>
  );
}

/// How many jobs there are; of those that match a filter, once their end was seen.
function Total({ matching, all }: { matching: number | null; all: boolean }) {
  const counts = useOverview().value?.counts;
  const known = matching ?? (all && counts ? Object.values(counts).reduce((sum, each) => sum + each, 0) : null);
  return known ? <p class="quiet jobs-total">{counted(known, 'job')}</p> : null;
}

interface SlotProps {
  job: Job | null;
  index: number;
  choosing: boolean;
  picked: boolean | null;
  mark: (index: number, on: boolean, range: boolean) => void;
}

/// A row. It is drawn again only if it changes: not when others come into sight.
class Slot extends Component<SlotProps> {
  override shouldComponentUpdate(next: SlotProps): boolean {
    const { job, index, choosing, picked } = this.props;
    return job !== next.job || index !== next.index || choosing !== next.choosing || picked !== next.picked;
  }
  override render({ job, index, choosing, picked, mark }: SlotProps) {
    return (
      <div class={`job-slot${choosing ? ' choosing' : ''}${picked ? ' picked' : ''}`} data-index={index}>
        {job && picked !== null && <Box job={job} picked={picked} onChoose={(on, range) => mark(index, on, range)} />}
        {job ? <JobRow job={job} /> : <span class="row-ghost" />}
      </div>
    );
  }
}

function Box(props: { job: Job; picked: boolean; onChoose: (on: boolean, range: boolean) => void }) {
  const { job, picked, onChoose } = props;
  return (
    <label class="choose">
      <input
        type="checkbox"
        checked={picked}
        aria-label={`Select ${harmless(firstLine(job.task || job.id)).slice(0, 80)}`}
        onClick={(event) => onChoose(event.currentTarget.checked, event.shiftKey)}
      />
    </label>
  );
}
