// What Now, Jobs and Machine say at a glance: one count for the same thing, names that people read, latest results.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Trial, until } from './trial.mjs';

const trial = new Trial();
let jobs;
let page;

before(async () => {
  trial.begin();
  jobs = await trial.fill();
  // Ends of every kind count, and more is queued than the API lists at once.
  const sleeping = trial.shell('shop', 'sleep 600');
  await until('it runs', () => trial.json('job', sleeping).state === 'running');
  trial.luzia('cancel', sleeping, '--grace', '0');
  await until('it is killed', () => trial.json('job', sleeping).ended_at);
  for (let n = 0; n < 60; ++n) trial.shell('api', `echo ${n} of a crowd`);
  page = await trial.device();
});
after(() => trial.end());

const figure = (name) => page.locator('.figures > div', { hasText: name }).locator('dd').textContent();

test('NowMachineAndTheCommandLineCountAlike', async () => {
  const { counts, last_day: day } = trial.json('status');
  assert.equal(counts.queued, 61);
  await page.getByRole('heading', { name: `Queued ${counts.queued}` }).waitFor();
  await page.getByRole('heading', { name: `Ended ${counts.ended}` }).waitFor();
  const said = `Ended in the last day: ${day.completed} completed, ${day.failed} failed, ${day.killed} killed`;
  await page.getByText(said, { exact: true }).waitFor();
  await trial.go(page, 'machine');
  await page.getByRole('heading', { name: `Queue ${counts.queued}` }).waitFor();
  assert.equal(await figure('queued'), String(counts.queued));
  assert.equal(await figure('ended'), String(counts.ended));
  const listed = await page.locator('.place').count();
  if (listed < counts.queued) await page.getByRole('link', { name: `${counts.queued - listed} more` }).waitFor();
  const ended = await page.locator('.machine-side .spent', { hasText: 'ended' }).allTextContents();
  assert.equal(
    ended.reduce((sum, text) => sum + Number(/\d+/.exec(text)[0]), 0),
    counts.ended,
  );
});

test('WhyAJobWaitsIsSaidWithoutCommands', async () => {
  assert.match(trial.json('job', jobs.queued).blocked_why, /luzia resume/);
  for (const where of ['', 'machine', 'jobs', `jobs/${jobs.queued}`, `jobs/${jobs.queued}/why`]) {
    await trial.go(page, where);
    await page.getByText('the queue of api is paused').first().waitFor();
    assert.doesNotMatch(await page.textContent('main'), /luzia resume|start jobs again/, where);
  }
});

test('AFailedJobSaysWhyAndHowToFixIt', async () => {
  const { fix, first_offset: byte } = trial.json('issues', '--job', jobs.failing).issues[0];
  await trial.go(page, `jobs/${jobs.failing}/why`);
  const cause = page.getByRole('region', { name: 'Why it ended' });
  await cause.getByText(fix.slice(1, 40)).waitFor();
  assert.match(await cause.textContent(), /^Failed: exit code 3\./);
  await cause.getByRole('link', { name: /may not use a file/ }).click();
  await page.waitForFunction((at) => location.hash.includes(`/output?byte=${at}`), byte);
  await page.locator('.term-row.lit', { hasText: 'EACCES' }).waitFor();
  await trial.go(page, `jobs/${jobs.agent}`);
  assert.equal(await cause.count(), 0, 'a completed job has none');
});

test('AQueuedJobIsListedByItsTask', async () => {
  await trial.go(page, 'machine');
  assert.match(await page.locator('.row', { has: page.locator('.place') }).first().textContent(), /echo later/);
});

test('WordsInTheBoxOfJobsAreSearchedForInTasks', async () => {
  const total = page.locator('.jobs-total');
  await trial.go(page, 'jobs');
  const all = Object.values(trial.json('status').counts).reduce((sum, each) => sum + each);
  await total.getByText(`${all} jobs`, { exact: true }).waitFor();
  await page.getByLabel('Filter jobs').fill('crowd 17');
  const row = page.locator('.job-row');
  await page.waitForFunction(() => document.querySelectorAll('.job-row').length === 1);
  assert.match(await row.textContent(), /17 of a crowd/);
  assert.equal(await total.textContent(), '1 job');
  await page.getByLabel('Filter jobs').fill('crowd state:failed');
  const link = page.getByRole('link', { name: 'Search outputs and solutions for “crowd”' });
  await link.click();
  await page.waitForFunction(() => location.hash === '#/search?q=crowd');
});

test('FiltersHaveNamesAndAreRemovedByThem', async () => {
  await trial.go(page, 'jobs?q=state:failed,timed_out+since:7d');
  const chips = page.getByRole('group', { name: 'Quick filters' });
  assert.doesNotMatch(await chips.textContent(), /:|_/);
  await chips.getByRole('button', { name: 'The last 7 days' }).click();
  await page.waitForFunction(() => decodeURIComponent(location.hash) === '#/jobs?q=state:failed,timed_out');
  await chips.getByRole('button', { name: 'Failed or timed out' }).click();
  await page.waitForFunction(() => location.hash === '#/jobs');
  await chips.getByRole('button', { name: 'Needs you' }).click();
  await page.waitForFunction(() => decodeURIComponent(location.hash) === '#/jobs?q=state:waiting');
});

test('EachProjectShowsItsLatestResultsAndOpensThem', async () => {
  await trial.go(page, '');
  const strip = page.getByRole('list', { name: /results of shop/ });
  const results = strip.getByRole('link');
  const told = await results.evaluateAll((all) => all.map((each) => each.ariaLabel));
  assert.equal(told.length, trial.json('jobs', '--all', '--project', 'shop').jobs.filter((job) => job.ended_at).length);
  assert.match(told.at(-1), /^killed, .*: sleep 600/);
  assert.ok(told.some((text) => /^completed, .*: claude-s3/.test(text)));
  await results.last().focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  const label = await page.evaluate(() => document.activeElement.ariaLabel);
  assert.equal(label, told.at(-2));
  await page.keyboard.press('Enter');
  await page.waitForSelector('.job-head');
  const failing = trial.shell('shop', 'exit 7');
  await trial.go(page, '');
  assert.match(await strip.locator(`a[href*="${failing}"]`).getAttribute('aria-label'), /^failed, .*: exit 7/);
  assert.deepEqual(page.problems, []);
});

test('GroupsOfAnOutputAreFoldedAndOpenForTheirBytes', async () => {
  const lines = ['before', '::group::Install', 'npm one', 'npm two', '::endgroup::', 'after'];
  const job = trial.shell('shop', `printf '${lines.join('\\n')}\\n'`, '--wait');
  await trial.go(page, `jobs/${job}/output`);
  const row = (text) => page.locator('.term-row', { hasText: text });
  const head = page.getByRole('button', { name: /^Install/ });
  await head.waitFor();
  assert.match(await head.textContent(), /Install 2 lines/);
  assert.equal(await page.locator('.term-row').count(), 3);
  await head.press('Enter');
  await row('npm two').waitFor();
  assert.equal(await head.getAttribute('aria-expanded'), 'true');
  await head.press('Enter');
  await row('npm two').waitFor({ state: 'detached' });
  const byte = lines.join('\n').indexOf('npm two');
  await page.goto(`${trial.url}/#/jobs/${job}/output?byte=${byte}&to=${byte + 3}`);
  await page.locator('.term-row.lit', { hasText: 'npm two' }).waitFor();
  assert.deepEqual(page.problems, []);
});
