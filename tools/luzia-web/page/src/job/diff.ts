// Unified diffs, as git prints them.

export interface DiffLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
  old: number | null;
  now: number | null;
}
export interface Hunk {
  head: string;
  lines: DiffLine[];
}
export interface FileDiff {
  path: string;
  change: 'changed' | 'added' | 'removed' | 'renamed';
  binary: boolean;
  hunks: Hunk[];
  added: number;
  removed: number;
}

const kHunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)$/;

/// The name behind a/ or b/, without git's quotes.
function nameOf(text: string): string {
  const bare = text.startsWith('"') ? unquoted(text) : text.replace(/\t$/, '');
  return bare.replace(/^[ab]\//, '');
}

function unquoted(text: string): string {
  const bytes: number[] = [];
  for (const found of text.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\])/gu)) {
    if (found[1]) bytes.push(parseInt(found[1], 8));
    else bytes.push(...new TextEncoder().encode(found[2] ? ({ n: '\n', t: '\t' }[found[2]] ?? found[2]) : found[3]!));
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

export function diffsOf(text: string): FileDiff[] {
  const files: FileDiff[] = [];
  let file: FileDiff | undefined;
  let [oldLeft, newLeft, old, now] = [0, 0, 0, 0];
  for (const line of text.split('\n')) {
    if (file && (oldLeft > 0 || newLeft > 0)) {
      const lines = file.hunks.at(-1)!.lines;
      const mark = line[0];
      if (mark === '\\') continue;
      const kind = mark === '+' ? 'added' : mark === '-' ? 'removed' : 'same';
      lines.push({
        kind,
        text: line.slice(1),
        old: kind === 'added' ? null : old,
        now: kind === 'removed' ? null : now,
      });
      if (kind !== 'added') (++old, --oldLeft);
      if (kind !== 'removed') (++now, --newLeft);
      if (kind === 'added') ++file.added;
      if (kind === 'removed') ++file.removed;
      continue;
    }
    const hunk = kHunk.exec(line);
    if (hunk && file) {
      [old, oldLeft, now, newLeft] = [Number(hunk[1]), Number(hunk[2] ?? 1), Number(hunk[3]), Number(hunk[4] ?? 1)];
      file.hunks.push({ head: line, lines: [] });
    } else if (line.startsWith('diff --git ')) {
      file = {
        path: nameOf(line.slice(11).split(' b/').pop() ?? ''),
        change: 'changed',
        binary: false,
        hunks: [],
        added: 0,
        removed: 0,
      };
      files.push(file);
    } else if (file) header(file, line);
  }
  return files;
}

function header(file: FileDiff, line: string): void {
  if (line.startsWith('new file')) file.change = 'added';
  else if (line.startsWith('deleted file')) file.change = 'removed';
  else if (line.startsWith('rename to ')) [file.change, file.path] = ['renamed', nameOf(line.slice(10))];
  else if (line.startsWith('Binary files') || line.startsWith('GIT binary')) file.binary = true;
  else if (line.startsWith('--- ') && !line.endsWith('/dev/null')) file.path = nameOf(line.slice(4));
  else if (line.startsWith('+++ ') && !line.endsWith('/dev/null')) file.path = nameOf(line.slice(4));
}

/// A row with the old line on the left and the new one on the right; null: nothing there.
export interface Sides {
  left: DiffLine | null;
  right: DiffLine | null;
}

/// The lines side by side: removed lines beside those that were added in their place.
export function sidesOf(lines: DiffLine[]): Sides[] {
  const rows: Sides[] = [];
  let [removed, added]: [DiffLine[], DiffLine[]] = [[], []];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); ++at)
      rows.push({ left: removed[at] ?? null, right: added[at] ?? null });
    [removed, added] = [[], []];
  };
  for (const line of lines) {
    if (line.kind === 'removed' && added.length > 0) flush();
    if (line.kind === 'removed') removed.push(line);
    else if (line.kind === 'added') added.push(line);
    else {
      flush();
      rows.push({ left: line, right: line });
    }
  }
  flush();
  return rows;
}
