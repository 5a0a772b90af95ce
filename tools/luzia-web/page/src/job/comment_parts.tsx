// Choosing lines of a diff, writing about them, and what was written.
import { signal, useSignal, type Signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { moment, Problem } from '../base/api.ts';
import { counted } from '../base/format.ts';
import { mayAct } from '../base/me.ts';
import { readAllAgain } from '../base/reading.ts';
import type { Job } from '../base/shapes.ts';
import { bytesOf, harmless, Said } from '../base/text.tsx';
import { Icon } from '../parts/icons.tsx';
import { hasEnded } from '../parts/states.tsx';
import { say } from '../parts/toast.tsx';
import { Refusal } from '../parts/trouble.tsx';
import { addComment, draftOf, editComment, kMostBytes, lineName, messageOf } from './comments.ts';
import { placeOf, quoteOf, sendComments, type Comment } from './comments.ts';
import type { DiffLine, Hunk } from './diff.ts';

/// The file of a job whose lines are commented on.
export interface Told {
  job: string;
  path: string;
}
/// The chosen lines of a hunk: from `anchor` to `head`, in either order.
interface Picked extends Told {
  hunk: Hunk;
  anchor: number;
  head: number;
  writes: boolean; // the focus goes to the text
}
export const picked = signal<Picked | null>(null);
/// What is being written about them. It moves with them.
const written = signal('');

/// `shell` executes its task: nobody reads what it is told.
export const mayComment = (job: Job): boolean => mayAct.value && moment.value === null && job.agent !== 'shell';

const isOf = (told: Told, hunk: Hunk): boolean =>
  picked.value?.job === told.job && picked.value.path === told.path && picked.value.hunk.head === hunk.head;
const ends = ({ anchor, head }: Picked): [number, number] => [Math.min(anchor, head), Math.max(anchor, head)];

/// Chooses a line. While lines of its hunk are chosen, it becomes their other end.
function pick(told: Told, hunk: Hunk, at: number, writes: boolean): void {
  const anchor = isOf(told, hunk) ? picked.value!.anchor : at;
  picked.value = { ...told, hunk, anchor, head: at, writes };
}

function leave(): void {
  picked.value = null;
  written.value = '';
}

export function isPicked(told: Told | null, hunk: Hunk, at: number): boolean {
  if (!told || !isOf(told, hunk)) return false;
  const [from, to] = ends(picked.value!);
  return at >= from && at <= to;
}

interface NumberProps {
  told: Told | null;
  hunk: Hunk;
  line: DiffLine | null;
  at: number; // place in its hunk
  side: 'old' | 'now';
  column: string; // the arrow keys stay in it
  first: boolean; // the Tab key stops here
}

/// Moves the focus to the number of the next or previous line; with Shift, the lines between are chosen.
function onArrow(event: KeyboardEvent, { told, hunk, at, column }: NumberProps): void {
  const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (by === 0) return;
  event.preventDefault();
  const own = event.currentTarget as HTMLElement;
  const all = [...own.closest('table')!.querySelectorAll<HTMLElement>(`.pick[data-column="${column}"]`)];
  const next = all[all.indexOf(own) + by];
  if (!next) return;
  if (event.shiftKey && next.dataset.hunk === hunk.head) {
    if (!isOf(told!, hunk)) pick(told!, hunk, at, false);
    pick(told!, hunk, Number(next.dataset.at), false);
  }
  next.focus();
}

/// A line's number. Where comments can be written, it is the button that chooses the line.
export function LineNumber(props: NumberProps) {
  const { told, hunk, line, at, side } = props;
  const number = line?.[side] ?? null;
  if (!told || number === null) return <td class={`no ${line?.kind ?? 'none'}`}>{number ?? ''}</td>;
  const chosen = isPicked(told, hunk, at);
  return (
    <td class={`no ${line!.kind}${chosen ? ' picked' : ''}`}>
      <button
        type="button"
        class="pick"
        data-column={props.column}
        data-hunk={hunk.head}
        data-at={at}
        tabIndex={props.first ? 0 : -1}
        aria-label={`Comment on ${side === 'old' ? 'old ' : ''}line ${number}`}
        aria-pressed={chosen}
        onClick={() => pick(told, hunk, at, true)}
        onKeyDown={(event) => onArrow(event, props)}>
        {number}
      </button>
    </td>
  );
}

/// Below a line: what was written about lines that end there, and the field for the chosen ones.
export function Below(props: { told: Told | null; hunk: Hunk; lines: (DiffLine | null)[]; columns: number }) {
  const { told, hunk, columns } = props;
  if (!told) return null;
  const lines = props.lines.filter((line) => line !== null);
  const names = lines.map(lineName);
  const comments = draftOf(told.job).value.comments.filter(
    (each) => each.path === told.path && names.includes(each.last),
  );
  const writes = isOf(told, hunk) && lines.includes(hunk.lines[ends(picked.value!)[1]]!);
  if (comments.length === 0 && !writes) return null;
  return (
    <tr class="comment-row">
      <td colSpan={columns}>
        {comments.map((each) => (
          <CommentCard key={each.id} job={told.job} comment={each} />
        ))}
        {writes && <NewComment told={told} />}
      </td>
    </tr>
  );
}

function NewComment({ told }: { told: Told }) {
  const [from, to] = ends(picked.value!);
  const lines = picked.value!.hunk.lines.slice(from, to + 1);
  const save = () => {
    const last = lineName(lines.at(-1)!);
    const [place, quote, text] = [placeOf(lines), quoteOf(lines), written.value.trim()];
    addComment(told.job, { path: told.path, place, quote, last, text });
    leave();
  };
  return (
    <Writing
      label={`Comment on ${placeOf(lines)}`}
      words={written}
      focus={picked.value!.writes}
      hint="Another line's number extends the range."
      onSave={save}
      onLeave={leave}
    />
  );
}

interface WritingProps {
  label: string;
  words: Signal<string>;
  focus: boolean;
  hint?: string;
  onSave: () => void;
  onLeave: () => void;
}

function Writing({ label, words, focus, hint, onSave, onLeave }: WritingProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const empty = words.value.trim() === '';
  useEffect(() => void (focus && field.current!.focus({ preventScroll: true })), [focus, label]);
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onLeave();
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !empty) onSave();
  };
  return (
    <form class="comment-form" onSubmit={(event) => (event.preventDefault(), onSave())}>
      <label>
        <span>{label}</span>
        <textarea
          ref={field}
          rows={3}
          value={words.value}
          onInput={(event) => (words.value = event.currentTarget.value)}
          onKeyDown={onKey}
        />
      </label>
      <div class="buttons">
        <button class="button small" type="submit" disabled={empty}>
          Keep the comment
        </button>
        <button class="button small" type="button" onClick={onLeave}>
          Go back
        </button>
        {hint && <span class="quiet">{hint}</span>}
      </div>
    </form>
  );
}

