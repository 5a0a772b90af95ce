// Calls without a word between them stand as one row, so that what the agent said stays in sight.
import type { Entry, Tool } from './entries.ts';

const kMany = 4;

/// A run of calls becomes a list of them. What has failed or still runs stands alone, and with `live` also the calls at
/// the end, which somebody may be watching.
export function grouped(entries: Entry[], live: boolean): (Entry | Tool[])[] {
  const groups: (Entry | Tool[])[] = [];
  let run: Tool[] = [];
  const close = (fold: boolean) => {
    groups.push(...(fold && run.length >= kMany ? [run] : run));
    run = [];
  };
  for (const entry of entries) {
    if (entry.kind === 'tool' && !entry.failed && (entry.result !== null || entry.todo)) {
      run.push(entry);
    } else {
      close(true);
      groups.push(entry);
    }
  }
  close(!live);
  return groups;
}

/// "5 Bash, 2 Edit": the most frequent first.
export function namesOf(calls: Tool[]): string {
  const counts = new Map<string, number>();
  for (const { name } of calls) counts.set(name, (counts.get(name) ?? 0) + 1);
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  return sorted.map(([name, count]) => `${count} ${name}`).join(', ');
}
