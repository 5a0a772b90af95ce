// Each screen at three widths, light and dark: nothing overflows, axe finds nothing, the policy is kept.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { Trial } from './trial.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const trial = new Trial();
const empty = new Trial();
let jobs;
let flow;

before(async () => {
  for (const each of [trial, empty]) each.begin();
  jobs = await trial.fill();
  const print = "printf '::group::Install\\nnpm one\\nnpm two\\n::endgroup::\\nready\\n'";
  jobs.groups = trial.shell('shop', print, '--wait');
  flow = await trial.flow();
});
after(() => Promise.all([trial.end(), empty.end()]));

/// What to look at: where, and what to do there first.
const screens = () => ({
  now: ['', 'text=Deploy where?'],
  ask: ['ask', 'text=Which ones?'],
  jobs: ['jobs', '.job-row'],
  'no-jobs': ['jobs?q=tag:none', 'text=No job matches.'],
  'found-jobs': ['jobs?q=echo+state:completed', '.job-row'],
  'wrong-filter': ['jobs?q=colour:red', 'text=is no filter'],
  selected: ['jobs', '.job-row', (page) => choose(page)],
  flows: ['flows', '.step-bar'],
  flow: [`flows/${flow}`, '.suggestion'],
  'failed-step': [`flows/${flow}?step=docs`, '.step-output'],
  numbers: ['numbers', '.issue-pattern', (page) => page.locator('.issue-pattern summary').first().click()],
  'no-numbers': ['numbers?project=none', 'text=No job has ended in this time.'],
  machine: ['machine', '.facts'],
  revoke: ['machine', 'text=this device', (page) => page.getByRole('button', { name: 'Revoke' }).first().click()],
  pair: ['machine', 'text=this device', (page) => page.getByRole('button', { name: 'Pair a device' }).click()],
  transcript: [`jobs/${jobs.agent}`, '.tool', (page) => page.locator('.tool > summary').first().click()],
  todo: [`jobs/${jobs.todo}`, '.summary .todos'],
  calls: [`jobs/${jobs.todo}`, '.calls', (page) => page.locator('.calls > summary').first().click()],
  output: [`jobs/${jobs.coloured}/output`, '.ansi-f2'],
  groups: [`jobs/${jobs.groups}/output`, '.term-group'],
  findings: [`jobs/${jobs.failing}/output`, '.term-row'],
  why: [`jobs/${jobs.failing}/why`, '.evidence'],
  files: [`jobs/${jobs.edit}/files`, '.diff-table'],
  split: [`jobs/${jobs.edit}/files`, '.diff-table', (page) => page.keyboard.press('s')],
  timeline: [`jobs/${jobs.agent}/timeline`, '.lanes'],
  messages: [`jobs/${jobs.edit}/messages`, '#message'],
  'no-schedules': ['schedules', 'text=No job recurs.'],
  asking: [`jobs/${jobs.question}`, '.card'],
  running: [`jobs/${jobs.running}/output`, '.term-row'],
  missing: ['jobs/1zzzzzzz00000', '.trouble'],
  palette: ['', '.card', (page) => page.keyboard.press('Control+k')],
  'palette-words': ['', '.card', (page) => goTo(page, 'claude')],
  help: ['', '.card', (page) => page.keyboard.press('?')],
  time: ['', '.card', (page) => page.keyboard.press('t')],
});

async function goTo(page, words) {
  await page.keyboard.press('Control+k');
  await page.keyboard.type(words);
  await page.locator('.goal', { hasText: 'claude-s3' }).waitFor();
}

async function choose(page) {
  await page.getByRole('button', { name: 'Select' }).click();
  await page.locator('.choose input').nth(1).check();
}

async function look(page, name, [where, wait, act], label) {
  await trial.go(page, where);
  await page.waitForSelector(wait);
  await act?.(page);
  await inspect(page, label);
  await page.keyboard.press('Escape'); // closes what was opened
}

async function inspect(page, label) {
  // Not innerWidth: a phone's browser makes that as wide as the page.
  const overflow = (await page.evaluate(() => document.documentElement.scrollWidth)) - page.viewportSize().width;
  assert.ok(overflow <= 0, `${label}: wider than the window by ${overflow}`);
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => axe.run());
  const found = violations.map(
    (each) =>
      `${each.id}: ${each.nodes
        .map((node) => node.html.slice(0, 160))
        .slice(0, 3)
        .join(' | ')}`,
  );
  assert.deepEqual(found, [], label);
  if (process.env.PICTURES) {
    mkdirSync('pictures', { recursive: true });
    await page.screenshot({ path: `pictures/${label.replaceAll(' ', '-')}.png` });
  }
}

for (const colorScheme of ['light', 'dark']) {
  for (const [width, height] of [
    [375, 812],
    [1280, 800],
    [2560, 1300],
  ]) {
    test(`Screens ${width} ${colorScheme}`, async () => {
      const page = await trial.device({ width, height, colorScheme });
      for (const [name, screen] of Object.entries(screens()))
        await look(page, name, screen, `${name} ${width} ${colorScheme}`);
      assert.deepEqual(page.problems, []);
      await page.context().clearCookies();
      await page.reload();
      await page.getByRole('heading', { name: 'Pair this device' }).waitFor();
      await inspect(page, `unpaired ${width} ${colorScheme}`);
      await page.context().close();
      const first = await empty.device({ width, height, colorScheme });
      await first.getByRole('heading', { name: 'Nothing has run yet' }).waitFor();
      await inspect(first, `first ${width} ${colorScheme}`);
      await first.context().close();
    });
  }
}

test('TheSwitchChangesTheColours', async () => {
  const page = await trial.device();
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.getByRole('button', { name: /^Colours/ }).click();
  assert.equal(await ground(), light);
  await page.getByRole('button', { name: /^Colours/ }).click();
  const dark = await ground();
  assert.notEqual(dark, light);
  await page.reload();
  await page.waitForSelector('.places');
  assert.equal(await ground(), dark, 'it is kept');
  await page.context().close();
});

test('NothingComesFromElsewhere', async () => {
  const page = await trial.device();
  const hosts = new Set();
  page.on('request', (request) => request.url().startsWith('data:') || hosts.add(new URL(request.url()).origin));
  for (const [where, wait] of Object.values(screens())) {
    await trial.go(page, where);
    await page.waitForSelector(wait);
  }
  assert.deepEqual([...hosts], [trial.url]);
  await page.context().close();
});
