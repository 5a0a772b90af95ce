// A list of any length, read page by page as it comes into sight. Of pages far from sight only the cursor is kept, by
// which they are read again when they come back: a million rows take half a megabyte.
import { Problem, read } from '../base/api.ts';
import { lineOfRow } from '../output/use_output.ts';

const kNear = 4; // pages in front and behind that are kept

interface Page<T> {
  rows: T[];
  etag: string | null;
}

export class Pages<T> {
  problem: Problem | null = null;
  private readonly kept = new Map<number, Page<T>>();
  private readonly busy = new Set<number>();
  private readonly cursors = ['']; // of each page, and of one more if there is one
  private readonly starts = [0]; // the first row of each page that was read, and of what follows them

  constructor(
    private readonly first: string,
    private readonly pageSize: number,
    private readonly items: (body: unknown) => T[],
    private readonly changed: () => void,
  ) {}

  /// How many pages were read, whether their rows are here or not.
  get known(): number {
    return this.starts.length - 1;
  }
  get complete(): boolean {
    return this.cursors.length === this.known;
  }
  /// Rows that are known, and those of one more page if there is one.
  get total(): number {
    return this.starts.at(-1)! + (this.complete || this.known === 0 ? 0 : 20);
  }

  row(index: number): T | null {
    const [page, at] = this.place(index);
    return this.kept.get(page)?.rows[at] ?? null;
  }

  /// Reads what rows `first` to `last` need.
  show(first: number, last: number): void {
    const [from] = this.place(first);
    const [to, inside] = this.place(last);
    for (const page of this.kept.keys()) if (page < from - kNear || page > to + kNear) this.kept.delete(page);
    for (let page = from; page <= to && page < this.known; ++page) if (!this.kept.has(page)) void this.load(page);
    const atEnd = to === this.known - 1 && inside > this.pageSize / 2;
    if ((atEnd && !this.complete) || this.known === 0) void this.load(this.known);
  }

  /// Reads the pages in sight again. If the first one has moved, those behind it are read anew.
  async refresh(first: number, last: number): Promise<void> {
    const [from] = this.place(first);
    const to = Math.max(from, Math.min(this.place(last)[0], this.known - 1));
    await Promise.all(Array.from({ length: to + 1 - from }, (_, index) => this.load(from + index)));
  }

  /// The page of a row, and its place there. Rows behind the last page have a place behind its end.
  private place(index: number): [number, number] {
    if (index >= this.starts.at(-1)!) return [Math.max(0, this.known - 1), this.pageSize];
    const page = lineOfRow(this.starts, index);
    return [page, index - this.starts[page]!];
  }

  private async load(page: number): Promise<void> {
    if (this.busy.has(page)) return;
    this.busy.add(page);
    const cursor = this.cursors[page]!;
    try {
      const path = cursor ? `${this.first}&cursor=${encodeURIComponent(cursor)}` : this.first;
      const answer = await read<unknown>(path, this.kept.get(page)?.etag);
      const wanted = page <= this.known && this.cursors[page] === cursor; // else it was given up meanwhile
      if (answer && wanted) this.take(page, { rows: this.items(answer.body), etag: answer.etag }, cursorOf(answer.next));
      this.problem = null;
    } catch (error) {
      this.problem = error as Problem;
    }
    this.busy.delete(page);
    this.changed();
  }

  private take(page: number, read: Page<T>, next: string | undefined): void {
    this.kept.set(page, read);
    const end = this.starts[page]! + read.rows.length;
    if (page < this.known && this.cursors[page + 1] === next) {
      const more = end - this.starts[page + 1]!;
      for (let at = page + 1; more !== 0 && at < this.starts.length; ++at) this.starts[at]! += more;
      return;
    }
    // It is new, or rows have pushed others out of it: what follows begins elsewhere now.
    for (const behind of this.kept.keys()) if (behind > page) this.kept.delete(behind);
    this.starts.splice(page + 1, Infinity, end);
    this.cursors.splice(page + 1, Infinity, ...(next === undefined ? [] : [next]));
  }
}

const cursorOf = (path: string | null): string | undefined =>
  (path && new URLSearchParams(path.slice(path.indexOf('?'))).get('cursor')) || undefined;
