// The present as the server sees it, or the moment that is shown.
import { computed, signal } from '@preact/signals';
import { moment } from './api.ts';

const kTickMs = 1000;
const kJumpMs = 5000;

const tick = signal(Date.now());
const skewUs = signal(0);
const momentUs = signal(0);

setInterval(() => document.hidden || (tick.value = Date.now()), kTickMs);
document.addEventListener('visibilitychange', () => (tick.value = Date.now()));

/// Takes the time of an answer about the present, or about the moment.
export function heardTime(us: number): void {
  if (moment.value !== null) momentUs.value = us;
  else if (Math.abs(Date.now() * 1000 - us - skewUs.peek()) > 2e6) skewUs.value = Date.now() * 1000 - us;
}

/// Acts when the clock of this machine has jumped: it was set, or the machine has slept.
export function onJump(act: () => void): void {
  let last = Date.now();
  setInterval(() => {
    const passed = Date.now() - last;
    last += passed;
    if (Math.abs(passed - kTickMs) > kJumpMs) act();
  }, kTickMs);
}

export const nowUs = computed(() =>
  moment.value !== null && momentUs.value > 0 ? momentUs.value : tick.value * 1000 - skewUs.value,
);

/// Seconds from `us` until now.
export const secondsSince = (us: number): number => (nowUs.value - us) / 1e6;
