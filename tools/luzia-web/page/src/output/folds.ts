// Lines between `::group::NAME` and `::endgroup::`, which a click folds and unfolds. They begin folded. A group whose
// end is not loaded, because the job still prints it, is not folded; nor is any of an output that is never loaded as a
// whole, because rows that are missing would have all of it read.
import { rowsOf, type Line } from './lines.ts';
import { kMostBytes } from './window.ts';

export interface Group {
  head: number; // the line that begins it
  end: number; // the line behind its last one
}

const textOf = (line: Line): string => line.pieces[0]?.text ?? '';
const kHead = '::group::';
const kEnd = '::endgroup::';

/// What the line calls the group that it begins; null: it begins none.
export function groupName(line: Line): string | null {
  if (!textOf(line).startsWith(kHead)) return null;
  const name = line.pieces.map((piece) => piece.text).join('');
  return name.slice(kHead.length).trim() || 'group';
}

/// `size`: of the whole output.
export function groupsOf(lines: Line[], size: number): Group[] {
  if (size > kMostBytes) return [];
  const groups: Group[] = [];
  let head = -1;
  lines.forEach((line, index) => {
    const text = textOf(line);
    if (head >= 0 && text.startsWith(kEnd)) {
      groups.push({ head, end: index + 1 });
      head = -1;
    } else if (text.startsWith(kHead)) {
      head = index;
    }
  });
  return groups;
}

/// The first row of each line, and of what would follow the last. Lines of groups that are not in `open` (by the byte
/// at which they begin) have no rows.
export function rowStarts(lines: Line[], groups: Group[], open: ReadonlySet<number>, columns: number): number[] {
  const starts = [0];
  let next = 0;
  lines.forEach((line, index) => {
    while (next < groups.length && groups[next]!.end <= index) ++next;
    const group = groups[next];
    const inside = group !== undefined && index > group.head;
    const rows = index === group?.head ? 1 : inside && !open.has(lines[group.head]!.at) ? 0 : rowsOf(line, columns);
    starts.push(starts.at(-1)! + rows);
  });
  return starts;
}
