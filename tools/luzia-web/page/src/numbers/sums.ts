// Sums of days, and the times that can be chosen.
import type { Outcome } from '../base/shapes.ts';

export const kSpans: [words: string, since: string, days: number | null][] = [
  ['7 days', '6d', 7],
  ['30 days', '29d', 30],
  ['90 days', '89d', 90],
  ['All', '', null],
];
export const kUsualSpan = '29d';

export const sum = (days: Outcome[], of: (day: Outcome) => number): number =>
  days.reduce((total, day) => total + of(day), 0);
export const tokensOf = (day: Outcome): number => day.tokens.input + day.tokens.output;
export const badOf = (day: Outcome): number => day.failed + day.timed_out + day.lost;
export const percent = (part: number, whole: number): string =>
  whole > 0 ? `${Math.round((part / whole) * 100)} %` : '–';
