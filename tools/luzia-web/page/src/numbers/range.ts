// Which jobs the numbers are about, as words of the API and of the filter of jobs.
import { wordFor } from '../base/filter.ts';
import { href } from '../base/route.ts';
import { dayOf, midnight, nextDay } from './days.ts';

export interface Range {
  since: string; // empty: all time
  project: string; // empty: all
}

export function queryOf(range: Range, more: Record<string, string>): string {
  const query = new URLSearchParams(more);
  if (range.since) query.set('since', range.since);
  if (range.project) query.set('project', range.project);
  return query.toString();
}

/// The range from the first moment whose ends are counted: sums are of whole days.
export function countedOf(range: Range, nowUs: number): Range {
  const days = /^(\d+)d$/.exec(range.since)?.[1];
  return days ? { ...range, since: midnight(dayOf(nowUs - Number(days) * 86_400e6)) } : range;
}

/// The list of the jobs that ended in the range; `more`: further words of its filter.
export function jobsHref(range: Range, more: string): string {
  const words = [more];
  if (range.project && !/(^| )project:/.test(more)) words.push(wordFor('project', range.project));
  if (range.since) words.push(wordFor('ended-since', range.since));
  return href('jobs', { q: words.filter(Boolean).join(' ') });
}

/// The same of one day.
export const dayHref = (range: Range, day: string): string =>
  jobsHref({ ...range, since: midnight(day) }, wordFor('ended-before', midnight(nextDay(day))));
