// A transcript: what an agent said and did, read from the lines of its output. Every line that is no known JSON is
// plain text. Each entry knows at which byte of the output it begins.
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';

// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Json = any;

export interface Todo {
  text: string;
  status: string;
}
export type Entry =
  | { kind: 'said'; at: number; text: string; who: 'agent' | 'person' }
  | { kind: 'thought'; at: number; text: string }
  | { kind: 'note'; at: number; text: string; bad: boolean }
  | { kind: 'plain'; at: number; text: string }
  | Tool;
export interface Tool {
  kind: 'tool';
  at: number;
  id: string;
  name: string;
  subject: string;
  input: Json;
  result: string | null;
  failed: boolean;
  todo: Todo[] | null;
  parent: string | null;
}

const kMostPlain = 64 * 1024; // characters of one entry

export class Transcript {
  entries: Entry[] = [];
  private calls = new Map<string, Tool>();
  at = 0;

  /// Takes one line without its end, which stands at byte `at`.
  push(line: string, at: number): void {
    this.at = at;
    const text = line.trim();
    if (text.startsWith('{') && text.endsWith('}')) {
      const json = parsed(text);
      if (json !== null && this.isOfAgent(json)) return;
    }
    this.plain(line);
  }

  /// Takes a line that an agent's program wrote. A line of another shape, though its type is known, is plain text.
  private isOfAgent(json: Json): boolean {
    const before = this.entries.length;
    try {
      return [claude, codex, gemini, opencode, copilot].some((reader) => reader(json, this));
    } catch {
      this.entries.length = before;
      return false;
    }
  }

  said(text: unknown, who: 'agent' | 'person' = 'agent', joins = false): void {
    const words = asText(text);
    const last = this.entries.at(-1);
    if (joins && last?.kind === 'said' && last.who === who) last.text += words;
    else if (words.trim()) this.entries.push({ kind: 'said', at: this.at, text: words, who });
  }

  thought(text: unknown): void {
    const words = asText(text);
    if (words.trim()) this.entries.push({ kind: 'thought', at: this.at, text: words });
  }

  note(text: string, bad = false): void {
    this.entries.push({ kind: 'note', at: this.at, text, bad });
  }

  call(id: unknown, name: unknown, input: Json, parent: unknown = null): Tool {
    const key = String(id ?? '');
    const known = this.calls.get(key);
    if (known) return known;
    const tool: Tool = {
      kind: 'tool',
      at: this.at,
      id: key,
      name: String(name ?? 'tool'),
      subject: subjectOf(input),
      input,
      result: null,
      failed: false,
      todo: todoOf(input),
      parent: parent ? String(parent) : null,
    };
    this.entries.push(tool);
    if (key) this.calls.set(key, tool);
    return tool;
  }

  returned(id: unknown, result: unknown, failed: boolean): void {
    const tool = this.calls.get(String(id ?? ''));
    if (!tool) return this.note(`result of a call that is not shown: ${asText(result).slice(0, 200)}`, failed);
    tool.result = asText(result);
    tool.failed = failed;
  }

  private plain(line: string): void {
    // What luzia-run writes behind the output of an attempt.
    if (/^exit:-?\d+$/.test(line)) return this.note(line);
    const last = this.entries.at(-1);
    if (last?.kind === 'plain' && last.text.length + line.length < kMostPlain) last.text += `\n${line}`;
    else if (line.trim()) this.entries.push({ kind: 'plain', at: this.at, text: line });
  }
}

function parsed(text: string): Json | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/// The text of a result: a string, a list of parts, or JSON.
export function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) {
    return value
      .map((part: Json) =>
        typeof part?.text === 'string' ? part.text : part?.type === 'image' ? '[image]' : asText(part),
      )
      .join('\n');
  }
  return JSON.stringify(value, null, 2);
}

const kSubjects = [
  'command',
  'file_path',
  'filePath',
  'path',
  'notebook_path',
  'pattern',
  'query',
  'url',
  'description',
  'prompt',
  'skill',
  'subject',
  'question',
];

/// What a call is about, in one line: its command, its file, its pattern.
function subjectOf(input: Json): string {
  for (const key of kSubjects) {
    const value = input?.[key];
    if (typeof value === 'string' && value) return value;
    if (Array.isArray(value) && typeof value[0] === 'string') return value.join(' ');
  }
  const todo = todoOf(input);
  if (todo) return `${todo.filter((item) => item.status === 'completed').length} of ${todo.length} done`;
  return typeof input?.questions?.[0]?.question === 'string' ? input.questions[0].question : '';
}

function todoOf(input: Json): Todo[] | null {
  const items: Json[] | undefined = Array.isArray(input?.todos) ? input.todos : undefined;
  return (
    items?.map((item) => ({
      text: asText(item.content ?? item.description ?? item.text),
      status: String(item.status),
    })) ?? null
  );
}
