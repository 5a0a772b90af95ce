// Readings: what a view shows of the API. Equal paths share one reading. An event that concerns it has it read again,
// as often as its pace allows, and costs nothing if nothing changed (ETag).
import { effect, signal, type Signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { moment, Problem, read } from './api.ts';
import { onEvent, startLive } from './live.ts';
import { Pace } from './pace.ts';
import type { LogEvent } from './shapes.ts';

export type Concerns = (event: LogEvent) => boolean;
export interface Shown<T> {
  value: T | null;
  problem: Problem | null;
  next: string | null;
  loading: boolean;
}

const kFailedMs = 3000; // until what failed is read again
const kKeepMs = 60_000; // how long a reading is kept that nothing shows

class Reading<T> {
  readonly shown: Signal<Shown<T>> = signal({ value: null, problem: null, next: null, loading: true });
  private etag: string | null = null;
  private users = 0;
  private readonly pace = new Pace(() => this.load());
  private moment: string | null = null;
  private stop: (() => void) | null = null;

  constructor(
    private readonly path: string,
    private readonly concerns: Concerns,
    private readonly leastMs: number,
    private readonly everyMs: number,
  ) {}

  use(): () => void {
    if (!this.path) return () => undefined;
    ++this.users;
    if (!this.stop) {
      const quiet = onEvent(
        (event) => this.users > 0 && moment.value === null && this.concerns(event) && this.pace.soon(),
      );
      const unwatch = effect(() => void (moment.value, this.users > 0 && this.pace.now()));
      const again = () => document.hidden || this.users === 0 || this.pace.soon();
      const timer = this.everyMs > 0 ? setInterval(again, this.everyMs) : undefined;
      this.stop = () => (quiet(), unwatch(), clearInterval(timer));
    } else {
      this.pace.soon();
    }
    return () => --this.users || setTimeout(() => this.release(), kKeepMs);
  }

  nowIfUsed(whole: boolean): void {
    if (whole) this.etag = null;
    if (this.users > 0) this.pace.now();
  }

  private release(): void {
    if (this.users > 0) return;
    this.pace.stop();
    this.stop?.();
    this.stop = null;
    readings.delete(this.path);
  }

  /// How long (ms) to pause at least.
  private async load(): Promise<number> {
    if (this.moment !== moment.value) {
      this.moment = moment.value;
      this.etag = null;
    }
    try {
      const answer = await read<T>(this.path, this.etag);
      if (answer) {
        this.etag = answer.etag;
        this.shown.value = { value: answer.body, problem: null, next: answer.next, loading: false };
        if (moment.value === null) startLive(answer.position);
      } else if (this.shown.value.problem || this.shown.value.loading) {
        this.shown.value = { ...this.shown.value, problem: null, loading: false };
      }
    } catch (error) {
      const problem = error instanceof Problem ? error : new Problem(String(error), -1, 'bad_answer', '');
      const value = problem.status === 404 ? null : this.shown.value.value; // removed, or not yet there at the moment
      this.shown.value = { ...this.shown.value, value, problem, loading: false };
      if (problem.status === 0 && this.users > 0) this.pace.soon();
      return kFailedMs;
    }
    return this.leastMs;
  }
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any
const readings = new Map<string, Reading<any>>();

function readingOf<T>(path: string, concerns: Concerns, leastMs: number, everyMs: number): Reading<T> {
  let reading = readings.get(path) as Reading<T> | undefined;
  if (!reading) readings.set(path, (reading = new Reading<T>(path, concerns, leastMs, everyMs)));
  return reading;
}

/// What `path` answers, kept up to date while the component is shown; an empty one answers nothing. `leastMs`: the
/// least pause between two readings. `everyMs`: when it is read again at the latest, for what no event announces.
export function useReading<T>(path: string, concerns: Concerns, leastMs = 0, everyMs = 0): Shown<T> {
  const reading = useMemo(() => readingOf<T>(path, concerns, leastMs, everyMs), [path]);
  useEffect(() => reading.use(), [reading]);
  return reading.shown.value;
}

/// Has everything that is shown read again: after a command, and when the page is looked at again. `whole`: also what
/// has not changed.
export function readAllAgain(whole = false): void {
  for (const reading of readings.values()) reading.nowIfUsed(whole);
}
