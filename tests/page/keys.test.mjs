// The whole page without a mouse.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Trial, until } from './trial.mjs';

const trial = new Trial();
let jobs;
let page;

before(async () => {
  trial.begin();
  jobs = await trial.fill();
  page = await trial.device();
});
after(() => trial.end());

const press = async (...keys) => {
  for (const key of keys) await page.keyboard.press(key);
};
const focused = () => page.evaluate(() => document.activeElement?.textContent);
/// Where the row with the focus leads: its text has times that go on.
const row = () => page.evaluate(() => document.activeElement?.getAttribute('href'));

test('AnswersAQuestion', async () => {
  await page.waitForSelector('.card');
  await press('a');
  assert.equal(await focused(), 'staging');
  await press('Tab');
  assert.equal(await focused(), 'production');
  await press('Enter');
  await until('the agent has it', () => trial.luzia('logs', jobs.question).includes('production'));
});

test('FindsAJobAndReadsIt', async () => {
  await press('g', 'j');
  await page.waitForSelector('.job-row');
  await press('/');
  await page.keyboard.type('state:failed');
  await page.waitForFunction(() => document.querySelectorAll('.job-row').length === 1);
  await press('Escape', 'j', 'Enter');
  await page.waitForSelector('.job-head');
  assert.match(page.url(), new RegExp(jobs.failing));
  await press('3');
  await page.waitForSelector('.why-event');
  await press('u');
  await page.waitForSelector('.job-row');
});

test('GoesToAScreenAProjectAndAJobByItsWordsOrId', async () => {
  const choose = async (words, title) => {
    await press('Control+k');
    await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'combobox');
    await page.keyboard.type(words);
    await page.locator('.goal[aria-selected=true]', { hasText: title }).waitFor();
    await press('Enter');
    await page.waitForSelector('dialog', { state: 'detached' });
  };
  await choose('mach', 'Machine');
  await page.waitForSelector('.figures');
  await choose('api', 'api');
  await page.waitForFunction(() => decodeURIComponent(location.hash) === '#/jobs?q=project:api');
  await choose('claude-s3', /^claude-s3/);
  await page.waitForFunction((id) => location.hash.includes(id), jobs.agent);
  await choose(jobs.failing, `Job ${jobs.failing}`);
  await page.waitForFunction((id) => location.hash.includes(id), jobs.failing);
  await choose('nothing like it', 'Search for “nothing like it”');
  await page.waitForFunction(() => location.hash.startsWith('#/search?q=nothing'));
});

test('ThePaletteMovesByArrowsAndClosesWithoutATrace', async () => {
  await press('g', 'n');
  await page.waitForSelector('.now');
  const url = page.url();
  await press('/');
  await page.waitForSelector('.goals');
  const active = () => page.locator('[role=combobox]').getAttribute('aria-activedescendant');
  const first = await active();
  await press('ArrowDown');
  assert.notEqual(await active(), first);
  await press('ArrowUp', 'ArrowUp');
  assert.equal(await active(), `goal-${await lastGoal()}`, 'from the first to the last');
  await press('Escape');
  await page.waitForSelector('dialog', { state: 'detached' });
  assert.equal(page.url(), url);
});

const lastGoal = () =>
  page
    .locator('.goal')
    .last()
    .evaluate((each) => each.id.slice('goal-'.length));

test('MovesThroughARow', async () => {
  await press('g', 'j');
  await page.waitForSelector('.job-row');
  await press('j');
  const first = await row();
  await press('j');
  const second = await row();
  assert.notEqual(first, second);
  await press('k');
  assert.equal(await row(), first);
});

test('HelpTrapsTheFocusAndGivesItBack', async () => {
  await press('g', 'm');
  await page.waitForSelector('.figures');
  await press('j');
  const before = await row();
  await press('?');
  await page.waitForSelector('dialog[open]');
  for (let n = 0; n < 6; ++n) await press('Tab');
  assert.equal(
    await page.evaluate(
      () => document.activeElement === document.body || document.activeElement.closest('dialog') !== null,
    ),
    true,
  );
  await press('Escape');
  await page.waitForSelector('dialog', { state: 'detached' });
  assert.equal(await row(), before);
});

