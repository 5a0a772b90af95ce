// What a row says about its schedule: when it is due, how its last due time and its jobs went.
import { clock, count, day, roughly, usOf, when, words } from '../base/format.ts';
import type { Schedule } from '../base/shapes.ts';

const kSixDays = 6 * 86_400e6;
const kNever = 2e17; // microseconds: a rule whose time never comes again

export const isOn = (schedule: Schedule): boolean => !schedule.paused_at && !schedule.dropped_at;

/// Those that are due first, then the paused ones.
export const inOrder = (schedules: Schedule[]): Schedule[] =>
  [...schedules].sort(
    (a, b) => Number(isOn(b)) - Number(isOn(a)) || (a.next_us ?? 0) - (b.next_us ?? 0) || (a.name < b.name ? -1 : 1),
  );

/// "in 3h", "paused".
export function dueWords(schedule: Schedule, now: number): string {
  if (schedule.dropped_at) return 'not configured any more';
  if (schedule.paused_at) return 'paused';
  if (schedule.waiting_at) return 'after its last job';
  const us = schedule.next_us ?? 0;
  if (us === 0 || us > kNever) return 'never again';
  return us <= now ? 'now' : `in ${roughly((us - now) / 1e6)}`;
}

/// "07:00", "Mon 07:00", "2026-12-24 07:00"; empty: there is none.
export function dueTime(schedule: Schedule, now: number): string {
  const us = schedule.next_us ?? 0;
  if (!isOn(schedule) || schedule.waiting_at || us === 0 || us > kNever) return '';
  if (day(us) === day(now) || us - now > kSixDays) return when(us, now);
  return `${new Date(us / 1000).toLocaleDateString('en-GB', { weekday: 'short' })} ${clock(us, 'minute')}`;
}

/// Who has paused it, and why.
export const pauseWords = ({ paused_by, pause_note }: Schedule): string =>
  `Paused${paused_by ? ` by ${paused_by}` : ''}${pause_note ? `: ${pause_note}` : ''}. Due times are skipped.`;

/// What happened at the last due time, or when a person let it run.
export function lastWords(schedule: Schedule, now: number): string {
  if (!schedule.last_at) return 'It has not run yet.';
  const ago = `${roughly((now - usOf(schedule.last_at)) / 1e6)} ago`;
  switch (schedule.last_outcome) {
    case 'dispatched':
      return `Last job, ${ago}: ${words(schedule.last_state ?? 'dispatched')}`;
    case 'waits':
      return `Due ${ago}: waits for the end of its last job.`;
    case 'skipped_overlap':
      return `Skipped ${ago}: its last job had not ended.`;
    case 'skipped_missed':
      return `Missed ${ago}: it was due while no daemon ran, or the machine slept.`;
    case 'refused':
      return `No job ${ago}: ${schedule.note ?? 'it was refused'}`;
    default:
      return `Last due time: ${ago}`;
  }
}

const kBad = new Set(['failed', 'timed_out', 'lost']);
export const isBad = (schedule: Schedule): boolean =>
  schedule.last_outcome === 'refused' || kBad.has(schedule.last_state ?? '');

/// "12 completed, 1 failed, 3 missed"; empty: nothing yet.
export const sumWords = (schedule: Schedule): string =>
  (
    [
      [schedule.completed, 'completed'],
      [schedule.failed, 'failed'],
      [schedule.skipped_missed, 'missed'],
      [schedule.skipped_overlap, 'skipped'],
      [schedule.refused, 'refused'],
    ] as const
  )
    .filter(([number]) => number > 0)
    .map(([number, what]) => `${count(number)} ${what}`)
    .join(', ');
