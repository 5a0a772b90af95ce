// Each screen looks as it did: pictures at three widths, light and dark, are compared with the ones in screenshots/.
// RENEW=1 writes these anew. Pictures have half the size of the window: that shows what has moved or has changed its
// colour, and keeps them small. What differs is kept in the folder of the copies, in differences/.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';
import { coarsePng } from './coarse.mjs';
import { FixedTrial } from './fixed.mjs';

const kTolerance = 0.001; // of all pixels; a button that is gone is more
const kThreshold = 0.1; // how far apart two colours are that differ, between 0 and 1
const source = process.env.LUZIA_SOURCE ?? resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const wanted = join(source, 'tests/page/screenshots');
const differences = resolve('differences');
const trial = new FixedTrial();
const empty = new FixedTrial();
let jobs;

before(async () => {
  rmSync(differences, { recursive: true, force: true });
  for (const each of [trial, empty]) each.begin();
  jobs = await trial.fill();
});
after(() => Promise.all([trial.end(), empty.end()]));

/// Where, what to wait for, and what to do there first. `mask`: what shows measured times as lengths.
const screens = () => ({
  first: { where: '', wait: '.first', of: empty },
  now: { where: '', wait: '.result' },
  ask: { where: 'ask', wait: '.card' },
  jobs: { where: 'jobs', wait: '.job-row' },
  job: { where: `jobs/${jobs.agent}`, wait: '.tool', act: (page) => page.locator('.tool > summary').first().click() },
  calls: { where: `jobs/${jobs.todo}`, wait: '.calls', act: (page) => page.locator('.calls > summary').click() },
  output: { where: `jobs/${jobs.output}/output`, wait: '.ansi-f2' },
  why: { where: `jobs/${jobs.failed}/why`, wait: '.evidence' },
  files: { where: `jobs/${jobs.files}/files`, wait: '.diff-table' },
  flow: { where: `flows/${jobs.flow}`, wait: '.suggestion', mask: ['.flow-times .lanes'] },
  numbers: { where: 'numbers', wait: '.issue-pattern', mask: ['.chart-card:has-text("percentile")'] },
  machine: { where: 'machine', wait: '.facts', mask: ['.facts'] },
});

async function draw(page, { where, wait, act, mask = [], of = trial }) {
  await of.go(page, where);
  await page.waitForSelector(wait);
  await act?.(page);
  await page.mouse.move(0, 0);
  await page.evaluate(() => document.fonts.ready);
  const options = { animations: 'disabled', mask: mask.map((each) => page.locator(each)), maskColor: '#888' };
  for (let tries = 0; tries < 10; ++tries) {
    await of.settle(page);
    const picture = await page.screenshot(options);
    if ((await of.settle(page)) === 0) return picture; // nothing was drawn anew meanwhile
  }
  throw new Error(`${where}: it never stands still`);
}

/// What is wrong with a picture; null: nothing.
function compare(name, bytes) {
  const file = join(wanted, `${name}.png`);
  const now = PNG.sync.read(bytes);
  if (process.env.RENEW) {
    mkdirSync(wanted, { recursive: true });
    writeFileSync(file, coarsePng(now));
    return null;
  }
  const keep = (what, data) => {
    mkdirSync(differences, { recursive: true });
    writeFileSync(join(differences, `${name}-${what}.png`), data);
  };
  if (!existsSync(file)) return keep('now', bytes), `${name}: there is no ${file}`;
  const then = PNG.sync.read(readFileSync(file));
  if (then.width !== now.width || then.height !== now.height) {
    return keep('now', bytes), `${name}: ${now.width}x${now.height} in place of ${then.width}x${then.height}`;
  }
  const marks = new PNG({ width: now.width, height: now.height });
  const count = pixelmatch(then.data, now.data, marks.data, now.width, now.height, { threshold: kThreshold });
  if (count <= kTolerance * now.width * now.height) return null;
  keep('now', bytes);
  keep('wanted', readFileSync(file));
  keep('difference', PNG.sync.write(marks));
  return `${name}: ${count} of ${now.width * now.height} pixels differ`;
}

for (const colorScheme of ['light', 'dark']) {
  for (const [width, height] of [
    [375, 812],
    [1280, 800],
    [2560, 1300],
  ]) {
    test(`ScreensLookAsBefore ${width} ${colorScheme}`, async () => {
      const look = { width, height, colorScheme, deviceScaleFactor: 0.5, timezoneId: 'UTC', locale: 'en-GB' };
      const who = ['--role', 'admin', '--person', 'ada', '--name', `browser ${width} ${colorScheme}`];
      const pages = new Map();
      for (const each of [trial, empty]) pages.set(each, await each.device({ ...look, pair: who }));
      const wrong = [];
      for (const [name, screen] of Object.entries(screens()))
        wrong.push(compare(`${name}-${width}-${colorScheme}`, await draw(pages.get(screen.of ?? trial), screen)));
      for (const page of pages.values()) await page.context().close();
      const found = wrong.filter(Boolean);
      const hint = `see ${differences}; if the page shall look so: RENEW=1 tests/page/run FOLDER screenshots.test.mjs`;
      assert.equal(found.length, 0, `${found.join('\n')}\n${hint}`);
    });
  }
}
