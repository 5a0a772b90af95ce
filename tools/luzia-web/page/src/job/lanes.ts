// The life of a job as lanes: when it waited in the queue, ran, called tools, waited for a person or for a limit.
import { words } from '../base/format.ts';
import type { LogEvent } from '../base/shapes.ts';

/// Where in the output of which attempt it was seen.
export interface Seen {
  attempt: number;
  byte: number;
}
export interface Span {
  from: number;
  to: number;
  tone: string;
  text: string;
  open: boolean;
  seen: Seen | null;
}
export interface Mark {
  at: number;
  tone: string;
  text: string;
  seen: Seen | null;
}
export interface Lane {
  name: string;
  spans: Span[];
  marks: Mark[];
}
export interface Lanes {
  from: number;
  to: number;
  lanes: Lane[];
}

type Open = Map<string, Span>;

const seenIn = ({ evidence }: LogEvent): Seen | null =>
  evidence.log_from === null ? null : { attempt: evidence.attempt ?? 0, byte: evidence.log_from };

class Folding {
  readonly lanes = new Map<string, Lane>();
  readonly open: Open = new Map();

  lane(name: string): Lane {
    let lane = this.lanes.get(name);
    if (!lane) this.lanes.set(name, (lane = { name, spans: [], marks: [] }));
    return lane;
  }

  begin(key: string, name: string, event: LogEvent, tone: string, text: string): void {
    if (this.open.has(key)) return;
    const span = { from: event.time_us, to: 0, tone, text, open: true, seen: seenIn(event) };
    this.open.set(key, span);
    this.lane(name).spans.push(span);
  }

  end(key: string, at: number, tone?: string, text?: string): void {
    const span = this.open.get(key);
    if (!span) return;
    span.to = at;
    span.open = false;
    if (tone) span.tone = tone;
    if (text) span.text += text;
    this.open.delete(key);
  }

  /// The attempt began before the daemon heard of it, and with that its time in the queue ended.
  attemptBegan(at: number): void {
    const attempt = this.open.get('attempt');
    const queue = this.lanes.get('Queue')?.spans.at(-1);
    if (attempt) attempt.from = Math.min(attempt.from, at);
    if (queue) queue.to = Math.min(queue.to, at);
  }

  endAll(prefix: string, at: number): void {
    for (const key of [...this.open.keys()]) if (key.startsWith(prefix)) this.end(key, at);
  }

  mark(name: string, event: LogEvent, tone: string, text: string): void {
    this.lane(name).marks.push({ at: event.time_us, tone, text, seen: seenIn(event) });
  }
}

const kDrawn = new RegExp(
  '^(Job(Queued|Retried|Parked|Unparked|Rerouted|Paused|Resumed|Ended)|Attempt(Started|Ended)|Tool(Called|Returned)|' +
    'Question(Asked|Answered|TimedOut|Cancelled)|Approval(Requested|Decided|Cancelled)|IssueDetected|AnnotationFound|' +
    'LimitReached)$',
);

/// Whether lanes show the event. Others, such as reports of progress, can be any number and need not be kept.
export const isDrawn = (event: LogEvent): boolean => kDrawn.test(event.type);

