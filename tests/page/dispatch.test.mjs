// A job is dispatched from the page, and its agent is told something.
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Trial, until } from './trial.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const trial = new Trial();
const empty = new Trial();
let page;

before(async () => {
  appendFileSync(
    join(trial.home, '.config/luzia/luzia.toml'),
    `[projects.tight]\npath = "${trial.home}/api"\nsandbox = "project"\nmemory = "2G"\nverify = ["make test"]\n`,
  );
  for (const each of [trial, empty]) each.begin();
  page = await trial.device();
});
after(() => Promise.all([trial.end(), empty.end()]));

const dialog = () => page.locator('dialog[open]');
const field = (label) => dialog().getByLabel(label, { exact: true });
const opener = () => page.locator('header').getByRole('button', { name: 'New job' });
const button = (name) => dialog().getByRole('button', { name });
const jobs = () => trial.json('list', '--all').jobs;
const openedJob = async () => {
  await page.waitForSelector('.job-head');
  return trial.json('job', /jobs\/([0-9a-z]+)/.exec(page.url())[1]);
};
async function open(where = '') {
  await trial.go(page, where);
  await opener().click();
  await field('Task').waitFor();
}
async function close() {
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
}

/// Overflow, and what axe finds.
async function faults(on = page) {
  const wide = await on.evaluate((width) => {
    const inner = document.querySelector('dialog[open]');
    return [document.documentElement.scrollWidth - width, inner ? inner.scrollWidth - inner.clientWidth : 0];
  }, on.viewportSize().width);
  await on.evaluate(axe);
  const { violations } = await on.evaluate(() => axe.run());
  return [...wide.filter((by) => by > 0), ...violations.map((each) => `${each.id}: ${each.nodes[0].html}`)];
}

/// The server does it, and its answer is lost, `times` times.
async function loseAnswers(address, times) {
  let lost = 0;
  const lose = async (route) => (await route.fetch(), ++lost, route.abort());
  await page.route(address, lose, { times });
  return () => lost;
}

test('TheFirstScreenDispatches', async () => {
  const desk = page;
  page = await empty.device();
  await page.locator('.first').getByRole('button', { name: 'New job' }).click();
  await field('Task').fill('echo hello');
  await field('Agent').selectOption('shell');
  await button('Dispatch').click();
  await page.waitForSelector('.job-head');
  assert.equal(empty.json('job', /jobs\/([0-9a-z]+)/.exec(page.url())[1]).task, 'echo hello');
  page = desk;
});

test('ADispatchedJobHasWhatWasChosenAndOpens', async () => {
  await open();
  await field('Project').selectOption('shop');
  await field('Agent').selectOption('listener');
  await field('Task').fill('say <b>it</b>\nin two lines');
  await dialog().getByText('More', { exact: true }).click();
  await field('Priority').selectOption('8');
  await field('Tags, with spaces between them').fill('web, new');
  await field('Retries after a failure').fill('2');
  await field('In a git worktree of its own').check();
  await button('Dispatch').click();
  const job = await openedJob();
  assert.equal(job.project, 'shop');
  assert.equal(job.agent, 'listener');
  assert.equal(job.task, 'say <b>it</b>\nin two lines');
  assert.equal(job.priority, 8);
  assert.deepEqual(job.tags, ['web', 'new']);
  await until('it has a worktree', () => trial.json('job', job.id).worktree);
  const prompt = page.locator('details', { hasText: 'The prompt as sent' });
  await prompt.locator('summary').click();
  await prompt.locator('pre', { hasText: 'say <b>it</b>' }).waitFor();
  await open();
  assert.equal(await field('Project').inputValue(), 'shop');
  assert.equal(await field('Task').inputValue(), '');
  await close();
});

