import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Pace, pauseAfter } from '../src/base/pace.ts';

// Time that passes when a test says so.
let nowMs = 0;
let lastId = 0;
const timers = new Map<number, { at: number; run: () => void }>();
const real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };
const page = { hidden: false };
Object.defineProperty(globalThis, 'performance', { value: { now: () => nowMs }, configurable: true });
Object.assign(globalThis, {
  document: page,
  setTimeout: (run: () => void, ms = 0) => (timers.set(++lastId, { at: nowMs + ms, run }), lastId),
  clearTimeout: (id: number) => timers.delete(id),
});
after(() => void Object.assign(globalThis, real));

const settled = async () => {
  for (let turn = 0; turn < 10; ++turn) await Promise.resolve();
};

async function pass(ms: number): Promise<void> {
  for (const end = nowMs + ms; ; await settled()) {
    const [next] = [...timers].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at);
    if (!next) return void (nowMs = end);
    nowMs = Math.max(nowMs, next[1].at);
    timers.delete(next[0]);
    next[1].run();
  }
}

/// Work of so many ms; when each run began.
function paced(costMs: number, leastMs = 0) {
  const begun: number[] = [];
  const pace = new Pace(async () => {
    begun.push(nowMs);
    await new Promise<void>((done) => setTimeout(done, costMs));
    return leastMs;
  });
  return { pace, begun };
}

test('TheFirstChangeAfterQuietHasNoPause', async () => {
  const { pace, begun } = paced(1, 200);
  for (let n = 0; n < 2; ++n) {
    const asked = nowMs;
    pace.soon();
    await pass(300);
    assert.equal(begun[n], asked);
  }
});

test('ThousandsOfChangesAreFewRunsAndTheLastIsSeen', async () => {
  const { pace, begun } = paced(20);
  for (let ms = 0; ms < 600; ++ms, await pass(1)) for (let n = 0; n < 5; ++n) pace.soon();
  const last = nowMs - 1;
  await pass(200);
  assert.equal(begun.length, 600 / (20 + 40) + 1, `a third of the time: ${begun}`);
  assert.ok(begun.at(-1)! >= last);
  assert.equal(timers.size, 0);
});

test('WhatAPersonAsksForWaitsForNoPause', async () => {
  const { pace, begun } = paced(10, 5000);
  pace.soon();
  await pass(100);
  pace.soon();
  await pass(100);
  assert.equal(begun.length, 1);
  pace.now();
  await pass(5); // it runs, so what is asked for meanwhile is one more run
  pace.now();
  pace.soon();
  await pass(100);
  assert.equal(begun.length, 3);
  pace.soon();
  pace.stop();
  await pass(10_000);
  assert.equal(begun.length, 3);
});

test('APageThatNobodySeesIsReadSlowly', async () => {
  assert.ok(pauseAfter(1, true) >= 1000);
  assert.ok(pauseAfter(1, false) <= 50);
  assert.equal(pauseAfter(400, false), 800);
  page.hidden = true;
  const { pace, begun } = paced(1);
  pace.soon();
  await pass(100);
  pace.soon();
  await pass(1000);
  assert.equal(begun.length, 1);
  await pass(pauseAfter(1, true));
  assert.equal(begun.length, 2);
  page.hidden = false;
});
