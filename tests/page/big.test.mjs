// Sizes at which a page that keeps everything would die: a gigabyte of output, and twenty thousand jobs.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Trial, until } from './trial.mjs';

const kBytes = 1_000_000_000;
const kJobs = 20_000;
const trial = new Trial();
let page;
let session;
let received = 0;

before(async () => {
  trial.begin();
  page = await trial.device();
  session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  await session.send('Network.enable');
  session.on('Network.loadingFinished', (event) => (received += event.encodedDataLength));
});
after(() => trial.end());

/// What the tab holds on to after a collection of garbage: bytes of JavaScript and elements of the document.
async function held() {
  await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.getMetrics');
  const of = (name) => metrics.find((metric) => metric.name === name).value;
  return { bytes: of('JSHeapUsedSize'), nodes: of('Nodes') };
}

async function assertSmall(rows) {
  const { bytes, nodes } = await held();
  assert.ok(bytes < 64 << 20, `${bytes} bytes of JavaScript`);
  assert.ok(nodes < 20_000, `${nodes} nodes`);
  assert.ok((await page.locator(rows).count()) < 300, 'rows that are not in sight are not in the document');
}

/// Turns the wheel over `where` and waits until other rows are shown.
async function turn(where, rows, pixels) {
  const first = () => page.locator(rows).first().textContent();
  const before = await first();
  await page.locator(where).hover();
  await page.mouse.wheel(0, pixels);
  await until('other rows are shown', async () => (await first()) !== before);
}

test('AGigabyteOfOutputTakesLittleMemory', async () => {
  const lines = `seq -f 'line %.0f that a build prints while it works on something' ${kBytes}`;
  const job = trial.shell('shop', `${lines} | head -c ${kBytes}; echo; echo the end`);
  await until('it has ended', () => trial.json('job', job).ended_at, 120_000);
  received = 0;
  await trial.go(page, `jobs/${job}/output`);
  await page.locator('.term-row', { hasText: 'the end' }).waitFor();
  for (let n = 0; n < 20; ++n) await page.mouse.wheel(0, -20_000);
  await page.getByRole('button', { name: 'To the beginning' }).click();
  await page.locator('.term-row', { hasText: 'the end' }).waitFor({ state: 'detached' });
  for (let n = 0; n < 15; ++n) await turn('.term-row >> nth=5', '.term-row', 30_000);
  await assertSmall('.term-row');
  await page.getByRole('button', { name: 'To the end' }).click();
  await page.locator('.term-row', { hasText: 'the end' }).waitFor();
  assert.ok(received < 64 << 20, `${received} bytes were read of ${kBytes}`);
  await assertSmall('.term-row');
});

/// Scrolls by three screens in each frame, for a second; how many rows were drawn meanwhile.
function fly() {
  const list = document.querySelector('.jobs-scroll');
  let [rows, frames] = [0, 0];
  const watch = new MutationObserver((changes) => {
    const added = changes.flatMap((each) => [...each.addedNodes]);
    rows += added.filter((node) => node.querySelector?.('.job-row, .row-main')).length;
  });
  watch.observe(list, { childList: true, subtree: true });
  return new Promise((done) => {
    const frame = () => {
      list.scrollTop += 2000;
      if (++frames < 60) return requestAnimationFrame(frame);
      watch.disconnect();
      done(rows);
    };
    requestAnimationFrame(frame);
  });
}

test('TwentyThousandJobsTakeLittleMemory', async () => {
  const folder = join(trial.home, 'older');
  mkdirSync(folder);
  const begin = Date.parse('2026-01-01T00:00:00Z');
  for (let n = 0; n < kJobs; ++n) {
    const time = new Date(begin + n * 60_000).toISOString();
    const meta = { id: `older-${n}`, project: 'shop', task: `task ${n}`, exit_code: n % 10 ? 0 : 1 };
    mkdirSync(join(folder, `older-${n}`));
    writeFileSync(
      join(folder, `older-${n}`, 'meta.json'),
      JSON.stringify({ ...meta, queued: time, started: time, ended: time }),
    );
    writeFileSync(join(folder, `older-${n}`, 'output.log'), `line\nexit:${meta.exit_code}\n`);
  }
  trial.luzia('import', folder);
  await trial.go(page, 'jobs');
  await page.locator('.job-row', { hasText: `task ${kJobs - 1}` }).waitFor();
  const readOn = () => {
    const list = document.querySelector('.jobs-scroll');
    list.scrollTop = list.scrollHeight;
    return /task 0\D/.test(list.textContent);
  };
  await page.waitForFunction(readOn, null, { polling: 'raf', timeout: 120_000 });
  await assertSmall('.job-row');
  await page.getByRole('region', { name: 'List of jobs' }).press('Home');
  await page.locator('.job-row', { hasText: `task ${kJobs - 1}` }).waitFor();
  assert.ok((await page.evaluate(fly)) < 100, 'rows that fly by are not drawn');
  await page.locator('.job-row').first().waitFor();
  await trial.go(page, 'jobs?q=state:failed');
  await page.locator('.job-row', { hasText: `task ${kJobs - 10}` }).waitFor();
  assert.equal(await page.locator('.job-row', { hasText: `task ${kJobs - 1}` }).count(), 0);
  await trial.go(page, 'numbers?days=all');
  await page.locator('.figures').waitFor();
  await trial.go(page, '');
  await page.getByRole('heading', { name: /Ended 20,0/ }).waitFor();
  await assertSmall('.row');
  assert.deepEqual(page.problems, []);
});
