// Notifications by push on this device: what the browser allows, and the subscription that the server knows.
import { act, read } from './api.ts';
import { keep, kept } from './kept.ts';
import { go } from './route.ts';
import type { PushState } from './shapes.ts';

/// Why this browser takes no pushes; null: it does.
export function pushHindrance(): string | null {
  if (!isSecureContext) return 'Browsers allow notifications only if the page is opened by https, or at localhost.';
  if (!('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window))
    return 'This browser takes no pushes. On an iPhone, add the page to the home screen and open it there.';
  if (Notification.permission === 'denied')
    return 'This browser allows no notifications of this page. Allow them in its settings, then load the page again.';
  return null;
}

/// null: the text is no base64url.
export function bytesOf(base64url: string): Uint8Array<ArrayBuffer> | null {
  try {
    const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(text, (char) => char.charCodeAt(0));
  } catch {
    return null;
  }
}

export function sameBytes(one: ArrayBuffer | null | undefined, other: Uint8Array | null): boolean {
  const bytes = one && new Uint8Array(one);
  return !!bytes && bytes.length === other?.length && bytes.every((byte, index) => byte === other[index]);
}

const manager = async () => (await navigator.serviceWorker.ready).pushManager;

/// Whether the browser itself has a subscription.
export async function hasSubscription(): Promise<boolean> {
  return pushHindrance() === null && (await (await manager()).getSubscription()) !== null;
}

/// Subscribes the browser and tells the server. A subscription for another key of the server is replaced.
export async function subscribe(key: string, kinds: string[]): Promise<void> {
  const pushes = await manager();
  const wanted = bytesOf(key);
  let own = await pushes.getSubscription();
  if (own && !sameBytes(own.options.applicationServerKey, wanted)) {
    await own.unsubscribe();
    own = null;
  }
  own ??= await pushes.subscribe({ userVisibleOnly: true, applicationServerKey: wanted });
  const { endpoint, keys } = own.toJSON();
  await act('/v1/push/subscribe', { endpoint, p256dh: keys?.p256dh, auth: keys?.auth, kinds });
  keep('push', endpoint ?? '');
}

/// Ends it in the browser too.
export async function unsubscribe(): Promise<void> {
  await act('/v1/push/unsubscribe');
  await leavePush();
}

/// Ends it in the browser alone. The device that had it is notified here no more: its push service says so.
export async function leavePush(): Promise<void> {
  keep('push', '');
  await (await (await manager()).getSubscription())?.unsubscribe();
}

/// Browsers change subscriptions by themselves: tells the server of the new one.
export async function renewPush(): Promise<void> {
  if (!kept('push') || pushHindrance() !== null) return;
  try {
    const known = (await read<PushState>('/v1/push'))?.body;
    const own = await (await manager()).getSubscription();
    const same = own?.endpoint === kept('push') && sameBytes(own.options.applicationServerKey, bytesOf(known?.key ?? ''));
    if (known?.subscribed && !same) await subscribe(known.key, known.kinds);
  } catch {
    // Machine shows what is wrong.
  }
}

/// The service worker asks to show what a notification is about.
export function openFromPush(event: MessageEvent): void {
  const url = event.data?.open;
  if (typeof url === 'string' && url.startsWith('/#/')) go(url.slice(1));
}
