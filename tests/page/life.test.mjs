// Live updates, killed servers, a lost network, revoked devices, and who gets a browser's token.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { program, Trial, until } from './trial.mjs';

const trial = new Trial();

before(() => trial.begin());
afterEach(() => trial.closeDevices());
after(() => trial.end());

const ask = (text) =>
  trial.shell('shop', `${program} ask '${text}' --options yes,no`);
const shown = (page, text) => page.locator('.card', { hasText: text }).waitFor({ timeout: 20_000 });

test('AQuestionAppearsByItself', async () => {
  const page = await trial.device();
  await page.getByRole('heading', { name: 'Nothing has run yet' }).waitFor();
  ask('First?');
  await shown(page, 'First?');
});

test('OutputIsFollowed', async () => {
  const job = trial.shell('shop', 'for n in $(seq 60); do echo "line $n"; sleep 0.1; done');
  const page = await trial.device();
  await trial.go(page, `jobs/${job}/output`);
  await page.locator('.term-row', { hasText: 'line 40' }).waitFor({ timeout: 30_000 });
  await page.locator('.state', { hasText: 'completed' }).waitFor({ timeout: 30_000 });
  await page.locator('.term-row', { hasText: 'line 60' }).waitFor();
  assert.equal(await page.getByText('Follow the end').count(), 0);
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
});

test('AKilledDaemonComesBack', async () => {
  const page = await trial.device();
  await shown(page, 'First?');
  trial.kill(trial.json('daemon', 'status').pid);
  trial.luzia('daemon', 'start');
  ask('After the crash?');
  await shown(page, 'After the crash?');
});

test('ALostNetworkIsSaidAndItsReturnCatchesUp', async () => {
  const page = await trial.device();
  await shown(page, 'First?');
  await page.context().setOffline(true);
  ask('Without a network?');
  const first = page.locator('.card', { hasText: 'First?' });
  await first.getByRole('button', { name: 'yes' }).click();
  await first.getByText('The server does not answer.').waitFor();
  await page.getByText(/Not connected since/).waitFor();
  await page.context().setOffline(false);
  await shown(page, 'Without a network?');
  await page.getByText(/Not connected since/).waitFor({ state: 'detached', timeout: 30_000 });
  assert.ok(trial.json('inbox').questions.some((question) => question.question === 'First?'));
});

test('ASuspendedTabCatchesUp', async () => {
  const page = await trial.device();
  await shown(page, 'First?');
  const session = await page.context().newCDPSession(page);
  const turn = (state) => session.send('Page.setWebLifecycleState', { state });
  await turn('frozen');
  ask('While it slept?');
  const address = new URL(trial.url).host;
  trial.kill(trial.webPid);
  trial.startWeb(address);
  await turn('active');
  await shown(page, 'While it slept?');
});

test('AClockThatIsSetChangesNoTimes', async () => {
  const page = await trial.device({ clock: true });
  await shown(page, 'First?');
  const again = page.waitForResponse(/overview/);
  await page.clock.setSystemTime(Date.now() + 86_400_000);
  await again;
  await page.locator('.card', { hasText: 'First?' }).locator('.due', { hasText: /asked \d+[sm] ago/ }).waitFor();
});

test('TheCodeLeavesTheAddress', async () => {
  const page = await trial.device();
  assert.equal(page.url(), `${trial.url}/`);
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
});

test('ARevokedDeviceIsOutAtOnce', async () => {
  const page = await trial.device({ pair: ['--role', 'operator', '--name', 'lost phone'] });
  await shown(page, 'First?');
  const { devices } = trial.json('web', 'devices');
  trial.luzia('web', 'revoke', devices.find((device) => device.name === 'lost phone' && !device.revoked_at).id);
  await page.getByRole('heading', { name: 'Pair this device' }).waitFor({ timeout: 30_000 });
  assert.equal(await page.locator('.card').count(), 0);
});

