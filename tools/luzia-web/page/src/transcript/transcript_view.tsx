// The transcript of a job: what its agent said, and one row for each tool call, opened on demand.
import { useEffect, useRef, useState } from 'preact/hooks';
import { Problem } from '../base/api.ts';
import { bytes } from '../base/format.ts';
import { jobHref } from '../base/route.ts';
import { clipped, firstLine, harmless, Said } from '../base/text.tsx';
import { ansiPieces, newPen } from '../output/ansi.ts';
import { readOutput, type Place } from '../output/window.ts';
import { DiffOfEdit } from '../job/edit_diff.tsx';
import { Icon } from '../parts/icons.tsx';
import { Todos } from '../parts/todos.tsx';
import { Transcript, type Entry, type Tool } from './entries.ts';
import { grouped, namesOf } from './groups.ts';

const kFirst = 2 * 1024 * 1024; // bytes at the end of the output that are read at once
const kPiece = 1024 * 1024;
const kShown = 400; // entries at first
const kMostText = 20_000; // characters of one text
const kPollMs = 1000;

/// Reads a job's output into a transcript, from near its end on, and follows it.
class Reader {
  transcript = new Transcript();
  from = 0;
  size = 0;
  private to = 0;
  private rest = new Uint8Array();
  private busy = false;

  constructor(private readonly place: Place) {}

  async begin(most: number): Promise<void> {
    const first = await readOutput(this.place, -1, 1);
    this.size = first.size;
    this.from = Math.max(0, first.size - most);
    this.to = this.from;
    this.transcript = new Transcript();
    this.rest = new Uint8Array();
    await this.more();
  }

  /// Takes what follows; whether anything did.
  async more(): Promise<boolean> {
    if (this.busy) return false;
    this.busy = true;
    try {
      let any = false;
      for (;;) {
        const chunk = await readOutput(this.place, this.to, kPiece);
        this.size = chunk.size;
        if (chunk.bytes.length === 0) return any;
        this.take(chunk.bytes, chunk.offset);
        any = true;
        if (this.to >= chunk.size) return any;
      }
    } finally {
      this.busy = false;
    }
  }

  private take(piece: Uint8Array, offset: number): void {
    const joined = new Uint8Array(this.rest.length + piece.length);
    joined.set(this.rest);
    joined.set(piece, this.rest.length);
    let begin = offset - this.rest.length;
    let from = 0;
    // What stands before the first line end belongs to a line that is not shown.
    if (this.to === this.from && this.from > 0) from = joined.indexOf(10) + 1;
    for (let feed = joined.indexOf(10, from); feed >= 0; feed = joined.indexOf(10, from)) {
      this.transcript.push(new TextDecoder().decode(joined.subarray(from, feed)), begin + from);
      from = feed + 1;
    }
    this.rest = joined.slice(from);
    this.to = offset + piece.length;
    begin += from;
  }
}

interface Props {
  place: Place;
  live: boolean;
  bytes: number;
}

export function TranscriptView(props: Props) {
  const [reader] = useState(() => new Reader(props.place));
  const [problem, setProblem] = useState<Problem | null>(null);
  const [ready, setReady] = useState(false);
  const [shown, setShown] = useState(kShown);
  const [, redraw] = useState(0);
  const end = useRef<HTMLDivElement>(null);
  const entries = reader.transcript.entries;

  const load = (most: number) => reader.begin(most).then(() => setReady(true), setProblem);
  const follow = () =>
    reader.more().then((any) => {
      if (!any) return;
      const near = end.current && end.current.getBoundingClientRect().top < innerHeight + 200;
      redraw((n) => n + 1);
      if (near && props.live) requestAnimationFrame(() => end.current?.scrollIntoView({ block: 'end' }));
    }, setProblem);
  useEffect(() => void load(kFirst), [reader]);
  useEffect(() => {
    if (!props.live || !ready) return;
    const timer = setInterval(() => document.hidden || void follow(), kPollMs);
    return () => clearInterval(timer);
  }, [props.live, ready]);
  useEffect(() => void (ready && props.bytes > reader.size && follow()), [props.bytes, ready]);

  if (problem)
    return (
      <p class="problem" role="alert">
        {problem.message} {problem.hint}
      </p>
    );
  if (!ready) return <p class="empty">Reading…</p>;
  if (entries.length === 0)
    return <p class="empty">{reader.size === 0 ? 'No output yet.' : 'Nothing to read in this output.'}</p>;
  const first = Math.max(0, entries.length - shown);
  let index = first;
  return (
    <div class="transcript">
      {first > 0 && (
        <button class="chip-button wide" type="button" onClick={() => setShown(shown + 1000)}>
          Show {first} earlier entries
        </button>
      )}
      {first === 0 && reader.from > 0 && (
        <button class="chip-button wide" type="button" onClick={() => void load((reader.size - reader.from) * 4)}>
          Read the {bytes(reader.from)} before this
        </button>
      )}
      {grouped(entries.slice(first), props.live).map((group) => {
        const key = `${Array.isArray(group)}.${index}`; // of its first entry, so that rows stay open
        index += Array.isArray(group) ? group.length : 1;
        return Array.isArray(group) ? (
          <Calls key={key} calls={group} place={props.place} />
        ) : (
          <Row key={key} entry={group} place={props.place} />
        );
      })}
      <div ref={end} />
    </div>
  );
}

