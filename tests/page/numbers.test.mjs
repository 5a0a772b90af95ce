// Numbers open the jobs that they count.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Trial } from './trial.mjs';

const trial = new Trial();
let jobs;
let page;

before(async () => {
  trial.begin();
  jobs = await trial.fill();
  page = await trial.device();
});
after(() => trial.end());

const rows = () => page.locator('.job-row').count();

test('TheSumsAreThoseOfTheCommandLine', async () => {
  await trial.go(page, 'numbers');
  const today = trial.json('stats', '--by', 'day').outcomes[0];
  const ended = page.locator('.figures > div', { hasText: 'Jobs ended' }).locator('dd');
  await ended.waitFor();
  assert.equal(await ended.textContent(), String(today.jobs));
  const bar = page.locator('.chart a').first();
  assert.match(await bar.getAttribute('aria-label'), new RegExp(`${today.key}: ${today.jobs} ended`));
});

test('ABarOpensTheJobsOfItsDay', async () => {
  await page.locator('.chart a').first().focus();
  await page.keyboard.press('Enter');
  await page.waitForSelector('.job-row');
  assert.match(decodeURIComponent(page.url()), /ended-before:\d{4}-\d\d-\d\dT00:00:00Z/);
  assert.equal(await rows(), trial.json('stats', '--by', 'day').outcomes[0].jobs);
});

test('AnAgentOpensItsJobs', async () => {
  await trial.go(page, 'numbers');
  await page.locator('.numbers-table a', { hasText: 'replay' }).click();
  await page.waitForSelector('.job-row');
  assert.equal(await rows(), 2);
});

test('AModelOpensItsJobs', async () => {
  await trial.go(page, 'numbers');
  await page.getByRole('group', { name: 'Success by' }).getByRole('button', { name: 'model' }).click();
  for (const { key } of trial.json('stats', '--by', 'model').outcomes) {
    await page.locator('.numbers-table a').getByText(key, { exact: true }).click();
    await page.waitForSelector('.job-row');
    const counted = trial.json('jobs', '--all', '--model', key).jobs.filter((job) => job.ended_at !== null);
    assert.ok(counted.length > 0, key);
    assert.equal(await rows(), counted.length, key);
    await page.goBack();
    await page.getByRole('group', { name: 'Success by' }).getByRole('button', { name: 'model' }).click();
  }
});

test('AProjectNarrowsAllOfItDown', async () => {
  await trial.go(page, 'numbers');
  await page.locator('.range-bar').getByRole('button', { name: 'api' }).click();
  await page.waitForFunction(() => document.querySelectorAll('.numbers-table tbody tr').length === 1);
  await page.getByRole('button', { name: 'project', exact: true }).click();
  await page.locator('.numbers-table a', { hasText: 'api' }).waitFor();
  assert.equal(await page.locator('.issue-pattern').count(), 1);
});

test('AnIssueLeadsToItsPlaceInTheOutput', async () => {
  await page.locator('.issue-pattern summary').click();
  await page.locator('.issue-more a').first().click();
  await page.waitForSelector('.term-row.lit');
  assert.match(page.url(), new RegExp(`${jobs.failing}/output`));
});

test('AStepOfFlowsOpensItsJobs', async () => {
  await trial.flow();
  await trial.go(page, 'numbers');
  await page.getByRole('region', { name: 'Table of steps' }).getByText('docs').click();
  await page.waitForSelector('.job-row');
  assert.equal(await rows(), 1);
  assert.match(await page.locator('.job-row').textContent(), /no such theme/);
});

test('APersonOpensWhatTheyDecided', async () => {
  const question = trial.json('inbox').questions.find((each) => each.question.startsWith('Deploy'));
  trial.luzia('answer', question.id, 'production');
  await trial.go(page, 'numbers');
  const { key, answered } = trial.json('stats', '--by', 'person').answers[0];
  const person = page.locator('.person', { hasText: key });
  assert.ok((await person.textContent()).includes(`${answered} answer`));
  await person.locator('summary').click();
  await person.getByText(/answered: production, shop/).waitFor();
  await person.locator('a', { hasText: 'Deploy where?' }).click();
  await page.waitForSelector('.job-head');
  assert.match(page.url(), new RegExp(question.job));
});