test('SandboxMemoryAndChecksAreChosenAndWhatIsConfiguredIsShown', async () => {
  await open();
  await field('Project').selectOption('tight');
  await field('Agent').selectOption('shell');
  await field('Task').fill('echo made > made');
  await dialog().getByText('More', { exact: true }).click();
  const kinds = () => field('Sandbox').locator('option').evaluateAll((all) => all.map((each) => each.value));
  assert.deepEqual(await kinds(), ['', 'project', 'strict'], 'none weaker is offered');
  assert.equal(await field('Sandbox').locator('option').first().textContent(), 'project, as configured');
  const memory = field('Most memory, such as 4G');
  assert.equal(await memory.getAttribute('placeholder'), '2.0 GiB, as configured');
  await dialog().getByText('They run after those of the project: make test').waitFor();
  await field('Project').selectOption('shop');
  assert.deepEqual(await kinds(), ['', 'off', 'project', 'strict']);
  assert.equal(await memory.getAttribute('placeholder'), 'no limit, as configured');

  await memory.fill('much');
  await button('Dispatch').click();
  const around = dialog().locator('.field', { has: page.getByLabel('Most memory, such as 4G', { exact: true }) });
  await around.locator('[role=alert]', { hasText: 'must be a whole number' }).waitFor();
  assert.deepEqual(await faults(), []);
  await memory.fill('512M');
  await field('Sandbox').selectOption('off');
  await field('Commands that prove its work, one a line').fill('test -s made\nrm made\n');
  const sent = page.waitForRequest((request) => request.url().endsWith('/v1/jobs') && request.method() === 'POST');
  await button('Dispatch').click();
  const body = (await sent).postDataJSON();
  assert.deepEqual([body.sandbox, body.memory_bytes, body.verify], ['off', 512 << 20, ['test -s made', 'rm made']]);
  const job = await openedJob();
  await until('it is proved', () => trial.json('job', job.id).verified === true);
  const fact = (name) => page.locator('.summary .facts > div', { has: page.getByText(name, { exact: true }) });
  assert.match(await fact('Limits').textContent(), /512 MiB memory/);
  assert.match(await fact('Sandbox').textContent(), /none$/);
});

test('OneJobIsMadeAlthoughAnswersAreLost', async () => {
  const before = jobs().length;
  const lost = await loseAnswers('**/v1/jobs', 3);
  await open();
  await field('Task').fill('echo once');
  await field('Agent').selectOption('shell');
  await page.keyboard.press('Control+Enter');
  await dialog().getByText('Sent again, it counts once.').waitFor();
  assert.equal(lost(), 3);
  assert.equal(await field('Task').isDisabled(), true);
  await page.reload();
  await page.waitForSelector('.places');
  await opener().click();
  await button('Send again').click();
  const job = await openedJob();
  assert.equal(job.task, 'echo once');
  assert.equal(jobs().length, before + 1);
});

test('RefusalsStandAtTheirFieldAndKeepWhatIsWritten', async () => {
  const before = jobs().length;
  await open();
  await button('Dispatch').click();
  const around = (label) => dialog().locator('.field', { has: page.getByLabel(label, { exact: true }) });
  const refusalOf = (label) => around(label).locator('[role=alert]');
  await refusalOf('Task').getByText('the task is empty').waitFor();
  await refusalOf('Task').getByText('say what the agent should do').waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.id), 'new-task');
  await field('Task').fill('kept');
  await dialog().getByText('More', { exact: true }).click();
  await field('Retries after a failure').fill('some');
  await dialog().getByText('More', { exact: true }).click();
  await button('Dispatch').click();
  await refusalOf('Retries after a failure').getByText('must be a whole number').waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.id), 'new-retries');
  assert.deepEqual(await faults(), []);
  await field('Retries after a failure').fill('');
  await field('Agent').selectOption('replay');
  await field('Permissions').selectOption('edits');
  await button('Dispatch').click();
  await refusalOf('Permissions').getByText('has no permissions').waitFor();
  await field('Tags, with spaces between them').fill('x'.repeat(65));
  await field('Permissions').selectOption('');
  await button('Dispatch').click();
  await refusalOf('Tags, with spaces between them').getByText('over 64 bytes').waitFor();
  await field('Task').fill('x'.repeat(1_100_000));
  await button('Dispatch').click();
  await refusalOf('Task').getByText('too long').waitFor();
  await field('Task').fill('kept');
  await close();
  await page.reload();
  await page.waitForSelector('.places');
  await opener().click();
  assert.equal(await field('Task').inputValue(), 'kept');
  assert.equal(await field('Agent').inputValue(), 'replay');
  await close();
  assert.equal(jobs().length, before);
});

