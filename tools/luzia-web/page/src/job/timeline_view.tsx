// The timeline of a job: one lane for each thing that it can spend time on.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { moment, Problem, readAll } from '../base/api.ts';
import { nowUs } from '../base/clock.ts';
import { clock, fine } from '../base/format.ts';
import { jobOf, onEvent } from '../base/live.ts';
import { jobHref } from '../base/route.ts';
import type { LogEvent } from '../base/shapes.ts';
import { clipped, harmless } from '../base/text.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { isDrawn, lanesOf, ticks, type Lane, type Lanes, type Seen, type Span } from './lanes.ts';

const kLaneHeight = 34;
const kTop = 26;
const kHalfBar = (kLaneHeight - 16) / 2;

export function useEvents(job: string): { events: LogEvent[] | null; problem: Problem | null } {
  const [events, setEvents] = useState<LogEvent[] | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    let live = true;
    const path = `/v1/jobs/${job}/events?limit=1000`;
    void readAll<{ events: LogEvent[] }, LogEvent>(path, (body) => body.events.filter(isDrawn)).then(
      (all) => live && setEvents(all),
      setProblem,
    );
    const stop = onEvent((event) => {
      if (moment.value === null && jobOf(event) === job && isDrawn(event)) {
        setEvents((old) => (old && (old.at(-1)?.position ?? 0) < event.position ? [...old, event] : old));
      }
    });
    return () => ((live = false), stop());
  }, [job, moment.value]);
  return { events, problem };
}

export function TimelineView({ job }: { job: string }) {
  const { events, problem } = useEvents(job);
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(800);
  const [lit, setLit] = useState<string>('');
  useLayoutEffect(() => {
    if (!frame.current) return;
    const watch = new ResizeObserver(() => setWidth(Math.max(280, frame.current!.clientWidth)));
    watch.observe(frame.current);
    return () => watch.disconnect();
  }, [events !== null]);
  if (!events) return <Trouble problem={problem} loading={problem === null} />;
  const drawn = lanesOf(events, nowUs.value);
  return (
    <div class="timeline" ref={frame}>
      <Drawing drawn={drawn} width={width} job={job} onLit={setLit} />
      <p class="timeline-lit" aria-live="polite">
        {lit ||
          `${clock(drawn.from)}, ${fine((drawn.to - drawn.from) / 1e6)} in all. ` +
            'Point at a bar, or step through them with Tab.'}
      </p>
      <Sums drawn={drawn} />
    </div>
  );
}

interface DrawingProps {
  drawn: Lanes;
  width: number;
  job: string;
  onLit: (text: string) => void;
}

function Drawing({ drawn, width, job, onLit }: DrawingProps) {
  const left = width < 500 ? 66 : 84;
  const x = (us: number) => left + ((us - drawn.from) / (drawn.to - drawn.from)) * (width - left - 14);
  const height = kTop + drawn.lanes.length * kLaneHeight + 6;
  return (
    <svg
      class="lanes"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="group"
      aria-label="Timeline">
      {ticks(drawn.from, drawn.to, width / 90).map((tick) => (
        <g key={tick.at} class="tick">
          <line x1={x(tick.at)} x2={x(tick.at)} y1={kTop - 6} y2={height - 4} />
          <text
            x={x(tick.at)}
            y={13}
            text-anchor={x(tick.at) > width - 40 ? 'end' : x(tick.at) < left + 20 ? 'start' : 'middle'}>
            {tick.text}
          </text>
        </g>
      ))}
      {drawn.lanes.map((lane, index) => (
        <LaneRow
          key={lane.name}
          lane={lane}
          y={kTop + index * kLaneHeight}
          x={x}
          width={width}
          job={job}
          onLit={onLit}
        />
      ))}
    </svg>
  );
}

interface LaneProps {
  lane: Lane;
  y: number;
  x: (us: number) => number;
  width: number;
  job: string;
  onLit: (text: string) => void;
}

const told = (lane: string, span: Span): string =>
  `${lane}: ${clipped(harmless(span.text), 160)}, ${clock(span.from)}, ${fine((span.to - span.from) / 1e6)}` +
  (span.open ? ' so far' : '');

function LaneRow({ lane, y, x, width, job, onLit }: LaneProps) {
  const link = (seen: Seen | null) => (seen === null ? jobHref(job, 'why') : jobHref(job, 'output', { ...seen }));
  return (
    <g>
      <line class="lane-line" x1={0} x2={width} y1={y + kLaneHeight - 0.5} y2={y + kLaneHeight - 0.5} />
      <text class="lane-name" x={0} y={y + 21}>
        {lane.name}
      </text>
      {lane.spans.map((span, index) => (
        <a
          key={index}
          href={link(span.seen)}
          aria-label={told(lane.name, span)}
          onMouseEnter={() => onLit(told(lane.name, span))}
          onFocus={() => onLit(told(lane.name, span))}>
          <rect
            class={`span tone-${span.tone}${span.open ? ' open' : ''}`}
            x={x(span.from)}
            y={y + 8}
            height={kLaneHeight - 16}
            rx={3}
            width={Math.max(3, x(span.to) - x(span.from))}
          />
        </a>
      ))}
      {lane.marks.map((mark, index) => {
        const text = `${lane.name}: ${clipped(harmless(mark.text), 160)}, ${clock(mark.at)}`;
        return (
          <a
            key={`m${index}`}
            href={link(mark.seen)}
            aria-label={text}
            onMouseEnter={() => onLit(text)}
            onFocus={() => onLit(text)}>
            <path
              class={`lane-mark tone-${mark.tone}`}
              d={`M${x(mark.at)} ${y + 8}l7 ${kHalfBar}l-7 ${kHalfBar}l-7 ${-kHalfBar}z`}
            />
          </a>
        );
      })}
    </g>
  );
}

/// The same as sums, which also a screen reader reads.
function Sums({ drawn }: { drawn: Lanes }) {
  const sum = (lane: Lane) => lane.spans.reduce((all, span) => all + span.to - span.from, 0) / 1e6;
  return (
    <dl class="sums">
      {drawn.lanes.map((lane) => (
        <div key={lane.name}>
          <dt>{lane.name}</dt>
          <dd>
            {lane.spans.length > 0 ? (
              <>
                {fine(sum(lane))} <span class="quiet">in {lane.spans.length}</span>
              </>
            ) : (
              lane.marks.length
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