function CommentCard({ job, comment, where = false }: { job: string; comment: Comment; where?: boolean }) {
  const [edits, setEdits] = useState(false);
  const words = useSignal(comment.text);
  const about = `${comment.path}, ${comment.place}`;
  if (edits)
    return (
      <Writing
        label={`Comment on ${harmless(comment.place)}`}
        words={words}
        focus
        onSave={() => editComment(job, comment.id, words.value.trim())}
        onLeave={() => ((words.value = comment.text), setEdits(false))}
      />
    );
  return (
    <article class="comment" aria-label={`Comment on ${harmless(about)}`}>
      <p class="quiet">{where ? <Said text={about} most={300} /> : comment.place}</p>
      <p class="comment-text">
        <Said text={comment.text} />
      </p>
      <div class="buttons">
        <button type="button" class="button small" onClick={() => setEdits(true)}>
          Edit
        </button>
        <button type="button" class="button small" onClick={() => editComment(job, comment.id, '')}>
          Delete
        </button>
      </div>
    </article>
  );
}

/// Why the comments cannot be sent now; empty: they can.
function obstacle(comments: Comment[]): string {
  const size = bytesOf(messageOf(comments));
  return size > kMostBytes ? `They have ${size} bytes together; a message has at most ${kMostBytes}.` : '';
}

/// All comments of the job, in whatever file, and the button that sends them.
export function Comments({ job }: { job: Job }) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const { comments, sending } = draftOf(job.id).value;
  if (comments.length === 0 && !sending) return null;
  const why = sending ? '' : obstacle(comments);
  const send = async () => {
    setBusy(true);
    setProblem(null);
    const ended = hasEnded(job);
    await sendComments(job.id, ended).then(
      () => say(`The agent gets the comments ${ended ? '' : 'at a tool call, or '}with its next attempt`),
      (error: Problem) => setProblem(error),
    );
    setBusy(false);
    readAllAgain();
  };
  return (
    <section class="card comments" aria-label="Comments for the agent">
      <h2>{counted(comments.length, 'comment')} for the agent</h2>
      {comments.map((each) => (
        <CommentCard key={each.id} job={job.id} comment={each} where />
      ))}
      <div class="buttons">
        <button type="button" class="button" disabled={busy || why !== ''} onClick={() => void send()}>
          <Icon name="retry" /> {sending && !busy ? 'Send the message again' : 'Send as one message'}
        </button>
        <span class="quiet">{why || 'They stay in this browser until the server has taken them.'}</span>
      </div>
      {sending && !busy && (
        <p class="quiet">It is not known whether the message arrived. Sent again, it counts once.</p>
      )}
      <Refusal problem={problem} />
    </section>
  );
}
