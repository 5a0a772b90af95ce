// Above an output: find a word, the next finding, the ends.
import { useEffect, useState } from 'preact/hooks';
import type { Problem } from '../base/api.ts';
import { bytes, count, counted } from '../base/format.ts';
import type { FoundLine, Issue } from '../base/shapes.ts';
import { Icon, type IconName } from '../parts/icons.tsx';
import { countLines, findLine, markOf, type Count, type Direction } from './find.ts';
import type { Output } from './use_output.ts';
import type { Place } from './window.ts';

interface Props {
  out: Output;
  place: Place;
  live: boolean;
  issues: Issue[];
  top: () => number;
}

export function OutputBar({ out, place, live, issues, top }: Props) {
  const next = () => {
    const offsets = issues.map((issue) => issue.first_offset).sort((a, b) => a - b);
    const to = offsets.find((offset) => offset > (out.mark?.[0] ?? -1)) ?? offsets[0];
    if (to !== undefined) out.toByte(to);
  };
  return (
    <div class="term-bar">
      <Find out={out} place={place} live={live} top={top} />
      {issues.length > 0 && (
        <button class="chip-button" type="button" onClick={next}>
          <Icon name="alert" /> Next finding
        </button>
      )}
      <span class="quiet term-size">
        {bytes(out.window.size)}
        {live && out.following ? ', live' : ''}
      </span>
      <button
        class="icon-button"
        type="button"
        title="To the beginning"
        aria-label="To the beginning"
        onClick={out.toTop}>
        <Icon name="top" />
      </button>
      <button class="icon-button" type="button" title="To the end" aria-label="To the end" onClick={out.toEnd}>
        <Icon name="end" />
      </button>
    </div>
  );
}

/// One search at a time: a new one, Escape and Stop end the one before.
class Finder {
  word = '';
  problem = '';
  progress: number | null = null;
  line: FoundLine | null = null;
  missing = false;
  count: Count | null = null;
  busy = false;
  private own = new AbortController();

  constructor(private readonly changed: () => void) {}

  stop = (): void => {
    this.own.abort();
    this.busy = false;
    this.progress = null;
    this.changed();
  };

  async find(place: Place, word: string, direction: Direction, from: number | null): Promise<FoundLine | null> {
    this.own.abort();
    const { signal } = (this.own = new AbortController());
    if (word !== this.word) this.count = null;
    Object.assign(this, { word, problem: '', missing: false, busy: true, progress: null, line: null });
    this.changed();
    const progress = (at: number, size: number) => {
      if (signal.aborted) return;
      this.progress = Math.round((Math.min(at, size) / Math.max(1, size)) * 100);
      this.changed();
    };
    try {
      let line = await findLine(place, word, from, direction, signal, progress);
      // To the end, then on from the other one.
      const all = from === null || (direction === 'next' && from === 0);
      if (!line && !all) line = await findLine(place, word, null, direction, signal, progress);
      if (signal.aborted) return null;
      Object.assign(this, { line, missing: !line, busy: line !== null, progress: null });
      this.changed();
      if (line) void this.countOn(place, signal);
      return line;
    } catch (error) {
      this.fail(error, signal);
      return null;
    }
  }

  private async countOn(place: Place, signal: AbortSignal): Promise<void> {
    try {
      await countLines(place, this.word, this.count ?? { lines: 0, reached: 0, whole: false }, signal, (count) => {
        if (signal.aborted) return;
        this.count = count;
        this.busy = !count.whole;
        this.changed();
      });
    } catch (error) {
      this.fail(error, signal);
    }
  }

  private fail(error: unknown, signal: AbortSignal): void {
    if (signal.aborted) return;
    this.busy = false;
    this.problem = (error as Problem).message;
    this.changed();
  }
}

/// What the search says: where it is, and how many lines it knows.
function saying(finder: Finder, live: boolean): string {
  if (finder.problem) return finder.problem;
  if (finder.missing) return 'not found';
  if (!finder.line) return finder.busy ? `searching${finder.progress === null ? '' : `, ${finder.progress} %`}` : '';
  const counted = finder.count ? `, ${linesKnown(finder.count, live)}` : '';
  return `byte ${count(finder.line.offset)}${counted}`;
}

const linesKnown = (known: Count, live: boolean): string =>
  `${counted(known.lines, 'line')}${known.whole && !live ? '' : ' so far'}`;

function Find({ out, place, live, top }: Omit<Props, 'issues'>) {
  const [word, setWord] = useState('');
  const [, redraw] = useState(0);
  const [finder] = useState(() => new Finder(() => redraw((n) => n + 1)));
  useEffect(() => finder.stop, []);
  const find = async (direction: Direction) => {
    if (!word) return;
    const here = out.mark?.[0];
    const ahead = here === finder.line?.offset && finder.line ? finder.line.end : (here ?? -1) + 1;
    const next = here !== undefined ? ahead : out.following ? 0 : top();
    const line = await finder.find(
      place,
      word,
      direction,
      direction === 'next' ? next : (here ?? (out.following ? null : top())),
    );
    if (line) out.toByte(...markOf(line));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') finder.stop();
    if (event.key !== 'Enter' || event.isComposing) return;
    event.preventDefault();
    void find(event.shiftKey ? 'previous' : 'next');
  };
  return (
    <form class="term-find" role="search" onSubmit={(event) => (event.preventDefault(), void find('next'))}>
      <input
        type="search"
        value={word}
        maxLength={256}
        placeholder="Find in output"
        aria-label="Find in output"
        name="find"
        onInput={(event) => setWord(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <FindButton icon="up" label="Previous line (Shift+Enter)" onClick={() => void find('previous')} />
      <FindButton icon="down" label="Next line (Enter)" onClick={() => void find('next')} />
      {finder.busy && <FindButton icon="close" label="Stop the search (Esc)" onClick={finder.stop} />}
      <span class="quiet" role="status">
        {saying(finder, live)}
      </span>
    </form>
  );
}

function FindButton({ icon, label, onClick }: { icon: IconName; label: string; onClick: () => void }) {
  return (
    <button class="icon-button" type="button" title={label} aria-label={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}
