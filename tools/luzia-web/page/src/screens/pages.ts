// A list of any length, read page by page as it comes into sight. Pages far from sight are forgotten, and read again by
// their address when they come back: memory stays the same.
import { Problem, read } from '../base/api.ts';
import { lineOfRow } from '../output/use_output.ts';

const kNear = 4; // pages in front and behind that are kept

interface Page<T> {
  path: string;
  rows: T[] | null;
  length: number;
  etag: string | null;
  busy: boolean;
}

export class Pages<T> {
  pages: Page<T>[] = [];
  problem: Problem | null = null;
  private next: string | null;
  private readonly kept = new Set<number>(); // pages whose rows are here
  private starts: number[] = [0]; // the first row of each page, and of what would follow

  constructor(
    first: string,
    private readonly pageSize: number,
    private readonly items: (body: unknown) => T[],
    private readonly changed: () => void,
  ) {
    this.next = first;
  }

  /// Rows that are known, and those of one more page if there is one.
  get total(): number {
    return this.starts.at(-1)! + (this.next !== null && this.pages.length > 0 ? 20 : 0);
  }
  get complete(): boolean {
    return this.next === null;
  }

  row(index: number): T | null {
    const [page, at] = this.place(index);
    return this.pages[page]?.rows?.[at] ?? null;
  }

  /// Reads what rows `first` to `last` need.
  async show(first: number, last: number): Promise<void> {
    const [from] = this.place(first);
    const [to, inside] = this.place(last);
    for (const index of this.kept) {
      if (index >= from - kNear && index <= to + kNear) continue;
      const page = this.pages[index];
      if (page) page.rows = page.etag = null;
      this.kept.delete(index);
    }
    for (let index = from; index <= Math.min(to, this.pages.length - 1); ++index) {
      if (!this.pages[index]!.rows) void this.load(this.pages[index]!);
    }
    if ((this.next !== null && to >= this.pages.length - 1 && inside > this.pageSize / 2) || this.pages.length === 0)
      this.append();
  }

  /// Reads the pages in sight again. If the first one has moved, those behind it are read anew.
  async refresh(first: number, last: number): Promise<void> {
    const [from] = this.place(first);
    const [to] = this.place(last);
    await Promise.all(this.pages.slice(from, to + 1).map((page) => this.load(page)));
  }

  /// The page of a row, and its place there. Rows behind the last page have a place behind its end.
  private place(index: number): [number, number] {
    if (index >= this.starts.at(-1)!) return [Math.max(0, this.pages.length - 1), this.pageSize];
    const page = lineOfRow(this.starts, index);
    return [page, index - this.starts[page]!];
  }

  /// Counts rows again from a page on: those in front of it stay where they are.
  private count(from: number): void {
    this.starts.length = from + 1;
    for (let page = from; page < this.pages.length; ++page)
      this.starts.push(this.starts[page]! + this.pages[page]!.length);
  }

  private append(): void {
    if (this.next === null || this.pages.some((page) => page.busy && page.length === 0)) return;
    const page: Page<T> = { path: this.next, rows: null, length: 0, etag: null, busy: false };
    this.pages.push(page);
    void this.load(page);
  }

  private async load(page: Page<T>): Promise<void> {
    if (page.busy) return;
    page.busy = true;
    try {
      const answer = await read<unknown>(page.path, page.rows ? page.etag : null);
      if (answer) {
        const at = this.pages.lastIndexOf(page);
        if (at < 0) return; // it was given up meanwhile
        const last = at === this.pages.length - 1;
        const follows = this.pages[at + 1];
        const length = page.length;
        page.rows = this.items(answer.body);
        page.length = page.rows.length;
        page.etag = answer.etag;
        // New rows have pushed others out of this page: what follows begins elsewhere now.
        const cut = follows !== undefined && follows.path !== answer.next;
        if (cut) this.pages.length = at + 1;
        this.kept.add(at);
        if (cut || last || page.length !== length) this.count(at);
        if (last || follows?.path !== answer.next) this.next = answer.next;
      }
      this.problem = null;
    } catch (error) {
      this.problem = error as Problem;
    }
    page.busy = false;
    this.changed();
  }
}
