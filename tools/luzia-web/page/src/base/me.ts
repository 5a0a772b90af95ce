// The device that shows the page, and what it may do.
import { computed, signal } from '@preact/signals';
import { moment, Problem, read } from './api.ts';
import { keep, kept } from './kept.ts';
import type { Me } from './shapes.ts';

export const me = signal<Me | null>(null);
export const mayAct = computed(() => me.value !== null && me.value.role !== 'viewer');
/// Not at a past moment.
export const mayActNow = computed(() => mayAct.value && moment.value === null);
export const isAdmin = computed(() => me.value?.role === 'admin');

// eslint-disable-next-line @typescript-eslint/no-explicit-any
function meOf(body: any): Me {
  const device = typeof body.device === 'object' && body.device !== null ? body.device : body;
  return {
    device: String(device.id ?? body.device ?? ''),
    name: device.name,
    person: String(body.person ?? device.person ?? ''),
    role: body.role ?? device.role ?? 'viewer',
    projects: body.projects ?? device.projects ?? [],
  };
}

/// Whether the server knows this device; throws if it does not answer.
export async function askMe(): Promise<boolean> {
  try {
    me.value = meOf((await read<unknown>('/v1/me'))?.body);
    return true;
  } catch (error) {
    if (error instanceof Problem && (error.status === 401 || error.status === 403)) return false;
    throw error;
  }
}

/// Whether this browser was another device, or another person's, when it last showed the page.
export function isAnother(what: 'device' | 'person'): boolean {
  const before = kept(what);
  const now = me.value?.[what] ?? '';
  keep(what, now);
  return before !== null && before !== now;
}
