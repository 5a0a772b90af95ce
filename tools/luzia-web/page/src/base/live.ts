// The stream of events. It begins after the position of the first answer, and continues where it was cut: no event is
// missed or shown twice.
import { request, silentSince, unpaired } from './api.ts';
import type { LogEvent } from './shapes.ts';

type Listener = (event: LogEvent) => void;

// A stream that says nothing for this long is cut: the server sends a sign of life every 15 s.
const kSilenceMs = 45_000;
const kPauseMs = 1000;
const kRenewMs = 45_000; // while a person looks
const kIdleMs = 5 * 60_000;

const listeners = new Set<Listener>();
let stream: AbortController | null = null;
let position = 0;
let pauseMs = kPauseMs;
let usedMs = Date.now();

export function onEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/// Begins after `from` unless it has begun.
export function startLive(from: number): void {
  if (stream || from === 0) return;
  position = Math.max(position, from);
  connect();
}

export function stopLive(): void {
  stream?.abort();
  stream = null;
}

function connect(): void {
  const own = new AbortController();
  stream = own;
  const seen = looked();
  const renewal = setTimeout(() => stream === own && seen && renew(), kRenewMs);
  follow(own)
    .catch(() => undefined)
    .then(() => {
      clearTimeout(renewal);
      if (stream !== own) return;
      stream = null;
      silentSince.value ??= Date.now();
      setTimeout(() => stream ?? (unpaired.value || connect()), pauseMs);
      pauseMs = Math.min(pauseMs * 2, 15_000);
    });
}

/// Whether a person looks at this page: it is visible, and was used a short while ago.
const looked = () => !document.hidden && Date.now() - usedMs < kIdleMs;

/// The stream says whether a person looks, because the server then sends them no pushes. It counts that for a minute.
function renew(): void {
  if (!stream) return;
  stopLive();
  connect();
}

function used(): void {
  const before = looked();
  usedMs = Date.now();
  if (!before && looked()) renew();
}

for (const type of ['pointermove', 'pointerdown', 'keydown', 'wheel', 'touchstart'])
  addEventListener(type, used, { capture: true, passive: true });
addEventListener('visibilitychange', renew);

/// Ends with the stream. Not an EventSource, which sends no header of ours and waits for a cut connection forever.
async function follow(own: AbortController): Promise<void> {
  const wait = <T>(what: Promise<T>): Promise<T> => {
    const silence = setTimeout(() => own.abort(), kSilenceMs);
    return what.finally(() => clearTimeout(silence));
  };
  const headers = { accept: 'text/event-stream' };
  const path = `/v1/events?live=1&seen=${looked() ? 1 : 0}&since=${position}`;
  const response = await wait(request(path, { headers, signal: own.signal }));
  pauseMs = kPauseMs;
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();
  for (let left = ''; ; ) {
    const { value, done } = await wait(reader.read());
    if (done) return;
    const blocks = (left + decoder.decode(value, { stream: true })).split('\n\n');
    left = blocks.pop()!;
    blocks.forEach(take);
  }
}

function take(block: string): void {
  const field = (name: string) => block.split('\n').find((line) => line.startsWith(name))?.slice(name.length);
  const at = Number(field('id: ') ?? 0);
  const text = field('data: ');
  if (at <= position) return;
  position = at;
  if (text === undefined) return;
  const event = JSON.parse(text) as LogEvent;
  for (const listener of listeners) listener(event);
}

/// The job that an event is about; null: none.
export function jobOf(event: LogEvent): string | null {
  return event.stream.startsWith('job/') ? event.stream.slice(4) : null;
}
