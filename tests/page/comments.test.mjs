// Comments on lines of a job's diff become one message to its agent.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { Trial, until } from './trial.mjs';

const trial = new Trial();
let page;
let job;

before(async () => {
  trial.begin();
  page = await trial.device();
});
after(() => trial.end());

const number = (file, line) =>
  page
    .locator('.file', { hasText: file })
    .getByRole('button', { name: new RegExp(`^Comment on (old )?line ${line}$`) });
const text = (name) => page.getByRole('textbox', { name });
const listed = () => page.locator('.comments .comment-text').allTextContents();
const edited = async () => {
  const made = trial.dispatch('shop', 'edit', '--agent', 'listener');
  trial.luzia('wait', made);
  await trial.go(page, `jobs/${made}/files`);
  await page.waitForSelector('.pick');
  return made;
};

test('LinesAndRangesAreCommentedByMouseAndKeyboard', async () => {
  job = await edited();
  await number('a.ts', 1).click();
  await number('a.ts', 2).last().click();
  await text('Comment on lines 1 to 2').fill('name them');
  await page.getByRole('button', { name: 'Keep the comment' }).click();
  await page.locator('.comment-row', { hasText: 'name them' }).waitFor();

  await number('new.txt', 1).focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA');
  await page.keyboard.type('no <b>markup</b>');
  await page.keyboard.press('Control+Enter');
  assert.deepEqual(await listed(), ['name them', 'no <b>markup</b>']);

  await number('a.ts', 1).focus();
  await page.keyboard.press('Shift+ArrowDown');
  await text(/^Comment on line/).fill('not kept');
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('.comment-form').count(), 0);
});

test('CommentsSurviveAReload', async () => {
  await page.reload();
  await page.waitForSelector('.comments');
  assert.deepEqual(await listed(), ['name them', 'no <b>markup</b>']);
  await page.locator('.comment-row', { hasText: 'name them' }).waitFor();
});

test('CommentsAreChangedAndDeleted', async () => {
  const cards = page.locator('.comments .comment');
  await cards.first().getByRole('button', { name: 'Edit' }).click();
  await page.locator('.comments textarea').fill('name both');
  await page.getByRole('button', { name: 'Keep the comment' }).click();
  await number('new.txt', 1).click();
  await text('Comment on line 1').fill('superfluous');
  await page.getByRole('button', { name: 'Keep the comment' }).click();
  await cards.last().getByRole('button', { name: 'Delete' }).click();
  assert.deepEqual(await listed(), ['name both', 'no <b>markup</b>']);
});

test('OneMessageArrivesOnceAlthoughItsAnswerIsLost', async () => {
  let lost = 0;
  await page.route(
    '**/retry',
    async (route) => {
      await route.fetch();
      ++lost;
      await route.abort();
    },
    { times: 1 },
  );
  await page.getByRole('button', { name: 'Send as one message' }).click();
  await page.locator('.comments').waitFor({ state: 'detached' });
  assert.equal(lost, 1);
  await until('it ran again', () => trial.json('job', job).state === 'completed');
  const row = trial.json('job', job);
  assert.equal(row.attempts, 2);
  assert.equal(
    row.message,
    'Comments on the changes of the files:\n\n' +
      'a.ts, lines 1 to 2:\n>  export const a = 1;\n> -export const b = 2;\n> +export const b = 3;\n\nname both\n\n' +
      'new.txt, line 1:\n> +<b>new</b>\n\nno <b>markup</b>\n',
  );
  assert.ok(readFileSync(`${row.dir}/heard`, 'utf8').includes(row.message));
  await page.reload();
  await page.waitForSelector('.job-head');
  assert.equal(await page.locator('.comments').count(), 0);
});

test('RefusedMessageKeepsItsComments', async () => {
  trial.git('checkout', '-q', 'a.ts');
  job = await edited();
  await number('a.ts', 1).click();
  await text('Comment on line 1').fill('too late');
  await page.getByRole('button', { name: 'Keep the comment' }).click();
  trial.luzia('rm', job, '--yes');
  await page.getByRole('button', { name: 'Send as one message' }).click();
  await page.locator('.comments [role=alert]', { hasText: 'removed' }).waitFor();
  assert.deepEqual(await listed(), ['too late']);
  assert.deepEqual(page.problems, []);
});

test('ThumbsChooseLinesOnAPhone', async () => {
  trial.git('checkout', '-q', 'a.ts');
  const desk = page;
  page = await trial.device({ width: 375, height: 720 });
  await edited();
  await number('a.ts', 2).last().tap();
  await text('Comment on line 2').fill('from the phone');
  await page.getByRole('button', { name: 'Keep the comment' }).tap();
  assert.deepEqual(await listed(), ['from the phone']);
  const wide = (await page.evaluate(() => document.documentElement.scrollWidth)) > page.viewportSize().width;
  assert.equal(wide, false);
  page = desk;
});

test('AgentOfARunningJobIsToldTheComments', async () => {
  const running = trial.dispatch('shop', 'edit', '--agent', 'waiter');
  await until('it has edited', () => trial.json('job', running).last_line === 'edited');
  await trial.go(page, `jobs/${running}/files`);
  await number('a.ts', 1).click();
  await text('Comment on line 1').fill('later');
  await page.getByRole('button', { name: 'Keep the comment' }).click();
  await page.getByRole('button', { name: 'Send as one message' }).click();
  await page.locator('.comments').waitFor({ state: 'detached' });
  const { messages } = trial.json('job', running);
  assert.equal(messages.length, 1);
  assert.ok(messages[0].text.includes('a.ts, line 1:') && messages[0].text.includes('later'));
  assert.deepEqual([messages[0].channel, messages[0].read_at], ['web', null]);
  trial.luzia('cancel', running, '--grace', '0');
});
