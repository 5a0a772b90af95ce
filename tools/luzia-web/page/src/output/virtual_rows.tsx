// Rows of equal height of which only those in sight are in the document. Positions are set through the style object
// (CSSOM), which the page's policy allows; style attributes it does not.
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/// The rows in sight, and the row at which the scrolled space begins.
export interface Sight {
  first: number;
  count: number;
  base: number;
}

const kSparePixels = 360; // in front and behind, at least
// Rows come and go by so many: in between, those that stay do not move, and are not painted again.
const kTogether = 4;
// Browsers draw no element of over about 33 million pixels. The space holds this many rows at most; near its ends it
// moves on by half.
const kMostRows = 400_000;
const kMove = kMostRows / 2;
const kEdge = kMostRows / 20;

/// Follows which rows of `scroller` are in sight. The function returned goes to a row.
export function useSight(
  scroller: RefObject<HTMLElement | null>,
  rowHeight: number,
  moved?: () => void,
): [Sight, (row: number) => void] {
  const [sight, setSight] = useState<Sight>({ first: 0, count: 40, base: 0 });
  const base = useRef(0);
  const look = () => {
    const element = scroller.current;
    if (!element) return;
    const row = Math.floor(element.scrollTop / rowHeight);
    const move = row > kMostRows - kEdge ? kMove : base.current > 0 && row < kEdge ? -kMove : 0;
    if (move !== 0) {
      base.current += move;
      element.scrollTop -= move * rowHeight;
    }
    const first = base.current + row - move;
    const count = Math.ceil(element.clientHeight / rowHeight) + 1;
    const same = (old: Sight) => old.first === first && old.count === count && old.base === base.current;
    setSight((old) => (same(old) ? old : { first, count, base: base.current }));
    moved?.();
  };
  useLayoutEffect(() => {
    const element = scroller.current!;
    look();
    element.addEventListener('scroll', look, { passive: true });
    const watch = new ResizeObserver(look);
    watch.observe(element);
    return () => {
      element.removeEventListener('scroll', look);
      watch.disconnect();
    };
  }, [rowHeight, moved]);
  const jump = (row: number) => {
    base.current = Math.max(0, row - kMove);
    scroller.current!.scrollTop = (row - base.current) * rowHeight;
    look();
  };
  return [sight, jump];
}

const kFlightMs = 80; // after the last leap

/// Whether the rows go by too fast to be read: they have leapt by more than is in sight a moment ago. Nobody needs
/// their text then, and drawing it would hold frames up. The view is drawn again when the flight is over.
export function useFlight(sight: Sight): boolean {
  const [, redraw] = useState(0);
  const last = useRef({ first: sight.first, leapMs: -kFlightMs });
  if (Math.abs(sight.first - last.current.first) > sight.count) last.current.leapMs = performance.now();
  last.current.first = sight.first;
  const flying = performance.now() - last.current.leapMs < kFlightMs;
  useEffect(() => {
    if (!flying) return;
    const timer = setTimeout(() => redraw((n) => n + 1), kFlightMs + last.current.leapMs - performance.now());
    return () => clearTimeout(timer);
  });
  return flying;
}

interface Props {
  total: number;
  rowHeight: number;
  sight: Sight;
  row: (index: number) => ComponentChildren;
}

export function VirtualRows({ total, rowHeight, sight, row }: Props) {
  const space = useRef<HTMLDivElement>(null);
  const slice = useRef<HTMLDivElement>(null);
  const whole = (row: number) => Math.floor(row / kTogether) * kTogether;
  const spare = Math.ceil(kSparePixels / rowHeight);
  const first = Math.max(0, whole(Math.min(sight.first, total) - spare));
  const end = Math.min(total, whole(sight.first + sight.count + spare + kTogether - 1));
  useLayoutEffect(() => {
    space.current!.style.height = `${Math.min(total - sight.base, kMostRows) * rowHeight}px`;
    slice.current!.style.transform = `translateY(${(first - sight.base) * rowHeight}px)`;
  });
  const rows = [];
  for (let index = first; index < end; ++index) rows.push(row(index));
  return (
    <div class="virtual" ref={space} role="presentation">
      <div class="virtual-slice" ref={slice} role="presentation">
        {rows}
      </div>
    </div>
  );
}