test('ALinkPairsNoBrowserAgainUnasked', async () => {
  const page = await trial.device({ pair: ['--role', 'viewer', '--name', 'paired once'] });
  const paired = () => trial.json('web', 'devices').devices.length;
  const before = paired();
  await page.goto('about:blank');
  await page.goto(`${trial.url}/#code=${trial.code()}`);
  await page.getByRole('heading', { name: 'Pair this device again?' }).waitFor();
  assert.equal(paired(), before);
  await page.getByRole('button', { name: 'Keep it as it is' }).click();
  await page.waitForSelector('.places');
  assert.equal(paired(), before);
});

test('AServerAtAnotherPortGetsNoToken', async () => {
  const page = await trial.device();
  const got = [];
  const thief = createServer((request, answer) => {
    got.push(request.headers);
    answer.setHeader('content-type', 'text/html');
    answer.end('<script>document.title = JSON.stringify({ ...localStorage })</script>');
  });
  await new Promise((listening) => thief.listen(0, '127.0.0.1', listening));
  // From a page of its own, so that the browser takes the second request as one of the same site.
  await page.goto(`http://127.0.0.1:${thief.address().port}/`);
  await page.evaluate(() => fetch('/again', { credentials: 'include' }));
  thief.close();
  const cookie = got.at(-1).cookie ?? '';
  assert.match(cookie, /luzia-\d+=/, 'the browser sends the cookie to every port');
  assert.equal(await page.title(), '{}');
  const ask = (headers) => fetch(`${trial.url}/v1/jobs`, { headers }).then((answer) => answer.status);
  assert.equal(await ask({ cookie }), 401);
  assert.equal(await ask({ authorization: `Bearer ${cookie.replace(/.*luzia-\d+=([^;]*).*/, '$1')}` }), 401);
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
});

test('AnotherTimeShowsTheOutputOfThen', async () => {
  const go = join(trial.home, 'go-on');
  const job = trial.shell('shop', `echo early; while [ ! -e ${go} ]; do sleep 0.1; done; echo late; exit 3`);
  const newest = () => String(trial.json('jobs', '--limit', '1').position);
  const recorded = () => trial.json('job', job, '--at', newest()).output.bytes;
  await until('the first line is recorded', () => recorded() === 6);
  let second = Math.floor(Date.now() / 1000) + 1; // the field has seconds, and leaves :00 out
  if (second % 60 === 0) ++second;
  await until('some time passes', () => Date.now() > (second + 2) * 1000);
  writeFileSync(go, '');
  await until('it has ended', () => trial.json('job', job).ended_at);

  const page = await trial.device({ timezoneId: 'UTC' });
  await trial.go(page, `jobs/${job}/output`);
  await page.locator('.term-row', { hasText: 'late' }).waitFor();
  await page.keyboard.press('t');
  await page.getByLabel('Show this time').fill(new Date(second * 1000).toISOString().slice(0, 19));
  await page.locator('.term-row', { hasText: 'late' }).waitFor({ state: 'detached' });
  await page.locator('.term-row', { hasText: 'early' }).waitFor();
  await page.locator('.state', { hasText: 'running' }).waitFor();
  await page.getByText('6 bytes', { exact: true }).waitFor();
  // A job that was not there yet is not shown as it became.
  await page.getByLabel('Show this time').fill('2020-01-01T00:00:30');
  await page.locator('.trouble', { hasText: 'there was no job' }).waitFor();
  // Played at an hour a second, it comes back to now.
  await page.getByLabel('Show this time').fill(new Date(second * 1000).toISOString().slice(0, 19));
  await page.locator('.term-row', { hasText: 'early' }).waitFor();
  await page.getByLabel('Speed').selectOption('3600');
  await page.getByRole('button', { name: 'Play' }).click();
  await page.locator('.term-row', { hasText: 'late' }).waitFor();
  await page.locator('.time-shown', { hasText: 'now' }).waitFor();
  assert.deepEqual(page.problems, []);
});
