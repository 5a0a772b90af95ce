// What the view of an output does as it is scrolled, and as the output grows.
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import type { Problem } from '../base/api.ts';
import { groupsOf, rowStarts, type Group } from './folds.ts';
import type { Line } from './lines.ts';
import { OutputWindow, type Place } from './window.ts';

export const kRowHeight = 20;
const kPollMs = 300;
const kNear = 400; // pixels from an end of what is loaded at which more is read

export interface OutputProps {
  place: Place;
  live: boolean;
  bytes: number;
  mark: [number, number] | null;
}
export interface Output {
  window: OutputWindow;
  starts: number[];
  groups: ReadonlyMap<number, Group>; // by the line that begins it
  isOpen: (line: Line) => boolean;
  toggle: (line: Line) => void;
  mark: [number, number] | null;
  following: boolean;
  ready: boolean;
  problem: Problem | null;
  moved: () => void;
  toEnd: () => void;
  toTop: () => void;
  toByte: (byte: number, end?: number) => void;
}

/// The line that a row belongs to.
export function lineOfRow(starts: number[], row: number): number {
  let [low, high] = [0, Math.max(0, starts.length - 2)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle]! <= row) low = middle;
    else high = middle - 1;
  }
  return low;
}

/// Where the view is to stand once new lines are drawn: at the end, at a byte, so many rows further, or as it is.
type Target = { at: 'end' } | { at: 'byte'; byte: number } | { at: 'rows'; rows: number } | null;

class Following {
  following: boolean;
  ready = false;
  problem: Problem | null = null;
  target: Target = null;
  columns = 100;
  open: ReadonlySet<number> = new Set(); // groups, by the byte at which they begin
  readonly window: OutputWindow;
  mark: [number, number] | null;

  constructor(
    place: Place,
    mark: [number, number] | null,
    private readonly scroller: RefObject<HTMLElement>,
    private readonly redraw: () => void,
  ) {
    this.window = new OutputWindow(place);
    this.mark = mark;
    this.following = mark === null;
  }

  toEnd = (): void => {
    this.following = true;
    this.run(this.window.openEnd(), () => (this.target = { at: 'end' }));
  };

  toByte = (byte: number, end = byte + 1): void => {
    this.following = false;
    this.mark = [byte, end];
    this.run(this.window.openAt(byte), () => {
      this.unfold(byte, end);
      this.target = { at: 'byte', byte };
    });
  };

  toggle = (line: Line): void => {
    const open = new Set(this.open);
    if (!open.delete(line.at)) open.add(line.at);
    this.open = open;
    this.following = false;
    this.redraw();
  };

  toTop = (): void => {
    this.following = false;
    this.mark = null;
    this.run(this.window.openAt(0), () => (this.target = { at: 'byte', byte: 0 }));
  };

  grow = (): void => {
    const before = this.window.lines;
    this.run(this.window.later(), (dropped) => {
      if (this.following) this.target = { at: 'end' };
      else if (dropped > 0) this.target = { at: 'rows', rows: -this.rows(before, dropped) };
    });
  };

  /// After scrolling: reads what comes near, and notes whether the end is in sight.
  moved = (): void => {
    const element = this.scroller.current;
    if (!element || !this.ready || this.target) return;
    const below = element.scrollHeight - element.scrollTop - element.clientHeight;
    if (element.scrollTop < kNear && this.window.from > 0) {
      this.run(this.window.earlier(), (added) => {
        if (!this.following) this.target = { at: 'rows', rows: this.rows(this.window.lines, added) };
        else this.target = { at: 'end' };
      });
    } else if (below < kNear && !this.window.atEnd) this.grow();
    const following = below < 30 && this.window.atEnd;
    if (following !== this.following) {
      this.following = following;
      this.redraw();
    }
  };

  /// Moves to the target, after the new lines are drawn.
  settle(starts: number[]): void {
    const element = this.scroller.current!;
    const target = this.target;
    this.target = null;
    if (target?.at === 'end') element.scrollTop = element.scrollHeight;
    else if (target?.at === 'rows') element.scrollTop += target.rows * kRowHeight;
    else if (target?.at === 'byte') {
      const at = this.window.lines.findIndex((each) => each.end > target.byte);
      const line = this.window.lines[at];
      // About where it is in a line of many rows.
      const into = line ? Math.max(0, target.byte - line.at) / (line.end - line.at) : 0;
      const row = line ? starts[at]! + Math.floor(into * (starts[at + 1]! - starts[at]!)) : 0;
      if (line) element.scrollTop = row * kRowHeight - element.clientHeight / 2;
    }
    // A short window may show its begin without being scrolled.
    if (target) requestAnimationFrame(this.moved);
  }

  /// Opens the groups that have these bytes.
  private unfold(byte: number, end: number): void {
    const { lines, size } = this.window;
    const having = groupsOf(lines, size).filter(
      (group) => byte < lines[group.end - 1]!.end && end > lines[group.head]!.end,
    );
    if (having.length > 0) this.open = new Set([...this.open, ...having.map((group) => lines[group.head]!.at)]);
  }

  /// The rows of the first `count` lines.
  private rows(lines: Line[], count: number): number {
    return rowStarts(lines, groupsOf(lines, this.window.size), this.open, this.columns)[count]!;
  }

  private run<T>(work: Promise<T>, done: (result: T) => void): void {
    work.then(
      (result) => {
        this.ready = true;
        this.problem = null;
        if (result === -1 || result === false) return;
        done(result);
        this.redraw();
      },
      (error) => {
        this.problem = error as Problem;
        this.redraw();
      },
    );
  }
}

export function useOutput(props: OutputProps, scroller: RefObject<HTMLElement | null>, columns: number): Output {
  const [, redraw] = useState(0);
  const [view] = useState(
    () => new Following(props.place, props.mark, scroller as RefObject<HTMLElement>, () => redraw((n) => n + 1)),
  );
  view.columns = columns;
  const { lines, size } = view.window;
  const groups = useMemo(() => groupsOf(lines, size), [lines, size]);
  const starts = useMemo(() => rowStarts(lines, groups, view.open, columns), [lines, groups, view.open, columns]);
  const byHead = useMemo(() => new Map(groups.map((group) => [group.head, group])), [groups]);
  const isOpen = (line: Line) => view.open.has(line.at);
  useEffect(() => (props.mark ? view.toByte(...props.mark) : view.toEnd()), [props.mark?.[0], props.mark?.[1]]);
  useLayoutEffect(() => view.settle(starts));
  useEffect(() => {
    // Also after the end, until all of it is here.
    const grows = () => props.live || props.bytes > view.window.size;
    if (!view.following || !grows()) return;
    const timer = setInterval(() => {
      if (!document.hidden) view.grow();
      if (!grows()) clearInterval(timer);
    }, kPollMs);
    return () => clearInterval(timer);
  }, [props.live, props.bytes, view.following]);
  const { window, mark, following, ready, problem, toggle, moved, toEnd, toTop, toByte } = view;
  const folds = { groups: byHead, isOpen, toggle };
  return { window, starts, ...folds, mark, following, ready, problem, moved, toEnd, toTop, toByte };
}
