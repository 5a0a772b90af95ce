// The steps of a flow on one axis of time: when each could have begun, began and ended.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { nowUs } from '../base/clock.ts';
import { clock, fine } from '../base/format.ts';
import { href } from '../base/route.ts';
import type { Flow } from '../base/shapes.ts';
import { clipped, harmless } from '../base/text.tsx';
import { ticks } from '../job/lanes.ts';
import { lookOfStep } from './steps.ts';
import { waterfallOf, type StepTimes, type Waterfall } from './waterfall.ts';

const kRowHeight = 28;
const kTop = 24;
const kBar = 12;
const kLetter = 7.9; // pixels, about
const kAfter = 84; // beside the bars, for how long they took

const seconds = ([from, to]: [number, number]): string => fine((to - from) / 1e6);

/// "waited 2.0s, ran 3m 05s so far".
function told({ wait, run, open }: StepTimes): string {
  const parts = [wait && `waited ${seconds(wait)}`, run && `ran ${seconds(run)}`].filter(Boolean);
  return parts.length > 0 ? `${parts.join(', ')}${open ? ' so far' : ''}` : '';
}

export function WaterfallView({ flow }: { flow: Flow }) {
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(800);
  useLayoutEffect(() => {
    if (!frame.current) return;
    const watch = new ResizeObserver(() => setWidth(Math.max(280, frame.current!.clientWidth)));
    watch.observe(frame.current);
    return () => watch.disconnect();
  }, []);
  // While nothing waits or runs, the drawing does not change with the time.
  const all = waterfallOf(flow, flow.state === 'active' ? nowUs.value : 0);
  return (
    <section class="flow-times" aria-labelledby="times" hidden={all === null}>
      <h2 id="times">
        Time{' '}
        {all && (
          <span class="quiet plain">
            {fine((all.to - all.from) / 1e6)} since {clock(all.from)}
          </span>
        )}
      </h2>
      <div class="graph-frame" ref={frame} tabIndex={0} role="region" aria-label="Times of the steps">
        {all && <Drawing flow={flow} all={all} width={width - 18} />}
      </div>
    </section>
  );
}

function Drawing({ flow, all, width }: { flow: Flow; all: Waterfall; width: number }) {
  const left = width < 500 ? 84 : 150;
  const x = (us: number) => left + ((us - all.from) / (all.to - all.from)) * (width - left - kAfter);
  const height = kTop + all.steps.length * kRowHeight + 4;
  return (
    <svg class="lanes" width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="list" aria-label="Steps">
      <g aria-hidden="true">
        {ticks(all.from, all.to, (width - left - kAfter) / 80).map((tick) => (
          <g key={tick.at} class="tick">
            <line x1={x(tick.at)} x2={x(tick.at)} y1={kTop - 6} y2={height - 4} />
            <text x={x(tick.at)} y={12} text-anchor="middle">
              {tick.text}
            </text>
          </g>
        ))}
      </g>
      {all.steps.map((times, index) => (
        <StepRow key={times.step.name} flow={flow} times={times} y={kTop + index * kRowHeight} x={x} left={left} />
      ))}
    </svg>
  );
}

interface RowProps {
  flow: Flow;
  times: StepTimes;
  y: number;
  x: (us: number) => number;
  left: number;
}

function StepRow({ flow, times, y, x, left }: RowProps) {
  const { step, wait, run, open, asks } = times;
  const look = lookOfStep(flow, step);
  const name = harmless(step.name);
  const top = y + (kRowHeight - kBar) / 2;
  const end = run?.[1] ?? wait?.[1];
  const bar = ([from, to]: [number, number], kind: string) => (
    <rect class={kind} x={x(from)} y={top} height={kBar} rx={3} width={Math.max(3, x(to) - x(from))} />
  );
  return (
    <g role="listitem">
      <a href={href(`flows/${flow.id}`, { step: step.name })} aria-label={`${name}: ${look.word}. ${told(times)}`}>
        <title>{`${name}: ${look.word}. ${told(times)}`}</title>
        <rect class="bar-ground" x={0} y={y} width={Math.max(left, end ? x(end) + kAfter : 0)} height={kRowHeight} />
        {wait && bar(wait, `waits${asks ? ' tone-need' : ''}`)}
        {run && bar(run, `span tone-${look.tone}${open ? ' open' : ''}`)}
      </a>
      <g class="lane-words" aria-hidden="true">
        <text class="lane-name" x={0} y={y + 18}>
          {clipped(name, Math.floor((left - 12) / kLetter))}
        </text>
        <text class="lane-took" x={(end ? x(end) : left) + 7} y={y + 18}>
          {run ? seconds(run) : wait ? seconds(wait) : look.word}
        </text>
      </g>
    </g>
  );
}
