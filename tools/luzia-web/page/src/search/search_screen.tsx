// Search: words in tasks, in the outputs of all jobs, and in what was learned; now or at the moment that is shown.
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { moment } from '../base/api.ts';
import { nowUs } from '../base/clock.ts';
import { count, counted, when } from '../base/format.ts';
import { go, href, jobHref, route } from '../base/route.ts';
import type { Fact, FoundJob, FoundLine, Job, Solution } from '../base/shapes.ts';
import { Said } from '../base/text.tsx';
import { markOf } from '../output/find.ts';
import { Icon } from '../parts/icons.tsx';
import { JobRow } from '../parts/job_row.tsx';
import { Results, searchable } from './results.ts';

const kPauseMs = 300; // after the last letter
const search = (words: string) => go(href('search', words.trim() ? { q: words.trim() } : {}), true);

export function Search() {
  const words = route.value.query.get('q') ?? '';
  return (
    <div class="search">
      <h1 class="hidden">Search</h1>
      <Field words={words} />
      {searchable(words) ? (
        <Found key={`${words} ${moment.value}`} words={words} />
      ) : (
        <p class="empty">
          Looks for words in tasks, outputs, solutions and facts. Upper and lower case are the same for a to z.
        </p>
      )}
    </div>
  );
}

function Field({ words }: { words: string }) {
  const [typed, setTyped] = useState(words);
  useEffect(() => setTyped(words), [words]);
  useEffect(() => {
    const timer = setTimeout(() => typed.trim() !== words && search(typed), kPauseMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <form role="search" class="filter-field" onSubmit={(event) => (event.preventDefault(), search(typed))}>
      <Icon name="search" />
      <input
        type="search"
        id="search"
        value={typed}
        aria-label="Search"
        placeholder="EADDRINUSE"
        maxLength={256}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
    </form>
  );
}

/// A search that ends with the component.
function useResults<T>(path: string, take: (body: unknown) => T[]): Results<T> {
  const [, redraw] = useState(0);
  const [results, setResults] = useState<Results<T> | null>(null);
  useEffect(() => {
    const begun = new Results<T>(path, take, () => redraw((n) => n + 1));
    setResults(begun);
    return () => begun.end();
  }, [path]);
  return results ?? kNothingYet;
}
const kNothingYet = { items: [], busy: true, problem: null, next: null, backTo: 0 } as unknown as Results<never>;

const listOf =
  <T,>(name: string) =>
  (body: unknown): T[] =>
    (body as Record<string, T[]>)[name]!;
const kJobs = listOf<Job>('jobs');
const kOutputs = listOf<FoundJob>('jobs');
const kSolutions = listOf<Solution>('solutions');
const kFacts = listOf<Fact>('facts');

function Found({ words }: { words: string }) {
  const query = `words=${encodeURIComponent(words)}&limit=20`;
  const jobs = useResults(`/v1/search/tasks?${query}`, kJobs);
  const outputs = useResults(`/v1/search/outputs?${query}`, kOutputs);
  const solutions = useResults(`/v1/solutions?${query}`, kSolutions);
  const facts = useResults(`/v1/facts?${query}`, kFacts);
  const all = [jobs, outputs, solutions, facts];
  const busy = all.some((each) => each.busy);
  const none = all.every((each) => each.items.length === 0 && each.problem === null);
  return (
    <>
      <p class="quiet search-state" role="status">
        {none && !busy ? `Nothing has “${words}”${all.some((each) => each.next) ? ' so far' : ''}.` : ''}
        {!none && `${counted(jobs.items.length, 'task')}, ${counted(outputs.items.length, 'output')}, `}
        {!none && `${counted(solutions.items.length, 'solution')}, ${counted(facts.items.length, 'fact')}`}
        {busy && `${none ? '' : '. '}Searching…`}
      </p>
      <div class="search-groups">
        <Group title="Jobs" results={jobs}>
          <div class="rows">
            {jobs.items.map((job) => (
              <JobRow key={job.id} job={job} />
            ))}
          </div>
        </Group>
        <Group title="Outputs" results={outputs}>
          {outputs.items.map((job) => (
            <OutputOf key={job.id + job.lines[0]?.offset} job={job} />
          ))}
        </Group>
        <Group title="Solutions" results={solutions}>
          {solutions.items.map((solution) => (
            <SolutionCard key={solution.id} solution={solution} />
          ))}
        </Group>
        <Group title="Facts" results={facts}>
          <ul class="rows">
            {facts.items.map((fact) => (
              <FactRow key={`${fact.project} ${fact.subject} ${fact.relation} ${fact.object}`} fact={fact} />
            ))}
          </ul>
        </Group>
      </div>
    </>
  );
}

function Group(props: { title: string; results: Results<unknown>; children: ComponentChildren }) {
  const { title, results, children } = props;
  const { items, busy, next, problem, backTo } = results;
  if (items.length === 0 && !problem && (busy || next === null)) return null;
  return (
    <section class="search-group" aria-label={title}>
      <h2>
        {title} <span class="quiet">{items.length > 0 && `${count(items.length)}${next ? '+' : ''}`}</span>
      </h2>
      {items.length > 0 && children}
      {problem && (
        <p class="problem" role="alert">
          {problem.message} {problem.hint}
        </p>
      )}
      {(next !== null || problem) && !busy && (
        <p class="search-more">
          {backTo > 0 && <span class="quiet">Looked back to {when(backTo, nowUs.value)}. </span>}
          <button type="button" class="button small" onClick={() => void results.go()}>
            Search further
          </button>
        </p>
      )}
    </section>
  );
}

function OutputOf({ job }: { job: FoundJob }) {
  const attempt = job.attempts > 1 ? { attempt: job.attempts } : {};
  return (
    <article class="rows search-output" aria-label={`Output of ${job.id}`}>
      <a class="search-job" href={jobHref(job.id, 'output', attempt)}>
        <Said text={job.task || job.id} line most={200} />
        <span class="where">
          {job.project}
          <i aria-hidden="true">·</i>
          {job.agent}
          <i aria-hidden="true">·</i>
          {when(job.queued_us, nowUs.value)}
        </span>
      </a>
      {job.lines.map((line) => {
        const [byte, to] = markOf(line);
        return (
          <a key={byte} class="found-line" data-row href={jobHref(job.id, 'output', { byte, to, ...attempt })}>
            <Marked line={line} />
          </a>
        );
      })}
      {job.more && <p class="quiet more">More lines in this output.</p>}
    </article>
  );
}

function Marked({ line }: { line: FoundLine }) {
  return (
    <>
      <Said text={line.before} />
      <mark>
        <Said text={line.words} />
      </mark>
      <Said text={line.after} />
    </>
  );
}

function SolutionCard({ solution }: { solution: Solution }) {
  return (
    <details class="rows solution">
      <summary data-row>
        <Said text={solution.problem} line most={300} class="row-title" />
        <span class="where">
          {solution.project ?? 'every project'}
          <i aria-hidden="true">·</i>trust {Math.round(solution.confidence * 100)} %
        </span>
      </summary>
      <pre>
        <Said text={solution.text} />
      </pre>
    </details>
  );
}

function FactRow({ fact }: { fact: Fact }) {
  return (
    <li class="fact">
      <span>
        <Said text={fact.subject} most={200} /> <Said text={fact.relation} most={200} class="quiet" />{' '}
        <Said text={fact.object} most={200} />
      </span>
      <span class="where">{fact.project ?? 'every project'}</span>
      {fact.context && <Said text={fact.context} most={600} class="quiet fact-context" />}
    </li>
  );
}
