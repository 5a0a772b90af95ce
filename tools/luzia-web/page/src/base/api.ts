// Requests to the server. An answer that is a problem document (RFC 9457) becomes a Problem.
import { signal } from '@preact/signals';
import { keep, kept } from './kept.ts';
import { withoutCommands } from './text.tsx';

export class Problem extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly code: string,
    readonly hint: string,
  ) {
    super(message);
  }
}

/// The moment that every reading shows, as the API's `at`; null: the present.
export const moment = signal<string | null>(null);
/// Since when (ms) the server has not answered; null: it answers.
export const silentSince = signal<number | null>(null);
/// Whether the server has refused this device.
export const unpaired = signal(false);

export interface Answer<T> {
  body: T;
  etag: string | null;
  next: string | null;
  position: number;
}

const kTimeoutMs = 20_000;
const kLate = new DOMException('The answer took too long.', 'TimeoutError');

// The page's half of the token, which no other port of the host can read. The other half is a cookie, which no script
// can read.
let half = '';

export function keepHalf(given: string): void {
  half = given;
  keep('page', given);
}

export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('luzia-page', kept('page') ?? half);
  let response: Response;
  try {
    response = await fetch(path, {
      credentials: 'same-origin',
      cache: 'no-store',
      signal: AbortSignal.timeout(kTimeoutMs),
      ...init,
      headers,
    });
  } catch {
    if (!init.signal?.aborted || init.signal.reason === kLate) silentSince.value ??= Date.now();
    throw new Problem('The server does not answer.', 0, 'silent', 'Is luzia-web running? luzia web status');
  }
  if (response.ok || response.status === 304) {
    silentSince.value = null;
    return response;
  }
  if (response.status === 401) unpaired.value = true;
  throw await problemOf(response);
}

async function problemOf(response: Response): Promise<Problem> {
  const body = await response.json().catch(() => ({}));
  const title = body.detail || body.title || `The server answered ${response.status}.`;
  const hint = withoutCommands(String(body.hint ?? ''));
  return new Problem(String(title), response.status, String(body.code ?? ''), hint);
}

// What is not kept for the past.
const kTimeless = /^\/v1\/((me|projects|agents|machines?|fleet|push)$|jobs\/[^/]+\/(changes|prompt)$)/;

/// The path with the moment that is shown.
export function atMoment(path: string): string {
  if (moment.value === null || kTimeless.test(path)) return path;
  return `${path}${path.includes('?') ? '&' : '?'}at=${encodeURIComponent(moment.value)}`;
}

/// The target of `Link: <...>; rel="next"`, without the moment, which each reading adds itself.
export function nextOf(link: string | null): string | null {
  const found = link?.match(/<([^>]+)>\s*;\s*rel="?next"?/);
  if (!found) return null;
  const url = new URL(found[1]!, location.origin);
  url.searchParams.delete('at');
  return url.origin === location.origin ? url.pathname + url.search : null;
}

/// Reads JSON. null: unchanged since `etag`. Its timer ends with it: many reads leave nothing behind.
export async function read<T>(
  path: string,
  etag: string | null = null,
  signal?: AbortSignal,
): Promise<Answer<T> | null> {
  const own = new AbortController();
  const stop = () => own.abort();
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop);
  const timer = setTimeout(() => own.abort(kLate), kTimeoutMs);
  try {
    const response = await request(atMoment(path), {
      signal: own.signal,
      headers: { accept: 'application/json', ...(etag ? { 'if-none-match': etag } : {}) },
    });
    if (response.status === 304) return null;
    return {
      body: await response.json(),
      etag: response.headers.get('etag'),
      next: nextOf(response.headers.get('link')),
      position: Number(response.headers.get('luzia-position') ?? 0),
    };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

/// Reads a list to its end, or `most` pages of it; `items` takes the list out of a page.
export async function readAll<T, I>(path: string, items: (body: T) => I[], most = 50): Promise<I[]> {
  const all: I[] = [];
  let next: string | null = path;
  for (let page = 0; next !== null && page < most; ++page) {
    const answer: Answer<T> | null = await read<T>(next);
    if (!answer) break;
    all.push(...items(answer.body));
    next = answer.next;
  }
  return all;
}

/// A new command id: sent again with the same one, a command has no further effect.
export function commandId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `web-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/// Whether the server has decided against a command, so that nothing has happened.
export const isRefused = (error: unknown): boolean =>
  error instanceof Problem && error.status >= 400 && error.status < 500;

const undecided = new Map<string, string>();

/// Sends what a person decided about something as it is shown: `shown` names both. Pressed again while the same is
/// shown, because the answer was lost or the view is late, it is the same command and has no further effect.
export async function actOnce<T>(shown: string, path: string, body: object = {}): Promise<T> {
  const key = `${path} ${shown} ${JSON.stringify(body)}`;
  const id = undecided.get(key) ?? commandId();
  undecided.set(key, id);
  try {
    return await act<T>(path, body, id);
  } catch (error) {
    if (isRefused(error)) undecided.delete(key);
    throw error;
  }
}

/// Sends a command. Without an answer it is sent again, with the same id, up to twice.
export async function act<T>(path: string, body: object = {}, id = commandId()): Promise<T> {
  for (let attempt = 0; ; ++attempt) {
    try {
      const response = await request(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': id },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      return (text ? JSON.parse(text) : {}) as T;
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 0 || attempt === 2) throw error;
      await new Promise((resolve) => setTimeout(resolve, 600 * (attempt + 1)));
    }
  }
}
