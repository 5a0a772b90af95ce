// The present as the server sees it, or the moment that is shown.
import { computed, signal } from '@preact/signals';
import { moment } from './api.ts';

const tick = signal(Date.now());
const skewUs = signal(0);
const momentUs = signal(0);

setInterval(() => document.hidden || (tick.value = Date.now()), 1000);
document.addEventListener('visibilitychange', () => (tick.value = Date.now()));

/// Takes the time of an answer about the present, or about the moment.
export function heardTime(us: number): void {
  if (moment.value !== null) momentUs.value = us;
  else if (Math.abs(Date.now() * 1000 - us - skewUs.peek()) > 2e6) skewUs.value = Date.now() * 1000 - us;
}

export const nowUs = computed(() =>
  moment.value !== null && momentUs.value > 0 ? momentUs.value : tick.value * 1000 - skewUs.value,
);

/// Seconds from `us` until now.
export const secondsSince = (us: number): number => (nowUs.value - us) / 1e6;
