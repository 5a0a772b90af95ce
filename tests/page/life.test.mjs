// Live updates, killed servers, a lost network, revoked devices.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Trial, until } from './trial.mjs';

const trial = new Trial();

before(() => trial.begin());
after(() => trial.end());

const ask = (text) =>
  trial.dispatch('shop', `${process.env.LUZIA ?? 'luzia'} ask '${text}' --options yes,no`, '--agent', 'shell');
const shown = (page, text) => page.locator('.card', { hasText: text }).waitFor({ timeout: 20_000 });

test('AQuestionAppearsByItself', async () => {
  const page = await trial.device();
  await page.getByText('Nothing waits for you.').waitFor();
  ask('First?');
  await shown(page, 'First?');
  await page.context().close();
});

test('OutputIsFollowed', async () => {
  const job = trial.dispatch('shop', 'for n in $(seq 60); do echo "line $n"; sleep 0.1; done', '--agent', 'shell');
  const page = await trial.device();
  await trial.go(page, `jobs/${job}/output`);
  await page.locator('.term-row', { hasText: 'line 40' }).waitFor({ timeout: 30_000 });
  await page.locator('.state', { hasText: 'completed' }).waitFor({ timeout: 30_000 });
  await page.locator('.term-row', { hasText: 'line 60' }).waitFor();
  assert.equal(await page.getByText('Follow the end').count(), 0);
  await page.context().close();
});

test('AKilledServerIsSaidAndItsReturnCatchesUp', async () => {
  const page = await trial.device();
  await shown(page, 'First?');
  const address = new URL(trial.url).host;
  trial.kill(trial.webPid);
  await page.getByText(/Not connected since/).waitFor();
  ask('While it was away?');
  trial.startWeb(address);
  await shown(page, 'While it was away?');
  await page.getByText(/Not connected since/).waitFor({ state: 'detached', timeout: 30_000 });
  await page.context().close();
});

test('AKilledDaemonComesBack', async () => {
  const page = await trial.device();
  await shown(page, 'First?');
  trial.kill(trial.json('daemon', 'status').pid);
  trial.luzia('daemon', 'start');
  ask('After the crash?');
  await shown(page, 'After the crash?');
  await page.context().close();
});

test('ALostNetworkIsSaidAndItsReturnCatchesUp', async () => {
  const page = await trial.device();
  await shown(page, 'First?');
  await page.context().setOffline(true);
  ask('Without a network?');
  await page.context().setOffline(false);
  await shown(page, 'Without a network?');
  await page.context().close();
});

test('TheCodeLeavesTheAddress', async () => {
  const page = await trial.device();
  assert.equal(page.url(), `${trial.url}/`);
  await page.context().close();
});

test('AWrongCodeIsRefusedAndAnotherCanBeTyped', async () => {
  const page = await (await (await trial.browser()).newContext()).newPage();
  await page.goto(`${trial.url}/`);
  await page.getByLabel('Code').fill('00000000');
  await page.getByRole('button', { name: 'Pair' }).click();
  await page.getByRole('alert').filter({ hasText: /\w/ }).waitFor();
  await page.getByLabel('Code').fill(trial.code('--role', 'viewer').toLowerCase());
  await page.getByRole('button', { name: 'Pair' }).click();
  await page.waitForSelector('.places');
  await page.context().close();
});

test('ARevokedDeviceIsOutAtOnce', async () => {
  const page = await trial.device({ pair: ['--role', 'operator', '--name', 'lost phone'] });
  await shown(page, 'First?');
  const { devices } = trial.json('web', 'devices');
  trial.luzia('web', 'revoke', devices.find((device) => device.name === 'lost phone' && !device.revoked_at).id);
  await page.getByRole('heading', { name: 'Pair this device' }).waitFor({ timeout: 30_000 });
  assert.equal(await page.locator('.card').count(), 0);
  await page.context().close();
});

test('AnotherTimeShowsWhatWasKnownThen', async () => {
  const page = await trial.device();
  await shown(page, 'First?');
  ask('Later?');
  await shown(page, 'Later?');
  await page.getByRole('button', { name: 'Another time' }).click();
  const slider = page.getByRole('slider', { name: 'Time that is shown' });
  await slider.focus();
  await page.keyboard.press('Home');
  await page.getByText('Nothing waits for you.').waitFor();
  await page.getByRole('button', { name: 'Back to now' }).click();
  await shown(page, 'Later?');
  await page.context().close();
});
