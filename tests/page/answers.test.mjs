// Questions and approvals are answered in place.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, afterEach, before, test } from 'node:test';
import { program, Trial, until } from './trial.mjs';

const trial = new Trial();
let jobs;

before(async () => {
  trial.begin();
  jobs = await trial.fill();
});
afterEach(() => trial.closeDevices());
after(() => trial.end());

const card = (page, text) => page.locator('.card', { hasText: text });
const printed = (job) => trial.luzia('logs', job);

test('TheTitleCountsWhatWaits', async () => {
  const page = await trial.device();
  await page.waitForFunction(() => document.title === '(4) Luzia');
});

test('ChoosesAnOption', async () => {
  const page = await trial.device();
  await card(page, 'Deploy where?').getByRole('button', { name: 'production' }).click();
  await card(page, 'Deploy where?').waitFor({ state: 'detached' });
  await until('the agent has it', () => printed(jobs.question).includes('production'));
  await page.waitForFunction(() => document.title === '(3) Luzia');
});

test('AnswersInWordsOnThePhone', async () => {
  const page = await trial.device({ width: 375, height: 812 });
  await trial.go(page, 'ask');
  await card(page, 'Which name').getByRole('textbox').fill('created_at');
  await card(page, 'Which name').getByRole('button', { name: 'Send' }).tap();
  await until('the agent has it', () => printed(jobs.words).includes('created_at'));
});

test('ChoosesSeveral', async () => {
  const page = await trial.device();
  const several = card(page, 'Which ones?');
  await several.getByLabel('red').check();
  await several.getByLabel('blue').check();
  await several.getByRole('button', { name: 'Send 2' }).click();
  await until('the agent has it', () => /red.*blue/s.test(printed(jobs.several)));
});

test('ASecondAnswerIsToldWhoWasFirst', async () => {
  const job = trial.shell('shop', `${program} ask 'Left or right?' --options left,right`);
  const [first, second] = [
    await trial.device(),
    await trial.device({ pair: ['--role', 'operator', '--person', 'ben'] }),
  ];
  for (const page of [first, second]) await card(page, 'Left or right?').waitFor();
  // The second device does not learn of the answer before it gives its own.
  await second.route('**/v1/overview*', (route) => route.abort());
  await card(first, 'Left or right?').getByRole('button', { name: 'left' }).click();
  await card(first, 'Left or right?').waitFor({ state: 'detached' });
  await card(second, 'Left or right?').getByRole('button', { name: 'right' }).click();
  const alert = await card(second, 'Left or right?').getByRole('alert').textContent();
  assert.match(alert, /answered/);
  await until('the first answer counts', () => printed(job).includes('left'));
});

/// Holds back the answers of these pages until each has one on its way: the card that the second person presses would
/// be gone as soon as the page has heard of the first answer.
async function together(pages) {
  const held = [];
  for (const page of pages) {
    await page.unroute('**/answer');
    await page.route('**/answer', (route) => {
      held.push(route);
      if (held.length === pages.length) for (const each of held) void each.continue();
    });
  }
}

test('TwoAnswersAtOnceAreOne', async () => {
  const pages = [await trial.device(), await trial.device({ pair: ['--role', 'operator', '--person', 'ben'] })];
  for (let turn = 0; turn < 5; ++turn) {
    const job = trial.shell('shop', `${program} ask 'Race ${turn}?' --options left,right`);
    const cards = pages.map((page) => card(page, `Race ${turn}?`));
    for (const each of cards) await each.waitFor();
    await together(pages);
    // By key: a click on a card that has just moved does not count.
    await Promise.all(cards.map((each, n) => each.getByRole('button', { name: ['left', 'right'][n] }).press('Enter')));
    for (const each of cards) await each.waitFor({ state: 'detached' });
    trial.luzia('wait', job);
    assert.match(printed(job), /^(left|right)$/);
    const said = trial.json('why', job).events.filter((event) => event.type === 'QuestionAnswered');
    assert.equal(said.length, 1);
  }
});

test('ALostAnswerIsSentAgainAndCountsOnce', async () => {
  const job = trial.shell('shop', `${program} ask 'Once?' --options yes,no`);
  const page = await trial.device();
  const keys = [];
  await page.route('**/answer', async (route) => {
    keys.push(route.request().headers()['idempotency-key']);
    if (keys.length === 1) {
      await route.fetch(); // the server gets it, its answer does not arrive
      return route.abort();
    }
    return route.continue();
  });
  await card(page, 'Once?').getByRole('button', { name: 'yes' }).click();
  await page.getByText('Answered: yes').waitFor();
  assert.equal(keys.length, 2);
  assert.equal(keys[0], keys[1]);
  await until('the agent has it', () => printed(job).includes('yes'));
});

test('DeniesAGateWithANote', async () => {
  const page = await trial.device();
  const gate = card(page, 'deploy');
  await gate.getByText('Note, always').click();
  await gate.getByLabel('Note to the agent').fill('not today');
  await gate.getByRole('button', { name: 'Deny' }).click();
  await gate.waitFor({ state: 'detached' });
  const why = JSON.stringify(trial.json('why', jobs.gate));
  assert.match(why, /not today/);
});

