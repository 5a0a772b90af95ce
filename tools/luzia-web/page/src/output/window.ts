// The part of a job's output that is loaded: lines from byte `from` to byte `to`. It grows at both ends and forgets
// what is far away, so that an output of any size takes the same memory.
import { atMoment, moment, Problem, request } from '../base/api.ts';
import { newPen, type Pen } from './ansi.ts';
import { linesOf, type Line } from './lines.ts';

const kChunk = 128 * 1024;
export const kMostBytes = 2 * 1024 * 1024;
const kMostLines = 100_000;

export interface Bytes {
  bytes: Uint8Array;
  offset: number;
  size: number;
}

/// Which output is meant: each attempt has its own.
export interface Place {
  job: string;
  attempt: number;
}

/// Bytes of output from an offset, or the last -from; of what was known at the moment that is shown. An attempt that
/// began later had printed nothing.
export async function readOutput({ job, attempt }: Place, from: number, limit: number): Promise<Bytes> {
  const query = `from=${from}&limit=${limit}${attempt > 0 ? `&attempt=${attempt}` : ''}`;
  const path = atMoment(`/v1/jobs/${encodeURIComponent(job)}/output?${query}`);
  const response = await request(path).catch((error: unknown) => {
    if (moment.value !== null && error instanceof Problem && error.code === 'no_such_attempt') return null;
    throw error;
  });
  if (!response) return { bytes: new Uint8Array(), offset: 0, size: 0 };
  const bytes = new Uint8Array(await response.arrayBuffer());
  const offset = Number(response.headers.get('luzia-offset') ?? Math.max(0, from));
  return { bytes, offset, size: Number(response.headers.get('luzia-size') ?? offset + bytes.length) };
}

/// Where the first whole line of a chunk begins; the chunk's begin if it has none.
function firstWhole(bytes: Uint8Array, offset: number): number {
  if (offset === 0) return 0;
  const feed = bytes.indexOf(10);
  return feed < 0 || feed + 1 === bytes.length ? 0 : feed + 1;
}

/// Where the last whole line of a chunk ends; the chunk's end if it has none.
function lastWhole(bytes: Uint8Array): number {
  const feed = bytes.lastIndexOf(10);
  return feed < 0 ? bytes.length : feed + 1;
}

export class OutputWindow {
  lines: Line[] = [];
  from = 0;
  to = 0;
  size = 0;
  private pen: Pen = newPen();
  private busy = false;

  constructor(readonly place: Place) {}

  get atEnd(): boolean {
    return this.to >= this.size;
  }

  /// Shows the end.
  openEnd(): Promise<boolean> {
    return this.alone(async () => this.begin(await readOutput(this.place, -kChunk, kChunk)));
  }

  /// Shows what surrounds a byte.
  openAt(byte: number): Promise<boolean> {
    return this.alone(async () => {
      const before = Math.min(byte, kChunk / 2);
      this.begin(await readOutput(this.place, byte - before, kChunk + before));
    });
  }

  /// Adds what stands in front. The number of lines that came in front; -1: none.
  async earlier(): Promise<number> {
    let added = -1;
    await this.alone(async () => {
      if (this.from === 0) return;
      const begin = Math.max(0, this.from - kChunk);
      const chunk = await readOutput(this.place, begin, this.from - begin);
      const skip = firstWhole(chunk.bytes, chunk.offset);
      const lines = linesOf(chunk.bytes.subarray(skip), chunk.offset + skip);
      if (lines.length === 0) return;
      this.lines = [...lines, ...this.lines];
      this.from = chunk.offset + skip;
      added = lines.length;
      while (this.lines.length > 1 && this.tooMuch()) this.to = this.lines.pop()!.at;
    });
    return added;
  }

  /// Adds what follows. The number of lines that were forgotten in front for it; -1: nothing follows.
  async later(): Promise<number> {
    let dropped = -1;
    await this.alone(async () => {
      // A last line that had not ended is read again from its begin.
      const last = this.lines.at(-1);
      const open = last !== undefined && !last.ended;
      const chunk = await readOutput(this.place, open ? last.at : this.to, kChunk);
      if (chunk.size < this.size) return this.begin(await readOutput(this.place, -kChunk, kChunk));
      this.size = chunk.size;
      if (chunk.offset + chunk.bytes.length <= this.to) return;
      const all = chunk.offset + chunk.bytes.length >= chunk.size;
      const end = all ? chunk.bytes.length : lastWhole(chunk.bytes);
      const kept = open ? this.lines.slice(0, -1) : this.lines;
      const lines = kept.concat(linesOf(chunk.bytes.subarray(0, end), chunk.offset, this.pen));
      this.to = chunk.offset + end;
      const far = this.to - kMostBytes;
      dropped = 0;
      while (dropped < lines.length - 1 && (lines[dropped]!.at < far || lines.length - dropped > kMostLines)) ++dropped;
      this.lines = lines.slice(dropped);
      this.from = this.lines[0]?.at ?? this.to;
    });
    return dropped;
  }

  private tooMuch(): boolean {
    return this.lines.at(-1)!.end - this.from > kMostBytes || this.lines.length > kMostLines;
  }

  private begin(chunk: Bytes): void {
    const skip = firstWhole(chunk.bytes, chunk.offset);
    this.pen = newPen();
    this.lines = linesOf(chunk.bytes.subarray(skip), chunk.offset + skip, this.pen);
    this.from = chunk.offset + skip;
    this.to = chunk.offset + chunk.bytes.length;
    this.size = chunk.size;
  }

  /// One request at a time; false: another one is under way.
  private async alone(work: () => Promise<void>): Promise<boolean> {
    if (this.busy) return false;
    this.busy = true;
    try {
      await work();
      return true;
    } finally {
      this.busy = false;
    }
  }
}
