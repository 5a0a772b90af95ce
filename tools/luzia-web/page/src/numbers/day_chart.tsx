// Bars for days. Each opens its jobs. One tab stop: arrows move between the days.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { scaleOf, scaleOfTime } from './days.ts';

export interface Bar {
  day: string;
  parts: { tone: string; value: number }[]; // from below
  mark?: number; // a line that goes up to there
  words: string;
  href: string;
}

interface Props {
  title: string;
  total: string;
  bars: Bar[];
  format: (value: number) => string;
  unit?: 'count' | 'seconds';
  legend?: [tone: string, words: string][];
}

const kHeight = 132;
const kTop = 8;
const kFoot = 18;

const sumOf = (bar: Bar): number => bar.parts.reduce((sum, part) => sum + part.value, 0);

/// "26 Nov".
const shortDay = (day: string): string =>
  new Date(day).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

export function DayChart({ title, total, bars, format, unit, legend }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(400);
  const [lit, setLit] = useState<string | null>(null);
  useLayoutEffect(() => {
    const look = () => setWidth(frame.current!.clientWidth);
    look();
    const watch = new ResizeObserver(look);
    watch.observe(frame.current!);
    return () => watch.disconnect();
  }, []);
  return (
    <figure class="chart-card">
      <figcaption>
        <span class="chart-title">{title}</span>
        <span class="chart-total">{total}</span>
      </figcaption>
      <div ref={frame} class="chart-frame" onMouseLeave={() => setLit(null)}>
        <Drawing title={title} bars={bars} format={format} unit={unit} width={width} onLit={setLit} />
      </div>
      <p class="chart-words">
        {lit ??
          legend?.map(([tone, words]) => (
            <span key={tone} class="legend">
              <i class={`dot bar-${tone}`} aria-hidden="true" /> {words}
            </span>
          )) ??
          ' '}
      </p>
    </figure>
  );
}

interface DrawingProps extends Pick<Props, 'title' | 'bars' | 'format'> {
  unit: Props['unit'];
  width: number;
  onLit: (words: string | null) => void;
}

function Drawing({ title, bars, format, unit, width, onLit }: DrawingProps) {
  const highest = Math.max(...bars.map((bar) => Math.max(sumOf(bar), bar.mark ?? 0)));
  const scale = unit === 'seconds' ? scaleOfTime(highest) : scaleOf(highest, unit === 'count' ? 1 : 0);
  const most = scale.at(-1)!;
  const left = 10 + 7 * Math.max(...scale.map((value) => format(value).length));
  const foot = kHeight - kFoot;
  const y = (value: number) => foot - (value / most) * (foot - kTop);
  const slot = (width - left) / bars.length;
  const shown = bars.filter((bar) => bar.href);
  const move = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    const links = [...(event.currentTarget as Element).querySelectorAll<SVGAElement>('a')];
    links[links.indexOf(document.activeElement as unknown as SVGAElement) + by]?.focus();
    event.preventDefault();
  };
  return (
    <svg
      class="chart"
      width={width}
      height={kHeight}
      viewBox={`0 0 ${width} ${kHeight}`}
      role="group"
      aria-label={`${title} by day`}
      onKeyDown={move}>
      {scale.map((value) => (
        <g key={value} class="tick">
          <line x1={left} x2={width} y1={y(value)} y2={y(value)} />
          <text x={left - 6} y={y(value) + 4} text-anchor="end">
            {format(value)}
          </text>
        </g>
      ))}
      <Feet bars={bars} left={left} slot={slot} />
      {bars.map((bar, index) => {
        if (!bar.href) return null;
        const [x, thick] = [left + index * slot + slot * 0.14, Math.max(1.5, slot * 0.72)];
        return (
          <a
            key={bar.day}
            href={bar.href}
            aria-label={bar.words}
            tabIndex={bar === shown.at(-1) ? 0 : -1}
            onMouseEnter={() => onLit(bar.words)}
            onFocus={() => onLit(bar.words)}
            onBlur={() => onLit(null)}>
            <rect class="bar-ground" x={left + index * slot} y={kTop} width={slot} height={foot - kTop} />
            <Parts bar={bar} x={x} thick={thick} y={y} />
          </a>
        );
      })}
    </svg>
  );
}

function Parts({ bar, x, thick, y }: { bar: Bar; x: number; thick: number; y: (value: number) => number }) {
  let below = 0;
  return (
    <>
      {bar.mark !== undefined && (
        <path class="bar-mark" d={`M${x + thick / 2} ${y(0)}V${y(bar.mark)}m-3 0h6`} />
      )}
      {bar.parts.map(({ tone, value }) => {
        if (value <= 0) return null;
        const [top, foot] = [y(below + value), y(below)];
        below += value;
        return (
          <rect
            key={tone}
            class={`bar-${tone}`}
            x={x}
            y={top}
            width={thick}
            height={Math.max(1, foot - top)}
            rx={Math.min(2, thick / 3)}
          />
        );
      })}
    </>
  );
}

/// The days below the bars, as many as there is room for.
function Feet({ bars, left, slot }: { bars: Bar[]; left: number; slot: number }) {
  const every = Math.max(1, Math.ceil(58 / slot));
  return (
    <g class="tick">
      {bars.map((bar, index) =>
        (bars.length - 1 - index) % every === 0 && (index + 0.5) * slot > 16 ? (
          <text
            key={bar.day}
            x={index === bars.length - 1 ? left + (index + 1) * slot : left + (index + 0.5) * slot}
            y={kHeight - 4}
            text-anchor={index === bars.length - 1 ? 'end' : 'middle'}>
            {shortDay(bar.day)}
          </text>
        ) : null,
      )}
    </g>
  );
}