test('AJobIsDispatchedAndItsAgentIsTold', async () => {
  await press('n');
  await page.waitForFunction(() => document.activeElement?.id === 'new-task');
  assert.deepEqual(await unreached('dialog[open] '), []);
  await page.locator('#new-task').focus();
  await page.keyboard.type('first\nsecond');
  await press('Shift+Tab', 'Shift+Tab');
  await page.keyboard.type('shop');
  await press('Tab');
  await page.keyboard.type('listener');
  await press('Tab', 'Control+Enter');
  await page.waitForSelector('.job-head');
  const id = /jobs\/([0-9a-z]+)/.exec(page.url())[1];
  assert.equal(trial.json('job', id).task, 'first\nsecond');
  assert.equal(trial.json('job', id).agent, 'listener');
  await page.locator('[data-key=m]').waitFor();
  await press('m');
  await page.waitForFunction(() => document.activeElement?.id === 'message');
  await page.getByLabel('Retry the job with it now').waitFor(); // it has ended
  await page.keyboard.type('again');
  await press('Control+Enter');
  await until('the agent is told', () => trial.json('job', id).messages?.[0].how === 'prompt');
  await until('it has ended, and moves from one list to another no more', () => trial.json('job', id).ended_at);
  await page.waitForTimeout(1000); // the page hears of it a moment later
});

/// Names what the Tab key does not reach on a screen or in a part of it, and what shows no focus.
async function unreached(part = '') {
  const marked = await page.evaluate((part) => {
    // Arrow keys lead from the first line of a hunk to the others, and from the last result to those before it.
    const controls =
      'a[href]:not(.result[tabindex="-1"]), button:enabled:not(.pick[tabindex="-1"]), ' +
      'input:enabled, select:enabled, textarea:enabled, summary';
    const found = [...document.querySelectorAll(`${part}:is(${controls})`)].filter((each) => each.checkVisibility());
    found.forEach((each, index) => (each.dataset.control = index));
    document.activeElement?.blur();
    return found.map((each) => each.outerHTML.slice(0, 120));
  }, part);
  assert.ok(marked.length > (part ? 2 : 8));
  const missing = new Map(marked.map((text, index) => [String(index), text]));
  const plain = [];
  for (let presses = 0; missing.size > 0 && presses < 2 * marked.length + 20; ++presses) {
    await press('Tab');
    const { control, shown } = await page.evaluate(() => {
      const active = document.activeElement;
      const bar = active.querySelector('.bar-ground'); // of a chart: it is filled
      return { control: active.dataset?.control, shown: bar || getComputedStyle(active).outlineStyle !== 'none' };
    });
    if (!shown) plain.push(missing.get(control));
    missing.delete(control);
  }
  return [...missing.values(), ...plain.filter(Boolean)];
}

test('EachControlIsReachedAndShowsItsFocus', async () => {
  const screens = ['', 'ask', 'jobs', 'flows', 'numbers', 'machine'];
  for (const tab of ['', '/output', '/why', '/timeline']) screens.push(`jobs/${jobs.failing}${tab}`);
  for (const where of [...screens, `jobs/${jobs.edit}/files`, `jobs/${jobs.question}`]) {
    await trial.go(page, where);
    assert.deepEqual(await unreached(), [], where);
  }
});

test('SingleKeysCanBeTurnedOff', async () => {
  await press('?');
  await page.getByLabel('Single keys are on').focus();
  await press('Space', 'Escape');
  await page.waitForSelector('dialog', { state: 'detached' });
  const url = page.url();
  await press('g', 'n');
  assert.equal(page.url(), url);
});

test('TheFirstTabStopLeadsToTheContent', async () => {
  await trial.go(page, 'machine');
  await page.reload();
  await page.waitForSelector('.figures');
  await press('Tab');
  assert.equal(await focused(), 'To the content');
  await press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'main');
});
