// Rows of equal height of which only those in sight are in the document. Positions are set through the style object
// (CSSOM), which the page's policy allows; style attributes it does not.
import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface Sight {
  first: number;
  count: number;
  height: number;
}

const kSpare = 12; // rows in front and behind

/// Follows which rows of `scroller` are in sight.
export function useSight(scroller: RefObject<HTMLElement | null>, rowHeight: number, moved?: () => void): Sight {
  const [sight, setSight] = useState<Sight>({ first: 0, count: 40, height: 0 });
  useLayoutEffect(() => {
    const element = scroller.current!;
    const look = () => {
      const first = Math.floor(element.scrollTop / rowHeight);
      const count = Math.ceil(element.clientHeight / rowHeight) + 1;
      setSight((old) =>
        old.first === first && old.count === count && old.height === element.clientHeight
          ? old
          : { first, count, height: element.clientHeight },
      );
      moved?.();
    };
    look();
    element.addEventListener('scroll', look, { passive: true });
    const watch = new ResizeObserver(look);
    watch.observe(element);
    return () => {
      element.removeEventListener('scroll', look);
      watch.disconnect();
    };
  }, [rowHeight, moved]);
  return sight;
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
  const first = Math.max(0, Math.min(sight.first, total) - kSpare);
  const end = Math.min(total, sight.first + sight.count + kSpare);
  useLayoutEffect(() => {
    space.current!.style.height = `${total * rowHeight}px`;
    slice.current!.style.transform = `translateY(${first * rowHeight}px)`;
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
