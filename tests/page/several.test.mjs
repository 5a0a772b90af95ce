// Several jobs are selected and acted on at once; diffs have two forms.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Trial, until } from './trial.mjs';

const trial = new Trial();
let page;

before(async () => {
  trial.begin();
  page = await trial.device();
});
after(() => trial.end());

const state = (job) => trial.json('job', job).state;
const show = async (filter, count) => {
  await trial.go(page, `jobs?q=${filter}`);
  await page.waitForFunction((wanted) => document.querySelectorAll('.job-row').length === wanted, count);
};

test('EndedJobsAreRetriedTogether', async () => {
  const jobs = ['one', 'two', 'three'].map((word) =>
    trial.shell('shop', `echo ${word}; exit 1`, '--tag', 'ended'),
  );
  await until('they have ended', () => jobs.every((job) => state(job) === 'failed'));
  await show('tag:ended', 3);
  for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key);
  await page.locator('.chosen-count', { hasText: '2 selected' }).waitFor();
  await page.getByRole('button', { name: 'Retry 2' }).click();
  await page.locator('.toast', { hasText: '2 jobs retried' }).waitFor();
  const attempts = () => jobs.map((job) => trial.json('job', job).attempts);
  await until('the two newest ran again', () => String(attempts()) === '1,2,2');
  await page.getByRole('button', { name: 'Done' }).click();
});

test('AnActionTakesOnlyTheJobsThatItFits', async () => {
  trial.luzia('pause', '--project', 'api');
  const queued = trial.shell('api', 'echo later', '--tag', 'mixed');
  const running = trial.shell('shop', 'sleep 600', '--tag', 'mixed');
  await until('it runs', () => state(running) === 'running');
  await show('tag:mixed', 2);
  await page.getByRole('button', { name: 'Select' }).click();
  await page.locator('.choose input').first().click();
  await page.locator('.choose input').last().click({ modifiers: ['Shift'] });
  await page.getByRole('button', { name: 'Hold 1' }).click();
  await until('the queued one is held', () => trial.json('job', queued).held);
  assert.equal(state(running), 'running');
  await page.locator('.choose input').first().check();
  await page.locator('.choose input').last().check();
  await page.getByRole('button', { name: 'Cancel 2' }).click();
  await page.getByRole('button', { name: 'Cancel 2 jobs' }).click();
  await until('both have ended', () => `${state(queued)} ${state(running)}` === 'cancelled killed');
  await page.waitForFunction(() => document.querySelectorAll('.job-slot [aria-label=cancelled]').length === 1);
});

test('AViewerCannotSelect', async () => {
  const viewer = await trial.device({ pair: ['--role', 'viewer'] });
  await trial.go(viewer, 'jobs');
  await viewer.waitForSelector('.job-row');
  assert.equal(await viewer.getByRole('button', { name: 'Select' }).count(), 0);
});

test('TheFormOfADiffIsKept', async () => {
  const job = trial.dispatch('shop', 'edit', '--agent', 'editor');
  trial.luzia('wait', job);
  await trial.go(page, `jobs/${job}/files`);
  await page.waitForSelector('.diff-table');
  await page.keyboard.press('s');
  const changed = page.locator('.diff-table.split tr', { hasText: 'b = 2' });
  assert.match(await changed.textContent(), /removed.*b = 2.*added.*b = 3/);
  await page.reload();
  await page.waitForSelector('.diff-table.split');
});
