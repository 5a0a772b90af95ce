// The stream of events. It begins after the position of the first answer, and continues where it was cut: no event is
// missed or shown twice.
import { read, silentSince, unpaired } from './api.ts';
import type { LogEvent } from './shapes.ts';

type Listener = (event: LogEvent) => void;

const listeners = new Set<Listener>();
let source: EventSource | null = null;
let position = 0;
let pauseMs = 1000;

export function onEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/// Begins after `from` unless it has begun.
export function startLive(from: number): void {
  if (source || from === 0) return;
  position = Math.max(position, from);
  connect();
}

export function stopLive(): void {
  source?.close();
  source = null;
}

function connect(): void {
  source = new EventSource(`/v1/events?live=1&since=${position}`);
  source.onopen = () => {
    pauseMs = 1000;
    silentSince.value = null;
  };
  source.onmessage = (message) => {
    const at = Number(message.lastEventId);
    if (at && at <= position) return;
    position = at || position;
    const event = JSON.parse(message.data) as LogEvent;
    for (const listener of listeners) listener(event);
  };
  // The browser connects again by itself, unless the answer was no stream.
  source.onerror = () => {
    silentSince.value ??= Date.now();
    if (source?.readyState !== EventSource.CLOSED) return;
    stopLive();
    // The answer does not say why: perhaps the device was revoked.
    read('/v1/me').catch(() => undefined);
    setTimeout(() => source ?? (unpaired.value || connect()), pauseMs);
    pauseMs = Math.min(pauseMs * 2, 15_000);
  };
}

/// The job that an event is about; null: none.
export function jobOf(event: LogEvent): string | null {
  return event.stream.startsWith('job/') ? event.stream.slice(4) : null;
}