test('ATaskMovesToAnotherProject', async () => {
  await open();
  await field('Task').fill('for the other');
  await field('Project').selectOption('api');
  assert.equal(await field('Task').inputValue(), 'for the other');
  await field('Project').selectOption('shop');
  await field('Task').fill('');
  await field('Agent').selectOption('');
  await field('Tags, with spaces between them').fill('');
  await close();
});

test('OnlyDevicesThatMayDispatchAreOfferedIt', async () => {
  const viewer = await trial.device({ pair: ['--role', 'viewer'] });
  await viewer.keyboard.press('n');
  assert.equal(await viewer.getByRole('button', { name: 'New job' }).count(), 0);
  assert.equal(await viewer.locator('dialog').count(), 0);
  await viewer.context().close();
  await trial.go(page, 'jobs');
  await page.keyboard.press('t');
  await page.getByLabel('Time that is shown').press('PageDown');
  await opener().waitFor({ state: 'detached' });
  await page.keyboard.press('n');
  assert.equal(await page.locator('dialog').count(), 0);
  await page.reload();
});

test('ADeviceOfOneProjectDispatchesThereAlone', async () => {
  const desk = page;
  page = await trial.device({ pair: ['--role', 'operator', '--project', 'api'] });
  await open();
  assert.deepEqual(await field('Project').locator('option').allTextContents(), ['api']);
  await page.context().close();
  page = desk;
});

for (const colorScheme of ['light', 'dark'])
  for (const width of [375, 1280])
    test(`TheFormFitsAndIsAccessible ${width} ${colorScheme}`, async () => {
      const desk = page;
      page = await trial.device({ width, height: 760, colorScheme });
      await open();
      await dialog().getByText('More', { exact: true }).click();
      const low = await field('Task').evaluate((area) => area.offsetHeight);
      await field('Task').fill('line\n'.repeat(12));
      assert.ok((await field('Task').evaluate((area) => area.offsetHeight)) > low);
      assert.deepEqual(await faults(), []);
      await field('Task').fill('');
      await close();
      await trial.go(page, 'machine');
      await page.getByRole('button', { name: 'Pair a device' }).click();
      const role = dialog().getByRole('combobox', { name: 'What it may do' });
      for (const [name, may] of [['viewer', 'reads'], ['operator', 'dispatches'], ['admin', 'pairs']]) {
        await role.selectOption(name);
        await dialog().getByText(may).waitFor();
      }
      assert.deepEqual(await faults(), []);
      assert.deepEqual(page.problems, []);
      await page.context().close();
      page = desk;
    });

