// Days, as sums of days are kept: from midnight to midnight UTC.

const kDayMs = 86_400_000;
const kMostDays = 366;

const iso = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/// The day after.
export const nextDay = (day: string): string => iso(Date.parse(day) + kDayMs);

/// All days up to `today` for rows that have some: `days` of them, or since the first row if that is null.
export function daysUpTo(today: string, days: number | null, keys: string[]): string[] {
  const last = Date.parse(today);
  const first = [...keys].sort()[0];
  const wanted = days ?? (first ? Math.round((last - Date.parse(first)) / kDayMs) + 1 : 7);
  const shown = Math.min(kMostDays, Math.max(7, wanted));
  return Array.from({ length: shown }, (_, index) => iso(last - (shown - 1 - index) * kDayMs));
}

/// A day's first moment, as the filters of jobs take it.
export const midnight = (day: string): string => `${day}T00:00:00Z`;

export const dayOf = (us: number): string => iso(us / 1000);

/// Up to four round values from 0 to at least `most`, with at least `least` between them.
export function scaleOf(most: number, least = 0): number[] {
  if (!(most > 0)) return [0, 1];
  const rough = Math.max(most / 3, least);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough * (1 - 1e-9))!;
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, index) => index * step);
}

const kSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400];

/// As scaleOf(), for seconds: steps of whole minutes, hours and days.
export function scaleOfTime(most: number): number[] {
  const rough = most / 3;
  const step = kSteps.find((each) => each >= rough) ?? Math.ceil(rough / 86_400) * 86_400;
  if (most < 1) return scaleOf(most);
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, index) => index * step);
}
