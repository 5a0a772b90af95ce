// A flow: its graph, its steps, and what people do with them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Trial, until } from './trial.mjs';

const trial = new Trial();
let flow;
let page;

before(async () => {
  trial.begin();
  flow = await trial.flow();
  page = await trial.device();
});
after(() => trial.end());

const press = async (...keys) => {
  for (const key of keys) await page.keyboard.press(key);
};
const step = (name) => trial.json('flow', 'status', flow).steps.find((each) => each.name === name);
const node = (name) => page.locator('.node', { hasText: name });

test('StepsStandBehindThoseTheyNeed', async () => {
  await trial.go(page, `flows/${flow}`);
  await page.waitForSelector('.node');
  const places = Object.fromEntries(
    await page.locator('.node').evaluateAll((all) =>
      all.map((each) => [each.querySelector('.node-name').textContent, each.getBoundingClientRect().left]),
    ),
  );
  assert.deepEqual(Object.keys(places).sort(), ['announce', 'build', 'docs', 'notes', 'ship']);
  assert.ok(places.ship > places.build && places.notes > places.build && places.announce > places.ship);
  assert.equal(await page.locator('.edge').count(), 4);
});

test('TheStepThatAsksIsShownFirst', async () => {
  assert.equal(await page.locator('.step-head h2').textContent(), 'ship');
  await page.locator('.suggestion', { hasText: 'retry step docs' }).click();
  await page.locator('.step-output', { hasText: 'no such theme' }).waitFor();
  assert.match(page.url(), /step=docs/);
});

test('TheTimesOfStepsStandOnOneAxis', async () => {
  const times = page.locator('.flow-times');
  const told = (name) => times.locator(`a[aria-label^="${name}: "]`).getAttribute('aria-label');
  assert.match(await told('build'), /completed\. (waited .*, )?ran <?\d/);
  assert.match(await told('docs'), /failed\. (waited .*, )?ran <?\d/);
  assert.match(await told('ship'), /at gate release\. waited .* so far/);
  assert.equal(await told('announce'), 'announce: waits. ', 'it cannot begin yet');
  const left = (name, bar) =>
    times.locator(`a[aria-label^="${name}: "] ${bar}`).evaluate((each) => each.getBoundingClientRect().left);
  assert.ok((await left('ship', '.waits')) >= (await left('build', '.span')), 'it waits since build is done');
  await times.locator('a[aria-label^="build: "]').focus();
  await press('Enter');
  await page.waitForFunction(() => document.querySelector('.step-head h2')?.textContent === 'build');
});

test('AGateIsOpenedByKeyboard', async () => {
  await press('g', 'f');
  await page.waitForSelector('.step-bar');
  await press('j', 'Enter');
  await page.waitForSelector('.graph');
  await node('ship').focus();
  await press('Enter');
  await page.getByRole('button', { name: 'Approve' }).focus();
  await press('Enter');
  await until('the step has run', () => step('ship').state === 'completed');
  await page.locator('.node-completed', { hasText: 'ship' }).waitFor();
});

test('AStepForAPersonIsCompletedWithItsResult', async () => {
  await node('notes').click();
  await page.getByLabel('Words about it').fill('they are in NOTES.md');
  await page.getByRole('button', { name: 'Done', exact: true }).click();
  await until('the next step has run', () => step('announce').state === 'completed');
  assert.equal(step('notes').output, 'they are in NOTES.md');
});

test('AFailedStepIsDoneAgain', async () => {
  await node('docs').click();
  await page.getByRole('button', { name: 'Do it again' }).click();
  await until('it has run twice', () => step('docs').jobs.length === 2);
});

test('AJobLeadsToItsStep', async () => {
  await trial.go(page, `jobs/${step('build').job}`);
  await page.locator('.summary a', { hasText: 'step build' }).click();
  await page.waitForFunction(() => document.querySelector('.step-head h2')?.textContent === 'build');
});

test('NumbersSayHowStepsWent', async () => {
  await trial.go(page, 'numbers');
  const row = (name) => page.getByRole('region', { name: 'Table of steps' }).locator('tr', { hasText: name });
  await row('build').getByText('100 %').waitFor();
  await row('docs').getByText('0 %').waitFor();
});

test('AViewerSeesTheFlowButNoActions', async () => {
  const viewer = await trial.device({ pair: ['--role', 'viewer'] });
  await trial.go(viewer, `flows/${flow}`);
  await viewer.waitForSelector('.node');
  assert.equal(await viewer.locator('.step-actions, .actions').count(), 0);
  assert.deepEqual(viewer.problems, []);
});
