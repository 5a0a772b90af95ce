// Schedules: what the page says of them, and what it lets people do.
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Trial, until } from './trial.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const trial = new Trial();
const file = join(trial.home, '.config/luzia/luzia.toml');
let early; // a second before any of them has run
let page;

const schedule = (name, ...lines) => `[[schedules]]\nname = "${name}"\nproject = "shop"\n${lines.join('\n')}\n`;
const yearly = 'cron = "0 7 1 1 *"';

const listed = () => trial.json('schedule', 'list', '--all').schedules;
const known = (name) => listed().find((each) => each.name === name);
const row = (name, on = page) => on.locator('.schedule', { hasText: name });
const button = (verb, name, on = page) => row(name, on).getByRole('button', { name: `${verb}: ${name}` });
const toast = (hasText) => page.locator('.toast', { hasText }).waitFor();

before(async () => {
  appendFileSync(
    file,
    schedule('tidy <b>up', yearly, 'task = "echo tidied"', 'agent = "shell"') +
      schedule('failing', yearly, 'task = "exit 3"', 'agent = "shell"') +
      schedule('long one', yearly, 'task = "sleep 600"', 'agent = "shell"', 'overlap = "queue"') +
      schedule('often', 'every = "2h"', 'task = "echo often"', 'agent = "shell"'),
  );
  trial.begin();
  await until('the daemon knows them', () => listed().length === 4);
  early = Math.floor(Date.now() / 1000) + 1; // the field has seconds, and leaves :00 out
  if (early % 60 === 0) ++early;
  await until('some time passes', () => Date.now() > (early + 1) * 1000);
  page = await trial.device({ timezoneId: 'UTC' });
});
after(() => trial.end());

async function faults(on) {
  const wide = (await on.evaluate(() => document.documentElement.scrollWidth)) - on.viewportSize().width;
  await on.evaluate(axe);
  const { violations } = await on.evaluate(() => axe.run());
  return [...(wide > 0 ? [`wider by ${wide}`] : []), ...violations.map((each) => `${each.id}: ${each.nodes[0].html}`)];
}

test('TheRuleAndTheNextTimeAreInWords', async () => {
  await page.keyboard.press('g');
  await page.keyboard.press('c');
  await row('often').waitFor();
  assert.match(await row('often').textContent(), /every 2 hours/);
  assert.match(await row('failing').textContent(), /on day 1 of January at 07:00/);
  assert.match(await row('often').locator('.time').textContent(), /^in [12]h$/);
  assert.match(await row('often').textContent(), /It has not run yet/);
  assert.equal(await row('tidy').locator('b').count(), 0, 'names are text');
  assert.equal(await page.locator('.schedule').first().textContent(), await row('often').textContent(), 'due first');
});

test('OneRunsNowAndLeadsToItsJobs', async () => {
  await button('Run now', 'tidy <b>up').click();
  await toast('Its job is dispatched');
  await row('tidy').getByText(/Last job, \d+s ago: completed/).click();
  await page.waitForSelector('.job-head');
  assert.match(page.url(), new RegExp(known('tidy <b>up').last_job));
  await trial.go(page, 'schedules');
  await row('tidy').locator('a.row-title').click();
  await page.locator('.job-row').click();
  await page.locator('.summary a', { hasText: 'tidy <b>up' }).click();
  await page.waitForSelector('.job-row');
  assert.equal(await page.locator('.job-row').count(), 1);
  assert.match(decodeURIComponent(page.url().replaceAll('+', ' ')), /q=schedule:"tidy <b>up"$/);
});

test('AFailedJobStandsOutHereAndOnNow', async () => {
  await trial.go(page, 'schedules');
  await button('Run now', 'failing').click();
  await row('failing').getByText(/Last job, \d+s ago: failed/).waitFor();
  await row('failing').locator('.tone-bad').first().waitFor();
  await row('failing').getByText('1 failed').waitFor();
  await trial.go(page, '');
  const next = page.getByRole('region', { name: 'Scheduled' });
  await next.locator('.row').first().filter({ hasText: 'often' }).waitFor();
  await next.getByText('1 more').click();
  await row('often').waitFor();
});

test('OneThatWaitsForItsLastJobSaysSo', async () => {
  await button('Run now', 'long one').click();
  const last = () => known('long one').last_job;
  await until('it runs', () => last() && trial.json('job', last()).state === 'running');
  await row('long one').getByText(/: running/).waitFor();
  await button('Run now', 'long one').click();
  await toast('when the last one has ended');
  await row('long one').getByText('after its last job').waitFor();
  trial.luzia('cancel', last(), '--grace', '0');
  await until('the second one runs', () => known('long one').runs === 2);
  await row('long one').getByText(/: (starting|running)/).waitFor();
});

test('APauseNamesItsPersonAndDevice', async () => {
  await button('Pause', 'often').click();
  await toast('Paused');
  await row('often').getByText(/Paused by .+ at .+\. Due times are skipped\./).waitFor();
  assert.equal(await row('often').locator('.time').textContent(), 'paused');
  const { paused_by, next_at } = known('often');
  assert.equal(next_at, null);
  assert.ok(paused_by.includes(' at '), paused_by);
  await button('Resume', 'often').click();
  await row('often').getByText(/^in [12]h$/).waitFor();
  assert.equal(known('often').paused_at, null);
});

test('AnotherTimeShowsThemAsTheyWere', async () => {
  await page.keyboard.press('t');
  await page.getByLabel('Show this time').fill(new Date(early * 1000).toISOString().slice(0, 19));
  await row('failing').getByText('It has not run yet').waitFor();
  assert.equal(await page.locator('.schedule button').count(), 0, 'nobody changes the past');
  await page.getByLabel('Show this time').fill('2020-01-01T00:00:30');
  await page.getByText('No job recurs.').waitFor();
  await page.getByRole('button', { name: 'Back to now' }).click();
  await row('failing').getByText(/: failed/).waitFor();
});

test('WhoOnlyReadsSeesNoButtons', async () => {
  const viewer = await trial.device({ pair: ['--role', 'viewer'] });
  await trial.go(viewer, 'schedules');
  await row('often', viewer).waitFor();
  assert.equal(await viewer.locator('.schedule button').count(), 0);
  await viewer.context().close();
});

test('OneThatIsNoLongerConfiguredIsApart', async () => {
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.slice(0, text.indexOf(schedule('often').split('\nproject')[0])));
  await until('the daemon has read it', () => known('often').dropped_at);
  await page.getByText('1 not configured any more').click();
  await row('often').getByText('not configured any more').waitFor();
  assert.equal(await row('often').locator('button').count(), 0);
});

for (const colorScheme of ['light', 'dark']) {
  for (const width of [375, 1280]) {
    test(`SchedulesAreForEverybody ${width} ${colorScheme}`, async () => {
      const own = await trial.device({ width, height: 812, colorScheme });
      await trial.go(own, 'schedules');
      await row('failing', own).waitFor();
      assert.deepEqual(await faults(own), []);
      await trial.go(own, '');
      await own.getByRole('region', { name: 'Scheduled' }).locator('.row').first().click();
      await row('failing', own).waitFor();
      assert.deepEqual(own.problems, []);
      await own.context().close();
    });
  }
}
