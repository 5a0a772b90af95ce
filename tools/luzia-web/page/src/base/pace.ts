// How often something is done again that events ask for: at once after quiet, else after a pause that grows with what
// it costs. So the first change is seen at once, and thousands of them a second cost a third of the time at most.

const kLeastMs = 30; // between the end of one run and the begin of the next
const kCostFactor = 2;
const kHiddenMs = 3000; // while nobody sees the page

/// The pause (ms) after a run that took `costMs`.
export const pauseAfter = (costMs: number, hidden: boolean): number =>
  Math.max(hidden ? kHiddenMs : kLeastMs, kCostFactor * costMs);

export class Pace {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private dueMs = 0;
  private freeMs = 0;
  private busy = false;
  private again: 'no' | 'soon' | 'now' = 'no';

  /// `work` never fails; it returns how long (ms) to pause at least.
  constructor(private readonly work: () => Promise<number>) {}

  /// Runs after the pause; what is asked for meanwhile is one run.
  soon(): void {
    this.ask('soon');
  }

  /// Runs without a pause, as soon as the present run has ended.
  now(): void {
    this.ask('now');
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.again = 'no';
  }

  private ask(when: 'soon' | 'now'): void {
    if (this.busy) {
      if (this.again !== 'now') this.again = when;
      return;
    }
    const dueMs = when === 'now' ? 0 : this.freeMs;
    if (this.timer !== undefined && this.dueMs <= dueMs) return;
    clearTimeout(this.timer);
    this.dueMs = dueMs;
    this.timer = setTimeout(() => void this.run(), Math.max(0, dueMs - performance.now()));
  }

  private async run(): Promise<void> {
    this.timer = undefined;
    this.busy = true;
    this.again = 'no';
    const begunMs = performance.now();
    const leastMs = await this.work();
    await new Promise((drawn) => setTimeout(drawn)); // what has changed is drawn first: it counts too
    const endMs = performance.now();
    this.freeMs = endMs + Math.max(leastMs, pauseAfter(endMs - begunMs, document.hidden));
    this.busy = false;
    if (this.again !== 'no') this.ask(this.again);
  }
}
