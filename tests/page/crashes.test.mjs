// luziad and luzia-web are killed again and again while people work in the page: nothing is lost or done twice.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { program, Trial, until } from './trial.mjs';

const trial = new Trial();

before(() => trial.begin());
after(() => trial.end());

const ask = (text) => trial.shell('shop', `${program} ask '${text}' --options yes,no`);
const card = (page, text) => page.locator('.card', { hasText: text });
const events = (type) =>
  trial
    .luzia('events', '--json')
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter((event) => event.type === type);

/// Clicks, kills one of the two, or both, while the click is on its way, and starts them again at the same address.
async function clickAndCrash(button, turn) {
  const [address, daemon] = [new URL(trial.url).host, trial.json('daemon', 'status').pid];
  await button.click();
  if (turn % 3 !== 1) trial.kill(daemon);
  if (turn % 3 !== 0) trial.kill(trial.webPid);
  if (turn % 3 !== 1) trial.luzia('daemon', 'start');
  if (turn % 3 !== 0) trial.startWeb(address);
}

/// Presses until it has taken effect, as a person does who is told that it has not.
async function press(button, done) {
  const again = async () => {
    if (await done()) return true;
    const enabled = await button.isEnabled({ timeout: 100 }).catch(() => false);
    if (enabled) await button.click({ timeout: 500 }).catch(() => undefined);
    return false;
  };
  await until('it has taken effect', again, 60_000);
}

test('AnswersBetweenCrashesCountOnce', async () => {
  const kTurns = 9;
  const pages = [await trial.device(), await trial.device({ width: 375, height: 812 })];
  const jobs = Array.from({ length: kTurns }, (_, turn) => ask(`Turn ${turn}?`));
  for (const [turn, job] of jobs.entries()) {
    const [page, option] = [pages[turn % 2], turn % 2 ? 'no' : 'yes'];
    await card(page, `Turn ${turn}?`).waitFor({ timeout: 60_000 });
    const button = card(page, `Turn ${turn}?`).getByRole('button', { name: option });
    await clickAndCrash(button, turn);
    await press(button, async () => trial.luzia('logs', job).includes(option));
  }
  for (const page of pages) {
    await page.getByText('Nothing waits for you.').waitFor({ timeout: 60_000 });
    await page.getByText(/Not connected since/).waitFor({ state: 'detached', timeout: 30_000 });
    assert.deepEqual(page.problems, []);
    await page.context().close();
  }
  jobs.forEach((job, turn) => assert.equal(trial.luzia('logs', job), turn % 2 ? 'no' : 'yes'));
  const answered = events('QuestionAnswered').map((event) => event.stream);
  assert.deepEqual(
    answered.sort(),
    jobs.map((job) => `job/${job}`).sort(),
  );
});

test('RetriesBetweenCrashesRunOnce', async () => {
  const jobs = Array.from({ length: 6 }, (_, turn) =>
    trial.shell('shop', `echo run >> ${trial.home}/ran-${turn}; exit 1`),
  );
  const page = await trial.device();
  for (const [turn, job] of jobs.entries()) {
    await until('it has failed', () => trial.json('job', job).state === 'failed');
    await trial.go(page, `jobs/${job}`);
    const button = page.getByRole('button', { name: 'Retry' });
    await clickAndCrash(button, turn);
    await press(button, () => trial.json('job', job).attempts === 2);
  }
  await until('all have failed again', () => jobs.every((job) => trial.json('job', job).state === 'failed'));
  jobs.forEach((_, turn) => assert.equal(readFileSync(`${trial.home}/ran-${turn}`, 'utf8'), 'run\nrun\n'));
  await page.context().close();
});
