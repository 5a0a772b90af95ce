// The results of one search of one kind. The server looks in pieces that each end after a moment; a search goes on by
// itself until enough is found, then on demand. A search that was ended changes nothing any more.
import { Problem, read } from '../base/api.ts';

const kEnough = 20;
const kMostMs = 8000; // for which a search goes on by itself
const kLeast = 2; // characters, of ASCII ones: each line has one letter or another

/// Whether the words are worth a search.
export const searchable = (words: string): boolean => words.length >= kLeast || /[^\0-\x7f]/.test(words);

export class Results<T> {
  items: T[] = [];
  busy = true;
  problem: Problem | null = null;
  next: string | null;
  /// How far back it has looked (microseconds), if the server says so.
  backTo = 0;
  private readonly own = new AbortController();

  constructor(
    path: string,
    private readonly take: (body: unknown) => T[],
    private readonly changed: () => void,
  ) {
    this.next = path;
    void this.go();
  }

  end(): void {
    this.own.abort();
  }

  /// Looks further, until there is about as much again.
  go = async (): Promise<void> => {
    const until = Date.now() + kMostMs;
    const wanted = this.items.length + kEnough;
    this.busy = true;
    this.problem = null;
    this.changed();
    try {
      while (this.next !== null && this.items.length < wanted && Date.now() < until) await this.step(this.next);
    } catch (error) {
      this.problem = error instanceof Problem ? error : new Problem(String(error), -1, 'bad_answer', '');
    }
    this.busy = false;
    if (!this.own.signal.aborted) this.changed();
  };

  private async step(path: string): Promise<void> {
    const answer = await read<unknown>(path, null, this.own.signal);
    if (this.own.signal.aborted || !answer) return;
    this.items = [...this.items, ...this.take(answer.body)];
    this.backTo = (answer.body as { back_to_us?: number | null }).back_to_us ?? this.backTo;
    this.next = answer.next;
    this.changed();
  }
}
