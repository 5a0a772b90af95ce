// Words in a job's output. The server searches, in requests that each end after a moment, without regard to the case of
// ASCII letters.
import { read } from '../base/api.ts';
import type { FoundLine } from '../base/shapes.ts';
import type { Place } from './window.ts';

export type Direction = 'next' | 'previous';

interface Found {
  lines: FoundLine[];
  count: number;
  reached: number;
  over: boolean;
  size: number;
}

async function ask(place: Place, query: Record<string, string | number>, signal: AbortSignal): Promise<Found> {
  const words = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]));
  if (place.attempt > 0) words.set('attempt', String(place.attempt));
  const path = `/v1/jobs/${encodeURIComponent(place.job)}/output/find?${words}`;
  return (await read<Found>(path, null, signal))!.body;
}

/// The nearest line at or after byte `from`, or before it; null: none in this direction. `progress` gets the byte that
/// was reached and the size of the output.
export async function findLine(
  place: Place,
  words: string,
  from: number | null,
  direction: Direction,
  signal: AbortSignal,
  progress: (at: number, size: number) => void,
): Promise<FoundLine | null> {
  for (let at = from; ; ) {
    const found = await ask(place, { words, direction, limit: 1, ...(at === null ? {} : { from: at }) }, signal);
    if (found.lines.length > 0) return found.lines[0]!;
    if (found.over) return null;
    at = found.reached;
    progress(at, found.size);
  }
}

/// How many lines have the words, so far: up to byte `reached`.
export interface Count {
  lines: number;
  reached: number;
  whole: boolean;
}

/// Counts on from where a count ended, and shows each step.
export async function countLines(
  place: Place,
  words: string,
  begun: Count,
  signal: AbortSignal,
  show: (count: Count) => void,
): Promise<void> {
  for (let count = begun; ; ) {
    const found = await ask(place, { words, limit: 0, from: count.reached }, signal);
    count = { lines: count.lines + found.count, reached: found.reached, whole: found.over };
    show(count);
    if (count.whole) return;
  }
}

const encoder = new TextEncoder();
/// Where the words of a line begin and end.
export const markOf = (line: FoundLine): [number, number] => [
  line.offset,
  line.offset + encoder.encode(line.words).length,
];