function fold(out: Folding, event: LogEvent): void {
  const { type, data, time_us: at } = event;
  switch (type) {
    case 'JobQueued':
    case 'JobRetried':
      return out.begin('queue', 'Queue', event, 'idle', 'in the queue');
    case 'AttemptStarted':
      out.end('queue', at);
      return out.begin('attempt', 'Attempts', event, 'run', `attempt ${data.attempt}`);
    case 'AttemptEnded': {
      out.end('queue', at); // it could not start
      out.endAll('tool', at);
      if (data.ended_us > 0 && data.wall_us > 0) out.attemptBegan(data.ended_us - data.wall_us);
      const bad = data.exit_code !== 0;
      const how = data.signal
        ? `, signal ${data.signal}`
        : data.exit_code === null
          ? ''
          : `, exit code ${data.exit_code}`;
      return out.end('attempt', at, bad ? 'bad' : 'good', how);
    }
    case 'ToolCalled':
      return out.begin(
        `tool ${data.call_id}`,
        'Tools',
        event,
        'tool',
        `${data.tool}${data.subject ? `: ${data.subject}` : ''}`,
      );
    case 'ToolReturned':
      return out.end(`tool ${data.call_id}`, at, data.succeeded ? undefined : 'bad');
    case 'QuestionAsked':
      return out.begin(`ask ${data.question}`, 'Person', event, 'need', 'question');
    case 'QuestionAnswered':
    case 'QuestionTimedOut':
    case 'QuestionCancelled':
      return out.end(
        `ask ${data.question}`,
        at,
        undefined,
        `, ${words(type.slice(8))}${event.actor.name ? ` by ${event.actor.name}` : ''}`,
      );
    case 'ApprovalRequested':
      return out.begin(`ask ${data.approval}`, 'Person', event, 'need', `approval of ${data.tool || data.gate}`);
    case 'ApprovalDecided':
    case 'ApprovalCancelled':
      return out.end(`ask ${data.approval}`, at, undefined, `, ${data.decision ?? 'withdrawn'}`);
    case 'JobParked':
      return out.begin('limit', 'Limit', event, 'parked', `parked: ${data.limit}`);
    case 'JobUnparked':
    case 'JobRerouted':
      return out.end('limit', at);
    case 'JobPaused':
      return out.begin('pause', 'Pause', event, 'idle', 'paused');
    case 'JobResumed':
      return out.end('pause', at);
    case 'IssueDetected':
      return out.mark(
        'Findings',
        event,
        data.severity === 'error' ? 'bad' : 'need',
        String(data.description || data.line),
      );
    case 'AnnotationFound':
      return out.mark('Findings', event, data.severity === 'error' ? 'bad' : 'need', String(data.message));
    case 'LimitReached':
      return out.mark('Limit', event, 'bad', `limit ${data.limit} reached`);
    case 'JobEnded':
      for (const key of [...out.open.keys()]) out.end(key, at);
  }
}

const kOrder = ['Queue', 'Attempts', 'Tools', 'Person', 'Limit', 'Pause', 'Findings'];

/// `now`: up to where what has not ended is drawn.
export function lanesOf(events: LogEvent[], now: number): Lanes {
  const out = new Folding();
  for (const event of events) fold(out, event);
  for (const span of out.open.values()) span.to = Math.max(now, span.from);
  const lanes = kOrder.flatMap((name) => out.lanes.get(name) ?? []);
  const last = lanes.flatMap((lane) => [...lane.spans.map((span) => span.to), ...lane.marks.map((mark) => mark.at)]);
  const from = events[0]?.time_us ?? now;
  return { from, to: Math.max(from + 1000, ...last), lanes };
}

/// Moments for the axis: round steps, at most `most` of them.
export function ticks(from: number, to: number, most: number): { at: number; text: string }[] {
  const steps = [
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200,
    14_400, 28_800, 86_400, 172_800, 604_800, 2_592_000,
  ];
  const seconds = (to - from) / 1e6;
  const step = steps.find((each) => seconds / each <= most) ?? seconds / most;
  const all = [];
  for (let at = 0; at <= seconds + step * 0.01; at += step) all.push({ at: from + at * 1e6, text: lapse(at, step) });
  return all;
}

/// "40s", "1m 20s", "1h 30m", "2d": as exact as the step.
function lapse(seconds: number, step: number): string {
  if (step < 1) return `${seconds.toFixed(step < 0.01 ? 3 : step < 0.1 ? 2 : 1)}s`;
  const parts: [string, number][] = [
    ['d', 86_400],
    ['h', 3600],
    ['m', 60],
    ['s', 1],
  ];
  let left = Math.round(seconds);
  const words = parts.flatMap(([name, size]) => {
    const many = Math.floor(left / size);
    left -= many * size;
    return many > 0 ? [`${many}${name}`] : [];
  });
  return words.slice(0, 2).join(' ') || '0s';
}
