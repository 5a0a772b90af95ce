// A job's output as a terminal would show it, read by ranges of bytes. It follows the end while that grows.
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Problem } from '../base/api.ts';
import { bytes, count } from '../base/format.ts';
import type { Issue } from '../base/shapes.ts';
import { Icon } from '../parts/icons.tsx';
import { findIn } from './find.ts';
import { rowsOf, wrapped, type Line } from './lines.ts';
import { useSight, VirtualRows } from './virtual_rows.tsx';
import { OutputWindow } from './window.ts';

const kRowHeight = 20;
const kPollMs = 1000;
const kGutter = 30; // pixels beside the text

interface Props { job: string; live: boolean; bytes: number; mark: [number, number] | null; issues: Issue[] }

/// The first row of each line, and of what would follow the last.
function rowStarts(lines: Line[], columns: number): number[] {
  const starts = [0];
  for (const line of lines) starts.push(starts.at(-1)! + rowsOf(line, columns));
  return starts;
}

/// The line that a row belongs to.
function lineOfRow(starts: number[], row: number): number {
  let [low, high] = [0, starts.length - 2];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle]! <= row) low = middle;
    else high = middle - 1;
  }
  return low;
}

/// How many characters fit into a row.
function useColumns(scroller: { current: HTMLElement | null }): number {
  const [columns, setColumns] = useState(100);
  useLayoutEffect(() => {
    const element = scroller.current!;
    const probe = element.querySelector<HTMLElement>('.term-probe')!;
    const look = () => {
      const one = probe.getBoundingClientRect().width / 100 || 8;
      setColumns(Math.max(20, Math.floor((element.clientWidth - kGutter - 8) / one)));
    };
    look();
    const watch = new ResizeObserver(look);
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  return columns;
}

export function OutputView(props: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const [shown] = useState(() => new OutputWindow(props.job));
  const [, redraw] = useState(0);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [following, setFollowing] = useState(props.mark === null);
  const [mark, setMark] = useState(props.mark);
  const columns = useColumns(scroller);
  const starts = rowStarts(shown.lines, columns);
  const total = starts.at(-1)!;
  const keep = useRef<{ byte: number } | 'end' | null>(props.mark ? null : 'end');

  const attempt = (work: Promise<unknown>) =>
    work.then(() => setProblem(null), (error) => setProblem(error as Problem)).finally(() => redraw((n) => n + 1));
  const toEnd = useCallback(() => {
    setFollowing(true);
    keep.current = 'end';
    void attempt(shown.openEnd());
  }, [shown]);
  const toByte = useCallback((byte: number, end = byte + 1) => {
    setFollowing(false);
    setMark([byte, end]);
    keep.current = { byte };
    void attempt(shown.openAt(byte));
  }, [shown]);

  useEffect(() => {
    if (props.mark) toByte(...props.mark);
    else toEnd();
  }, [props.mark?.[0], props.mark?.[1]]);

  // After new lines: stay at the end, or bring the byte into the middle.
  useLayoutEffect(() => {
    const element = scroller.current!;
    if (keep.current === 'end' && following) element.scrollTop = element.scrollHeight;
    else if (keep.current !== null && keep.current !== 'end') {
      const { byte } = keep.current;
      const line = shown.lines.findIndex((each) => each.end > byte);
      if (line >= 0) {
        element.scrollTop = starts[line]! * kRowHeight - element.clientHeight / 2;
        keep.current = null;
      }
    }
  });

  const moved = useCallback(() => {
    const element = scroller.current!;
    const below = element.scrollHeight - element.scrollTop - element.clientHeight;
    if (element.scrollTop < 400 && shown.from > 0 && shown.lines.length > 0) {
      void shown.earlier().then((added) => {
        if (added === 0) return;
        const rows = rowStarts(shown.lines.slice(0, added), columnsNow.current).at(-1)!;
        redraw((n) => n + 1);
        requestAnimationFrame(() => (element.scrollTop += rows * kRowHeight));
      }, setProblem);
    } else if (below < 400 && !shown.atEnd) {
      void grow();
    }
    setFollowing((was) => (below < 30 && shown.atEnd ? true : was && below < 30));
    keep.current = below < 30 && shown.atEnd ? 'end' : keep.current === 'end' ? null : keep.current;
  }, [shown]);
  const columnsNow = useRef(columns);
  columnsNow.current = columns;

  const grow = useCallback(async () => {
    const before = shown.lines;
    const dropped = await shown.later();
    if (dropped < 0) return;
    const rows = rowStarts(before.slice(0, dropped), columnsNow.current).at(-1)!;
    if (rows > 0 && keep.current !== 'end') scroller.current!.scrollTop -= rows * kRowHeight;
    redraw((n) => n + 1);
  }, [shown]);

  useEffect(() => {
    if (!props.live || !following) return;
    const timer = setInterval(() => document.hidden || void grow().catch(setProblem), kPollMs);
    return () => clearInterval(timer);
  }, [props.live, following, grow]);
  useEffect(() => void (props.bytes > shown.size && shown.lines.length > 0 && grow().catch(setProblem)), [props.bytes]);

  const sight = useSight(scroller, kRowHeight, moved);
  const row = (index: number) => {
    const at = lineOfRow(starts, index);
    const line = shown.lines[at]!;
    const part = index - starts[at]!;
    const lit = mark !== null && line.at < mark[1] && line.end > mark[0];
    const issue = part === 0 ? props.issues.find((each) => each.first_offset >= line.at && each.first_offset < line.end) : undefined;
    return (
      <div class={`term-row${lit ? ' lit' : ''}`} key={`${line.at}.${part}`}>
        <span class="term-margin">{issue && <Finding issue={issue} />}</span>
        <span class="term-text">
          {(wrapped(line, columns)[part] ?? []).map((piece) => <span class={piece.style || undefined}>{piece.text}</span>)}
        </span>
      </div>
    );
  };

  return (
    <section class="term" aria-label="Output">
      <OutputBar job={props.job} window={shown} live={props.live} following={following} issues={props.issues}
                 toByte={toByte} toEnd={toEnd} at={() => shown.lines[lineOfRow(starts, sight.first)]?.at ?? 0} mark={mark} />
      {problem && <p class="problem" role="alert">{problem.message} {problem.hint}</p>}
      <div class="term-scroll" ref={scroller} tabIndex={0} role="log" aria-live="off" aria-label="Lines of output">
        <span class="term-probe" aria-hidden="true">{'0'.repeat(100)}</span>
        {shown.lines.length > 0
          ? <VirtualRows total={total} rowHeight={kRowHeight} sight={sight} row={row} />
          : <p class="empty">{shown.size === 0 ? 'No output yet.' : 'Reading…'}</p>}
      </div>
      {props.live && !following && (
        <button class="chip-button term-follow" type="button" onClick={toEnd}><Icon name="down" /> Follow the end</button>
      )}
    </section>
  );
}

function Finding({ issue }: { issue: Issue }) {
  return <span class={`finding ${issue.severity}`} title={`${issue.description} ${issue.fix ?? ''}`}><Icon name="alert" /></span>;
}

interface BarProps {
  job: string; window: OutputWindow; live: boolean; following: boolean; issues: Issue[]; mark: [number, number] | null;
  toByte: (byte: number, end?: number) => void; toEnd: () => void; at: () => number;
}

function OutputBar(props: BarProps) {
  const [word, setWord] = useState('');
  const [state, setState] = useState('');
  const search = useRef(0);
  const { window: shown } = props;
  const find = async () => {
    const own = ++search.current;
    const from = props.mark ? props.mark[0] + 1 : props.at();
    setState('searching');
    const found = await findIn(props.job, word, from, (at, size) => {
      setState(`searching, ${Math.floor((at / size) * 100)} %`);
      return search.current === own;
    }).catch(() => null);
    if (search.current !== own) return;
    setState(found ? `byte ${count(found[0])}` : 'not found further down');
    if (found) props.toByte(...found);
  };
  const next = () => {
    const offsets = props.issues.map((issue) => issue.first_offset).sort((a, b) => a - b);
    const to = offsets.find((offset) => offset > (props.mark?.[0] ?? -1)) ?? offsets[0];
    if (to !== undefined) props.toByte(to);
  };
  return (
    <div class="term-bar">
      <form class="term-find" role="search" onSubmit={(event) => (event.preventDefault(), void find())}>
        <input type="search" value={word} placeholder="Find in output" aria-label="Find in output" name="find"
               onInput={(event) => setWord(event.currentTarget.value)}
               onKeyDown={(event) => event.key === 'Escape' && (++search.current, setState(''))} />
        <span class="quiet" role="status">{state}</span>
      </form>
      {props.issues.length > 0 && (
        <button class="chip-button" type="button" onClick={next}><Icon name="alert" /> Next finding</button>
      )}
      <span class="quiet term-size">{bytes(shown.size)}{props.live && props.following ? ', live' : ''}</span>
      <button class="icon-button" type="button" title="To the beginning" aria-label="To the beginning"
              onClick={() => props.toByte(0)}><Icon name="top" /></button>
      <button class="icon-button" type="button" title="To the end" aria-label="To the end" onClick={props.toEnd}>
        <Icon name="end" /></button>
    </div>
  );
}
