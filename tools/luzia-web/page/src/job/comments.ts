// Comments on lines of a job's diff, gathered into one message to its agent. This browser keeps them until the server
// has taken the message.
import type { Signal } from '@preact/signals';
import { act, commandId, isRefused } from '../base/api.ts';
import { draftAt, keepDraft, type DraftKey } from '../base/drafts.ts';
import { clipped, wellFormed } from '../base/text.tsx';
import type { DiffLine } from './diff.ts';

export interface Comment {
  id: string;
  path: string;
  place: string; // in words
  quote: string; // its lines, with their marks
  last: string; // the line that it stands below: its numbers
  text: string;
}
/// A message whose fate is unknown. It is sent again as it was, with the same command id.
interface Sending {
  id: string;
  message: string;
  comments: string[];
  tells?: boolean; // the job has not ended: its agent is told while it works
}
export interface Draft {
  comments: Comment[];
  sending: Sending | null;
}

export const kMostBytes = 65_536; // of a message, as the server takes it
const kMostQuoted = 30; // lines of one comment
const kMostCharacters = 300; // of a quoted line
const kEmpty: Draft = { comments: [], sending: null };

const keyOf = (job: string): DraftKey => `comments.${job}`;

function read(kept: unknown): Draft {
  return Array.isArray((kept as Draft | null)?.comments) ? (kept as Draft) : kEmpty;
}

/// The job's draft, the same in all tabs of this browser.
export const draftOf = (job: string): Signal<Draft> => draftAt(keyOf(job), read);

function change(job: string, next: Draft): void {
  keepDraft(keyOf(job), draftOf(job), next, next.comments.length === 0 && !next.sending);
}

export function addComment(job: string, comment: Omit<Comment, 'id'>): void {
  const draft = draftOf(job).value;
  change(job, { ...draft, comments: [...draft.comments, { ...comment, id: commandId() }] });
}

/// Changes a comment's text; an empty one deletes it. It gets a new id: a message under way has the old text.
export function editComment(job: string, id: string, text: string): void {
  const draft = draftOf(job).value;
  const comments = draft.comments.flatMap((each) =>
    each.id !== id ? [each] : text.trim() ? [{ ...each, id: commandId(), text }] : [],
  );
  change(job, { ...draft, comments });
}

/// "line 3", "lines 3 to 7", "removed line 4".
export function placeOf(lines: DiffLine[]): string {
  const now = lines.flatMap((line) => line.now ?? []);
  const [numbers, what] = now.length > 0 ? [now, 'line'] : [lines.flatMap((line) => line.old ?? []), 'removed line'];
  return numbers.length > 1 ? `${what}s ${numbers[0]} to ${numbers.at(-1)}` : `${what} ${numbers[0]}`;
}

const kMarks = { same: ' ', added: '+', removed: '-' } as const;

export function quoteOf(lines: DiffLine[]): string {
  const shown = lines.slice(0, kMostQuoted).map((line) => kMarks[line.kind] + clipped(line.text, kMostCharacters));
  if (lines.length > kMostQuoted) shown.push(`(${lines.length - kMostQuoted} more lines)`);
  return shown.join('\n');
}

/// Names a line of a file's diff.
export const lineName = (line: DiffLine): string => `${line.old ?? ''}:${line.now ?? ''}`;

/// One message of all comments, in the order in which they were written.
export function messageOf(comments: Comment[]): string {
  const said = comments.map(
    ({ path, place, quote, text }) => `${path}, ${place}:\n${quote.replace(/^/gm, '> ')}\n\n${text.trim()}\n`,
  );
  return wellFormed(`Comments on the changes of the files:\n\n${said.join('\n')}`.replaceAll('\0', ''));
}

/// Sends the comments as one message: an ended job goes on with it. They stay until the server has taken it.
export async function sendComments(job: string, ended: boolean): Promise<void> {
  const draft = draftOf(job).value;
  const sending = draft.sending ?? {
    id: commandId(),
    message: messageOf(draft.comments),
    comments: draft.comments.map((each) => each.id),
    tells: !ended,
  };
  change(job, { ...draft, sending });
  try {
    if (sending.tells) await act(`/v1/jobs/${job}/tell`, { text: sending.message, resume: true }, sending.id);
    else await act(`/v1/jobs/${job}/retry`, { message: sending.message }, sending.id);
  } catch (error) {
    if (isRefused(error)) change(job, { ...draftOf(job).value, sending: null });
    throw error;
  }
  const rest = draftOf(job).value.comments.filter((each) => !sending.comments.includes(each.id));
  change(job, { comments: rest, sending: null });
}
