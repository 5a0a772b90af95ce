// The rule of a schedule in words: "every 2 hours", "Monday to Friday at 07:00". What has no short words stays as it is
// written, behind "cron".

const kWeekdays = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ');
const kMonths = ' January February March April May June July August September October November December'.split(' ');
const kNamed: Record<string, string> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
};
const kUnits: Record<string, string> = { ms: 'millisecond', s: 'second', m: 'minute', h: 'hour' };

const two = (value: string): string => value.padStart(2, '0');
const listed = (words: string[]): string =>
  words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
const each = (number: number, what: string): string => (number === 1 ? `every ${what}` : `every ${number} ${what}s`);
const isNumber = (text: string): boolean => /^\d+$/.test(text);

function everyWords(rule: string): string | null {
  const [, number, unit] = /^every (\d+)(ms|s|m|h)$/.exec(rule) ?? [];
  if (!number || !unit) return null;
  const count = Number(number);
  if (unit === 'h' && count % 24 === 0) return each(count / 24, 'day');
  return each(count, kUnits[unit]!);
}

/// The name of a weekday or month by its number or its first three letters.
function nameOf(names: string[], text: string): string | null {
  if (isNumber(text)) return names[Number(text)] || null;
  return names.find((name) => name && name.slice(0, 3).toLowerCase() === text.toLowerCase()) ?? null;
}

/// "Monday to Friday, and Sunday"; null: too much for words.
function namesOf(names: string[], field: string): string | null {
  const words = field.split(',').map((part) => {
    const ends = part.split('-').map((end) => nameOf(names, end));
    return ends.length > 2 || ends.includes(null) ? null : ends.join(' to ');
  });
  return words.includes(null) ? null : listed(words as string[]);
}

/// "every hour at :15", "at 07:00 and 19:00".
function timeWords(minute: string, hour: string): string | null {
  const [, step] = /^\*\/(\d+)$/.exec(minute) ?? [];
  if (hour === '*' && (minute === '*' || step)) return each(Number(step ?? 1), 'minute');
  if (!isNumber(minute)) return null;
  const [, hours] = /^\*\/(\d+)$/.exec(hour) ?? [];
  if (hour === '*' || hours) return `${each(Number(hours ?? 1), 'hour')} at :${two(minute)}`;
  const times = hour.split(',');
  return times.every(isNumber) ? `at ${listed(times.map((time) => `${two(time)}:${two(minute)}`))}` : null;
}

function cronWords(rule: string): string | null {
  const [minute, hour, day, month, weekday, ...rest] = (kNamed[rule] ?? rule).trim().split(/\s+/);
  if (!minute || !hour || !day || !month || !weekday || rest.length > 0) return null;
  const time = timeWords(minute, hour);
  const days = day === '*' ? '' : isNumber(day) ? `day ${day}` : null;
  const months = month === '*' ? '' : namesOf(kMonths, month);
  const weekdays = weekday === '*' ? '' : namesOf(kWeekdays, weekday);
  if (time === null || days === null || months === null || weekdays === null || (days && weekdays)) return null;
  const clock = time.startsWith('at ');
  if (days) return `on ${days} of ${months || 'each month'} ${time}`;
  const when = weekdays || (clock && !months ? 'every day' : '');
  return [clock ? when : '', time, clock || !when ? '' : `on ${when}`, months ? `in ${months}` : '']
    .filter(Boolean)
    .join(' ');
}

export function ruleWords(rule: string, zone: string | null = null): string {
  const words = everyWords(rule) ?? cronWords(rule) ?? (rule.includes(' ') ? `cron ${rule}` : rule);
  return zone ? `${words} (${zone})` : words;
}
