// Numbers and times as people read them.

const kCounts = new Intl.NumberFormat('en');

export const count = (value: number): string => kCounts.format(value);

/// "3 jobs", "1 job".
export const counted = (value: number, what: string, several = `${what}s`): string =>
  `${count(value)} ${value === 1 ? what : several}`;

/// "0s", "42s", "3m 05s", "2h 05m", "3d 4h".
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return `${whole}s`;
  const two = (value: number) => String(value).padStart(2, '0');
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${two(whole % 60)}s`;
  if (whole < 86_400) return `${Math.floor(whole / 3600)}h ${two(Math.floor(whole / 60) % 60)}m`;
  return `${Math.floor(whole / 86_400)}d ${Math.floor(whole / 3600) % 24}h`;
}

/// As duration(), with milliseconds of what is short.
export const fine = (seconds: number): string =>
  seconds < 1
    ? `${seconds > 0 && seconds < 0.0005 ? '<1' : Math.max(0, Math.round(seconds * 1000))} ms`
    : seconds < 10
      ? `${seconds.toFixed(1)}s`
      : duration(seconds);

/// "now", "5m", "2h", "3d": for how long ago something was.
export function roughly(seconds: number): string {
  if (seconds < 45) return `${Math.max(0, Math.round(seconds))}s`;
  if (seconds < 3600) return `${Math.max(1, Math.round(seconds / 60))}m`;
  if (seconds < 86_400) return `${Math.round(seconds / 3600)}h`;
  return `${Math.round(seconds / 86_400)}d`;
}

/// "12k" for tokens.
export function short(value: number): string {
  if (value < 1000) return String(value);
  if (value < 999_500) return `${(value / 1000).toFixed(value < 9950 ? 1 : 0)}k`;
  return `${(value / 1e6).toFixed(value < 9.95e6 ? 1 : 0)}M`;
}

export function bytes(value: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  let shown = value;
  while (shown >= 1024 && unit < units.length - 1) {
    shown /= 1024;
    ++unit;
  }
  return unit === 0 ? counted(value, 'byte') : `${shown.toFixed(shown < 10 ? 1 : 0)} ${units[unit]}`;
}

export const usd = (value: number): string => `$${value.toFixed(value < 0.1 ? 4 : 2)}`;

const two = (value: number, digits = 2) => String(value).padStart(digits, '0');

/// "14:05:09", local.
export function clock(us: number, parts: 'minute' | 'second' | 'milli' = 'second'): string {
  const date = new Date(us / 1000);
  const minute = `${two(date.getHours())}:${two(date.getMinutes())}`;
  if (parts === 'minute') return minute;
  const second = `${minute}:${two(date.getSeconds())}`;
  return parts === 'second' ? second : `${second}.${two(date.getMilliseconds(), 3)}`;
}

/// "2026-11-26", local.
export function day(us: number): string {
  const date = new Date(us / 1000);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/// The clock of today, with the day in front of another day's.
export function when(us: number, nowUs: number, parts: 'minute' | 'second' = 'minute'): string {
  return day(us) === day(nowUs) ? clock(us, parts) : `${day(us)} ${clock(us, parts)}`;
}

/// Microseconds since 1970 of a time as the API writes it: Date knows milliseconds alone.
export const usOf = (time: string): number => Date.parse(time) * 1000 + Number(/\.\d{3}(\d{3})/.exec(time)?.[1] ?? 0);

/// A local time in full, for titles and for screen readers.
export const inFull = (us: number): string => `${day(us)} ${clock(us)}`;

/// "ToolCalled" -> "tool called", "timed_out" -> "timed out".
export const words = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