test('AMessageToAnEndedJobRetriesItOnce', async () => {
  const id = trial.dispatch('shop', 'begin', '--agent', 'listener');
  trial.luzia('wait', id);
  await trial.go(page, `jobs/${id}`);
  await page.keyboard.press('m');
  const text = page.getByLabel('Message to the agent', { exact: true }).and(page.locator('textarea'));
  const send = page.getByRole('button', { name: 'Send', exact: true });
  const problem = (hasText) => page.locator('.messages [role=alert]', { hasText }).waitFor();
  await page.waitForFunction(() => document.activeElement?.id === 'message');
  await page.getByText('Nobody has told the agent anything yet.').waitFor();
  await text.fill('x'.repeat(65_537));
  await send.click();
  await problem('the limit is 65536');
  await text.fill('');
  await send.click();
  await problem('the message is empty');
  await text.fill('mind <b>this</b>');
  await page.reload();
  await text.waitFor();
  assert.equal(await text.inputValue(), 'mind <b>this</b>');
  await page.getByText('The job is retried at once').waitFor();
  assert.deepEqual(await faults(), []);
  const lost = await loseAnswers('**/tell', 1);
  await text.press('Control+Enter');
  await page.locator('.toast', { hasText: 'with its next attempt' }).waitFor();
  assert.equal(lost(), 1);
  await until('it ran again', () => {
    const { state, attempts } = trial.json('job', id);
    return state === 'completed' && attempts === 2;
  });
  await page.locator('.message', { hasText: 'Read by attempt 2 in its prompt' }).waitFor();
  const row = trial.json('job', id);
  assert.deepEqual([row.messages.length, row.messages[0].text], [1, 'mind <b>this</b>']);
  const said = await page.locator('.message').textContent();
  assert.ok(said.startsWith(`${row.messages[0].from} at ${row.messages[0].device}`), said);
  assert.ok(said.includes('mind <b>this</b>'), said);
  assert.ok(readFileSync(`${row.dir}/heard`, 'utf8').includes('mind <b>this</b>'));
  assert.equal(await text.inputValue(), '', 'it is sent');
  assert.deepEqual(page.problems, []);
});

test('AMessageCanWaitForARetry', async () => {
  const id = trial.dispatch('shop', 'begin', '--agent', 'listener');
  trial.luzia('wait', id);
  await trial.go(page, `jobs/${id}/messages`);
  await page.getByLabel('Retry the job with it now').uncheck();
  await page.getByText('The message is kept').waitFor();
  await page.locator('#message').fill('for later');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.locator('.toast', { hasText: 'Kept until somebody retries the job' }).waitFor();
  await page.locator('.message', { hasText: 'A retry of the job passes it on' }).waitFor();
  await page.locator('.tabs .count', { hasText: '1 not read' }).waitFor();
  assert.equal(trial.json('job', id).attempts, 1);
  assert.deepEqual(await faults(), []);
  const viewer = await trial.device({ width: 375, height: 812, pair: ['--role', 'viewer'] });
  await trial.go(viewer, `jobs/${id}/messages`);
  await viewer.locator('.message', { hasText: 'for later' }).waitFor();
  await viewer.locator('.tabs .count', { hasText: '1 not read' }).waitFor();
  assert.deepEqual(await faults(viewer), []);
  assert.equal(await viewer.locator('#message, [data-key=m]').count(), 0, 'who may not act sees no box');
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  await viewer.locator('.message', { hasText: 'Read by attempt 2 in its prompt' }).waitFor();
  await viewer.context().close();
});

test('AMessageToARunningJobSaysWhatWillHappen', async () => {
  const id = trial.dispatch('shop', 'begin', '--agent', 'waiter');
  await until('it runs', () => trial.json('job', id).state === 'running');
  await trial.go(page, `jobs/${id}/messages`);
  await page.getByText('The message is in the prompt of the next attempt.').waitFor();
  assert.equal(await page.getByLabel('Retry the job with it now').count(), 0);
  await page.locator('#message').fill('one thing more');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.locator('.message', { hasText: 'Not read yet.' }).waitFor();
  assert.equal(trial.json('job', id).messages_unread, 1);
  trial.luzia('cancel', id, '--grace', '0');
});

test('CommandsTakeNoMessage', async () => {
  const id = trial.shell('shop', 'true');
  trial.luzia('wait', id);
  await trial.go(page, `jobs/${id}`);
  await page.getByRole('button', { name: 'Retry', exact: true }).waitFor();
  await page.locator('[data-key=m]').waitFor({ state: 'detached' });
  await page.locator('.tabs', { hasText: 'Messages' }).waitFor({ state: 'detached' });
});