function Row({ entry, place }: { entry: Entry; place: Place }) {
  switch (entry.kind) {
    case 'said':
      return (
        <article class={`entry said ${entry.who}`}>
          {entry.who === 'person' && <span class="entry-who">Task</span>}
          <Prose text={entry.text} />
        </article>
      );
    case 'thought':
      return (
        <details class="entry thought">
          <summary>
            <Icon name="thought" />
            <Said text={entry.text.replaceAll('**', '')} line most={200} />
          </summary>
          <Prose text={entry.text} />
        </details>
      );
    case 'note':
      return (
        <p class={`entry note${entry.bad ? ' bad' : ''}`}>
          <Said text={entry.text} most={2000} />
        </p>
      );
    case 'plain':
      return (
        <pre class="entry plain" tabIndex={0}>
          <Ansi text={clipped(entry.text, kMostText)} />
        </pre>
      );
    case 'tool':
      return <ToolRow tool={entry} place={place} />;
  }
}

/// Text with `code` and fenced blocks set apart; nothing else of it is interpreted.
function Prose({ text }: { text: string }) {
  const parts = clipped(text, kMostText).split(/```[^\n`]*\n?/);
  return (
    <div class="prose">
      {parts.map((part, index) =>
        index % 2 === 1 ? (
          <pre tabIndex={0}>{harmless(part.replace(/\n$/, ''))}</pre>
        ) : (
          part.trim() && (
            <p>
              <bdi>
                {part
                  .trim()
                  .split('`')
                  .map((piece, at) => (at % 2 === 1 ? <code>{harmless(piece)}</code> : harmless(piece)))}
              </bdi>
            </p>
          )
        ),
      )}
    </div>
  );
}

function Ansi({ text }: { text: string }) {
  const pen = newPen();
  return (
    <>
      {text.split('\n').map((line) => (
        <>
          {ansiPieces(line, pen).map((piece) => (
            <span class={piece.style || undefined}>{piece.text}</span>
          ))}
          {'\n'}
        </>
      ))}
    </>
  );
}

function Calls({ calls, place }: { calls: Tool[]; place: Place }) {
  const [open, setOpen] = useState(false);
  return (
    <details class="entry calls" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="tool" />
        <span class="tool-name">{calls.length} calls</span>
        <span class="tool-subject">
          <Said text={namesOf(calls)} line most={200} />
        </span>
      </summary>
      {open && calls.map((tool, index) => <ToolRow key={`${tool.at}.${index}`} tool={tool} place={place} />)}
    </details>
  );
}

function ToolRow({ tool, place }: { tool: Tool; place: Place }) {
  const [open, setOpen] = useState(false);
  const state = tool.failed ? 'failed' : tool.result === null && !tool.todo ? 'running' : 'done';
  return (
    <details
      class={`entry tool ${state}${tool.parent ? ' nested' : ''}`}
      onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name={tool.failed ? 'failed' : toolIcon(tool.name)} label={tool.failed ? 'failed' : undefined} />
        <span class="tool-name">
          <Said text={tool.name} most={60} />
        </span>
        <span class="tool-subject">
          <Said text={firstLine(tool.subject)} most={300} />
        </span>
      </summary>
      {tool.todo && <Todos items={tool.todo} />}
      {open && <ToolBody tool={tool} place={place} />}
    </details>
  );
}

function ToolBody({ tool, place }: { tool: Tool; place: Place }) {
  const { old_string: before, new_string: after } = tool.input ?? {};
  const edit = typeof before === 'string' && typeof after === 'string';
  return (
    <div class="tool-body">
      {edit ? <DiffOfEdit before={before} after={after} /> : !tool.todo && <Input input={tool.input} />}
      {tool.result !== null && tool.result !== '' && (
        <pre class={`tool-result${tool.failed ? ' bad' : ''}`} tabIndex={0}>
          <Ansi text={clipped(tool.result, kMostText)} />
        </pre>
      )}
      <a class="quiet" href={jobHref(place.job, 'output', { attempt: place.attempt, byte: tool.at })}>
        Show in the output, byte {tool.at}
      </a>
    </div>
  );
}

/// A command stands alone; of other inputs each field has its name.
function Input({ input }: { input: unknown }) {
  const given = (input ?? {}) as Record<string, unknown>;
  const text = (value: unknown) =>
    harmless(clipped(typeof value === 'string' ? value : JSON.stringify(value, null, 2), kMostText));
  if (typeof given.command === 'string')
    return (
      <pre class="tool-command" tabIndex={0}>
        {text(given.command)}
      </pre>
    );
  const fields = Object.entries(given);
  if (fields.length === 0) return null;
  return (
    <dl class="tool-input">
      {fields.map(([key, value]) => (
        <div key={key}>
          <dt>
            <Said text={key} most={60} />
          </dt>
          <dd>
            <pre tabIndex={0}>{text(value)}</pre>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function toolIcon(name: string): 'terminal' | 'file' | 'search' | 'todo' | 'tool' | 'globe' {
  const word = name.toLowerCase();
  if (/bash|shell|command/.test(word)) return 'terminal';
  if (/todo|task(create|update|list)/.test(word)) return 'todo';
  if (/web|fetch/.test(word)) return 'globe';
  if (/grep|glob|search|ls\b|find/.test(word)) return 'search';
  return /read|write|edit|replace|file|view|create/.test(word) ? 'file' : 'tool';
}
