// Which jobs the numbers are about, as words of the API and of the filter of jobs.
import { wordFor } from '../base/filter.ts';
import { href } from '../base/route.ts';

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

/// The list of these jobs; `more`: further words of its filter.
export function jobsHref(range: Range, more: string): string {
  const words = [more];
  if (range.project && !/(^| )project:/.test(more)) words.push(wordFor('project', range.project));
  if (range.since) words.push(`since:${range.since}`);
  return href('jobs', { q: words.filter(Boolean).join(' ') });
}
