// A list of any length, read page by page as it comes into sight. Pages far from sight are forgotten, and read again by
// their address when they come back: memory stays the same.
import { Problem, read } from '../base/api.ts';

const kNear = 6; // pages in front and behind that are kept

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
    const known = this.pages.reduce((sum, page) => sum + page.length, 0);
    return known + (this.next !== null && this.pages.length > 0 ? 20 : 0);
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
    this.pages.forEach((page, index) => {
      if (index < from - kNear || index > to + kNear) page.rows = null;
    });
    for (let index = from; index <= Math.min(to, this.pages.length - 1); ++index) {
      if (!this.pages[index]!.rows) void this.load(this.pages[index]!);
    }
    if ((this.next !== null && to >= this.pages.length - 1 && inside > this.pageSize / 2) || this.pages.length === 0)
      this.append();
  }

  /// Reads the pages in sight again. If the first one has moved, those behind it are read anew.
  refresh(first: number, last: number): void {
    const [from] = this.place(first);
    const [to] = this.place(last);
    for (let index = from; index <= Math.min(to, this.pages.length - 1); ++index) void this.load(this.pages[index]!);
  }

  private place(index: number): [number, number] {
    let rest = index;
    for (let page = 0; page < this.pages.length; ++page) {
      if (rest < this.pages[page]!.length) return [page, rest];
      rest -= this.pages[page]!.length;
    }
    return [Math.max(0, this.pages.length - 1), this.pageSize];
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
        const last = page === this.pages.at(-1);
        const follows = this.pages[this.pages.indexOf(page) + 1];
        page.rows = this.items(answer.body);
        page.length = page.rows.length;
        page.etag = answer.etag;
        // New rows have pushed others out of this page: what follows begins elsewhere now.
        if (follows && follows.path !== answer.next) this.pages = this.pages.slice(0, this.pages.indexOf(page) + 1);
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
