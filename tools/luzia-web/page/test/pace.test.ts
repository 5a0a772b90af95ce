import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pace, pauseAfter } from '../src/base/pace.ts';

const rest = (ms: number) => new Promise((done) => setTimeout(done, ms));
const page = { hidden: false };
Object.assign(globalThis, { document: page });

/// Work of so many ms; when each run began.
function paced(costMs: number, leastMs = 0) {
  const begun: number[] = [];
  const pace = new Pace(async () => {
    begun.push(performance.now());
    await rest(costMs);
    return leastMs;
  });
  return { pace, begun };
}

test('TheFirstChangeAfterQuietHasNoPause', async () => {
  const { pace, begun } = paced(1, 200);
  for (let n = 1; n <= 2; ++n) {
    const asked = performance.now();
    pace.soon();
    await rest(50);
    assert.equal(begun.length, n);
    assert.ok(begun[n - 1]! - asked < 40);
    await rest(250);
  }
});

test('ThousandsOfChangesAreFewRunsAndTheLastIsSeen', async () => {
  const { pace, begun } = paced(20);
  const end = performance.now() + 600;
  let asked = 0;
  for (; performance.now() < end; await rest(1)) for (let n = 0; n < 50; ++n, ++asked) pace.soon();
  const last = performance.now();
  await rest(200);
  assert.ok(asked > 1000);
  // A run of 20 ms and a pause of at least twice as long.
  assert.ok(begun.length >= 3 && begun.length <= 12, `${begun.length} runs`);
  assert.ok(begun.at(-1)! >= last - 20);
});

test('WhatAPersonAsksForWaitsForNoPause', async () => {
  const { pace, begun } = paced(1, 5000);
  pace.soon();
  await rest(60);
  pace.soon();
  await rest(60);
  assert.equal(begun.length, 1);
  pace.now();
  await rest(60);
  assert.equal(begun.length, 2);
  pace.now();
  await rest(2); // it is asked for while it runs, so it runs once more
  pace.now();
  await rest(60);
  assert.equal(begun.length, 4);
  pace.stop();
});

test('APageThatNobodySeesIsReadSlowly', async () => {
  assert.ok(pauseAfter(1, true) >= 1000);
  assert.ok(pauseAfter(1, false) <= 50);
  assert.equal(pauseAfter(400, false), 800);
  page.hidden = true;
  const { pace, begun } = paced(1);
  pace.soon();
  await rest(100);
  pace.soon();
  await rest(100);
  assert.equal(begun.length, 1);
  pace.stop();
  page.hidden = false;
});
