// Notifications on this device: the page switches them on, a push service gets them, the service worker shows them.
// Chromium without a window has no push service and no subscriptions: those two are put in its place.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { runs, Trial, until } from './trial.mjs';

const trial = new Trial();
const service = spawn(process.execPath, [resolve(runs, '../../../tools/luzia_web/push_service.mjs')], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const pushes = [];
let keys = null;
createInterface({ input: service.stdout }).on('line', (line) => {
  if (keys) pushes.push(JSON.parse(line));
  else keys = JSON.parse(line);
});

before(async () => {
  await until('the push service listens', () => keys);
  const config = join(trial.home, '.config/luzia/luzia.toml');
  appendFileSync(config, `[web]\npush_services = ["${keys.url}"]\npush_dwell = "0s"\n`);
  trial.begin();
});
after(async () => {
  service.kill();
  await trial.end();
});

const events = (type) =>
  trial
    .luzia('events', '--since', '0', '--json')
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter((event) => event.type === type);

/// Asks, and returns what became of the notification.
async function outcomeOf(question) {
  const ask = `${process.env.LUZIA ?? 'luzia'} ask '${question}' --options yes,no`;
  const job = trial.shell('shop', ask);
  const told = () => {
    const asked = events('QuestionAsked').find((event) => event.stream === `job/${job}`);
    return asked && events('HookDelivered').find((event) => event.data.position === asked.position);
  };
  return (await until(`the outcome of ${question}`, told)).data.outcome;
}

/// What the push service answers from now on.
const serviceAnswers = (status) =>
  fetch(`${keys.url}/answer`, { method: 'POST', body: JSON.stringify({ status, headers: {} }) });

/// In the place of what Chromium subscribes to.
function subscribing({ url, p256dh, auth }) {
  let own = null;
  const endpoint = `${url}/page`;
  PushManager.prototype.getSubscription = async () => own;
  PushManager.prototype.subscribe = async ({ applicationServerKey }) =>
    (own = {
      endpoint,
      options: { applicationServerKey: applicationServerKey.buffer },
      toJSON: () => ({ endpoint, keys: { p256dh, auth } }),
      unsubscribe: async () => ((own = null), true),
    });
}

async function deliver(page, text) {
  const devtools = await page.context().newCDPSession(page);
  const registered = new Promise((done) =>
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: [first] }) => first && done(first)),
  );
  await devtools.send('ServiceWorker.enable');
  const { registrationId } = await registered;
  await devtools.send('ServiceWorker.deliverPushMessage', { origin: trial.url, registrationId, data: text });
}

const shown = (page) =>
  page.evaluate(async () => {
    const all = await (await navigator.serviceWorker.ready).getNotifications();
    return all.map(({ title, body, tag }) => ({ title, body, tag }));
  });
/// A worker acts before the browser has said that it is there: it has just been installed, or a push has started it
/// again.
const workerOf = async (context) => context.serviceWorkers()[0] ?? context.waitForEvent('serviceworker');
/// The event of a click is made by the test, so that the browser lets it wait for nothing.
const click = async (page) =>
  (await workerOf(page.context())).evaluate(async () => {
    const [notification] = await self.registration.getNotifications();
    self.dispatchEvent(new NotificationEvent('notificationclick', { notification }));
  });
const hide = (page) =>
  page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { get: () => true });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  });

test('ADeviceIsNotifiedWhileNobodyLooks', async () => {
  const page = await trial.device();
  await page.context().grantPermissions(['notifications'], { origin: trial.url });
  await page.addInitScript(subscribing, keys);
  await page.reload();
  await trial.go(page, 'machine');
  await page.getByRole('button', { name: 'Notify me on this device' }).click();
  await page.getByText(`Through ${keys.url}`).waitFor();

  await page.getByRole('button', { name: 'Send a test' }).click();
  await until('the test arrives', () => pushes.length === 1);
  assert.equal(pushes[0].text.url, '/#/machine');

  await until('the daemon knows of the page', async () => (await outcomeOf('Seen?')) === 'suppressed', 60_000);
  await hide(page);
  await until('the daemon knows that it is hidden', async () => (await outcomeOf('Deploy?')) === 'delivered', 60_000);
  const push = await until('the question arrives', () => pushes.find((each) => each.text?.body === 'Deploy?'));
  assert.equal(push.wrong, undefined);

  await deliver(page, JSON.stringify(push.text));
  const [notification] = await until('it is shown', async () => (await shown(page)).length > 0 && shown(page));
  assert.deepEqual(notification, { title: 'shop: question asked', body: 'Deploy?', tag: push.text.tag });
  await click(page);
  await page.locator('.card', { hasText: 'Deploy?' }).first().waitFor();
  assert.equal(new URL(page.url()).hash, '#/ask');
  assert.deepEqual(await shown(page), []);

  await serviceAnswers(400);
  assert.equal(await outcomeOf('Lost?'), 'given_up');
  await serviceAnswers(201);
  await trial.go(page, 'machine');
  const own = page.locator('.device', { hasText: 'this device' });
  await own.getByText(/Notified of asks; the last that failed, \d+s ago: .*400/).waitFor();
  await own.getByRole('button', { name: 'Test' }).click();
  await until('a second test arrives', () => pushes.filter((each) => each.text?.url === '/#/machine').length === 2);
  await page.getByRole('button', { name: 'Switch off' }).click();
  await page.getByRole('button', { name: 'Notify me on this device' }).waitFor();
  assert.equal(events('PushEnded').length, 1);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('APushWithoutAReadableTextIsShownAndLeadsToThePageAlone', async () => {
  const page = await trial.device();
  await page.context().grantPermissions(['notifications'], { origin: trial.url });
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
  for (const text of ['no json', JSON.stringify({ title: 'Elsewhere', url: 'https://elsewhere.example/' })]) {
    // The browser loses a push to a worker that it is just about to stop. A second one replaces the first.
    let delivered = 0;
    await until('it is shown', async () => {
      if (Date.now() - delivered > 4000) {
        await deliver(page, text);
        delivered = Date.now();
      }
      return (await shown(page)).length > 0;
    });
    await click(page);
    await until('it is gone', async () => (await shown(page)).length === 0);
    assert.equal(new URL(page.url()).origin, trial.url);
  }
  await page.context().close();
});