test('OpensAGateOfAFlowAndEndsAStep', async () => {
  const file = `${trial.home}/flow.toml`;
  const steps = [
    'name = "ship"\nprompt = "true"\ngate = "release"',
    'name = "announce"\ndescription = "Tell the team"\nneeds = ["ship"]',
  ];
  writeFileSync(file, `project = "shop"\n${steps.map((step) => `[[steps]]\n${step}\n`).join('')}`);
  const flow = trial.luzia('flow', 'run', file);
  const page = await trial.device();
  await card(page, 'release').getByRole('button', { name: 'Approve' }).click();
  const announce = card(page, 'Tell the team');
  await announce.getByLabel('How it went').fill('told');
  await announce.getByRole('button', { name: 'Done' }).click();
  await announce.waitFor({ state: 'detached' });
  const ended = trial.json('flow', 'status', flow);
  assert.equal(ended.state, 'completed');
  assert.equal(ended.steps[1].output, 'told');
});

test('OwnWordsAreOfferedWhereTheyAreTaken', async () => {
  const calls = [
    { method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test' } } },
    {
      method: 'tools/call',
      params: {
        name: 'permission_prompt',
        arguments: {
          tool_name: 'AskUserQuestion',
          tool_use_id: 'toolu_1',
          input: {
            questions: [{ question: 'Which colour?', header: 'Colour', options: [{ label: 'red' }, { label: 'green' }] }],
          },
        },
      },
    },
  ];
  const lines = calls.map((call, id) => JSON.stringify({ jsonrpc: '2.0', id, ...call }));
  writeFileSync(`${trial.home}/calls`, `${lines.join('\n')}\n`);
  trial.shell('shop', `(cat ${trial.home}/calls; sleep 60) | ${program} mcp`);
  const page = await trial.device();
  const colour = card(page, 'Which colour?');
  await colour.getByRole('textbox', { name: 'Or in your own words' }).fill('a dark blue');
  await colour.getByRole('button', { name: 'Send' }).click();
  await page.getByText('Answered: a dark blue').waitFor();
  trial.shell('shop', `${program} ask 'Only these?' --options red,green`);
  await card(page, 'Only these?').waitFor();
  assert.equal(await card(page, 'Only these?').getByRole('textbox').count(), 0);
});

test('AViewerCannotAnswer', async () => {
  trial.shell('shop', `${program} ask 'May I look?' --options yes,no`);
  const page = await trial.device({ pair: ['--role', 'viewer'] });
  await card(page, 'May I look?').waitFor();
  assert.equal(await card(page, 'May I look?').getByRole('button', { name: 'yes' }).isDisabled(), true);
  await trial.go(page, `jobs/${jobs.running}`);
  assert.equal(await page.getByRole('button', { name: 'Cancel' }).count(), 0);
});

test('ARetryPressedTwiceOnALateViewRunsOnce', async () => {
  const job = trial.shell('shop', `echo run >> ${trial.home}/ran; exit 1`);
  await until('it has failed', () => trial.json('job', job).state === 'failed');
  const page = await trial.device();
  await trial.go(page, `jobs/${job}`);
  const retry = page.getByRole('button', { name: 'Retry' });
  await retry.waitFor();
  await page.route(`**/v1/jobs/${job}`, (route) => route.abort()); // what is shown stays as it was
  const sent = () => page.waitForResponse((response) => response.url().endsWith(`/v1/jobs/${job}/retry`));
  for (let press = 0; press < 2; ++press) {
    const answer = sent();
    await retry.click();
    assert.equal((await (await answer).json()).repeated, press === 1);
    await until('it has failed again', () => trial.json('job', job).attempts === 2 && trial.json('job', job).ended_at);
  }
  assert.equal(readFileSync(`${trial.home}/ran`, 'utf8'), 'run\nrun\n');
});

test('AClickIsNoAnswerToACardThatHasJustMovedThere', async () => {
  // The one with the earlier deadline stands above.
  const asks = Object.entries({ First: '10m', Second: '20m' }).map(([text, timeout]) =>
    trial.shell('shop', `${program} ask '${text} of two?' --options left,right --timeout ${timeout}`),
  );
  const page = await trial.device();
  const [first, second] = ['First', 'Second'].map((text) => card(page, `${text} of two?`));
  for (const each of [first, second]) await each.waitFor();
  // The click comes in the moment in which the card moves up, because the one above it is gone.
  await page.evaluate(() => {
    const of = (text) => [...document.querySelectorAll('.card')].find((each) => each.textContent.includes(text));
    const [upper, lower] = [of('First of two?'), of('Second of two?')];
    const top = lower.offsetTop;
    if (top <= upper.offsetTop) throw new Error('the second card is not below the first');
    const watch = () => {
      if (lower.offsetTop === top) return requestAnimationFrame(watch);
      const button = lower.querySelector('.answers button');
      button.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail: 1 }));
      window.clicked = true;
    };
    requestAnimationFrame(watch);
  });
  await first.getByRole('button', { name: 'left' }).click();
  await page.waitForFunction(() => window.clicked);
  await until('the first is answered', () => printed(asks[0]).includes('left'));
  await page.waitForTimeout(400);
  assert.ok(trial.json('inbox').questions.some((each) => each.question === 'Second of two?'));
  await second.getByRole('button', { name: 'right' }).click();
  await until('the second is answered', () => printed(asks[1]).includes('right'));
});

test('CancelsAndRetriesAJob', async () => {
  const page = await trial.device();
  await trial.go(page, `jobs/${jobs.running}`);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Cancel the job' }).click();
  await page.locator('.state', { hasText: 'killed' }).waitFor();
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.locator('.state', { hasText: 'running' }).waitFor();
  await page.getByText('Attempt 2').waitFor();
});
