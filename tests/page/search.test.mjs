// Words in tasks, outputs and what was learned; and in one output, however large it is.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Trial, until } from './trial.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const kHostile = '<img src=x onerror=alert(1)> \u202egranite\u001b[31m\u0000 r\u00f6t \u6f22\u5b57 \ud83e\udeb5';
const kBigLines = 2_000_000; // of 50 bytes

const trial = new Trial();
let page;
let pebbles;
let big;

before(async () => {
  trial.begin();
  writeFileSync(join(trial.home, 'hostile.txt'), `one\n${kHostile}\nthree\n`);
  trial.dispatch('shop', `cat ${trial.home}/hostile.txt`, '--agent', 'shell', '--wait');
  pebbles = trial.dispatch('api', 'for n in 1 2 3 4 5; do echo a Pebble $n; done', '--agent', 'shell', '--wait');
  trial.luzia('learn', 'solution', 'add', 'a pebble in the shoe', 'take it out', '--project', 'api');
  trial.luzia('learn', 'fact', 'add', 'pebble', 'is a', 'small stone', '--project', 'api');
  const line = 'a line of fifty bytes, of which there are many...';
  const script = `yes '${line}' | head -${kBigLines / 2}; echo the needle 1; yes '${line}' | head -${kBigLines / 2}`;
  big = trial.dispatch('shop', `${script}; echo the needle 2; echo end`, '--agent', 'shell', '--wait');
  page = await trial.device();
});
after(() => trial.end());

const field = () => page.getByRole('searchbox', { name: 'Search' });
const group = (name) => page.getByRole('region', { name, exact: true });
const settled = () =>
  page.waitForFunction(() => !document.querySelector('.search-state')?.textContent.includes('Searching'));

async function find(words) {
  await trial.go(page, 'search');
  await field().fill(words);
  await page.waitForSelector('.search-state');
  await settled();
}

test('FindsTasksOutputsSolutionsAndFactsWhileOneTypes', async () => {
  await find('PEBBLE');
  assert.match(await group('Jobs').textContent(), /echo a Pebble/);
  assert.equal(await group('Outputs').locator('.found-line').count(), 3);
  assert.match(await group('Outputs').textContent(), /More lines in this output/);
  assert.equal(await group('Outputs').locator('mark').first().textContent(), 'Pebble');
  assert.match(await group('Solutions').textContent(), /a pebble in the shoe/);
  assert.match(await group('Facts').textContent(), /pebble is a small stone/);
  assert.match(page.url(), /search\?q=PEBBLE/);
  await page.reload();
  await page.waitForSelector('.found-line');
  assert.equal(await field().inputValue(), 'PEBBLE', 'the address has the words');
});

test('ALineLeadsToItsByte', async () => {
  await find('Pebble 3');
  await group('Outputs').locator('.found-line').click();
  await page.locator('.term-row.lit', { hasText: 'a Pebble 3' }).waitFor();
  assert.match(page.url(), new RegExp(`jobs/${pebbles}/output\\?byte=24&to=32`));
});

test('AnOldAnswerNeverReplacesANewerOne', async () => {
  await trial.go(page, 'search');
  let free;
  const held = new Promise((done) => (free = done));
  await page.route('**/v1/search/**words=nothing-here*', async (route) => {
    await held;
    const jobs = [{ id: 'old', lines: [], task: 'OLD', state: 'completed' }];
    await route.fulfill({ json: { jobs, next: null } }).catch(() => undefined);
  });
  await field().fill('nothing-here');
  await page.waitForFunction(() => location.hash.includes('nothing-here'));
  await field().fill('Pebble');
  await page.waitForSelector('.found-line');
  free();
  await settled();
  await page.waitForTimeout(300);
  assert.doesNotMatch(await page.textContent('.search'), /OLD/);
  await page.unroute('**/v1/search/**words=nothing-here*');
});

test('SaysWhatIsNotThere', async () => {
  await find('no such words at all');
  assert.match(await page.textContent('.search-state'), /Nothing has “no such words at all”/);
  await field().fill('');
  await page.waitForSelector('.search .empty');
  assert.equal(await page.locator('.search-group').count(), 0);
});

test('TextOfAgentsStaysText', async () => {
  for (const words of ['granite', '<img src=x', 'r\u00f6t', '\u6f22', '\ud83e\udeb5']) {
    await find(words);
    assert.equal(await group('Outputs').locator('mark').first().textContent(), words);
  }
  assert.equal(await page.locator('main img').count(), 0);
  assert.match(await group('Outputs').textContent(), /<U\+202E>/);
  await find('<script>alert(2)</script>');
  assert.match(await page.textContent('.search-state'), /<script>alert\(2\)/);
  assert.deepEqual(page.problems, []);
});

test('APastMomentHasOnlyWhatWasThere', async () => {
  const asked = [];
  const note = (request) => /\/v1\/(search|solutions|facts)/.test(request.url()) && asked.push(request.url());
  page.on('request', note);
  await trial.go(page, 'search?q=Pebble');
  await page.waitForSelector('.found-line');
  await page.keyboard.press('Escape');
  await page.locator('h1').evaluate(() => document.activeElement?.blur());
  await page.keyboard.press('t');
  asked.length = 0;
  await page.getByRole('slider', { name: 'Time that is shown' }).fill('1'); // an hour ago
  await page.waitForFunction(() => /Nothing has/.test(document.querySelector('.search-state')?.textContent ?? ''));
  page.off('request', note);
  assert.ok(asked.some((url) => url.includes('/v1/search/outputs')));
  assert.deepEqual(
    asked.filter((url) => !url.includes('at=')),
    [],
  );
  await page.getByRole('button', { name: 'Back to now' }).click();
  await page.waitForSelector('.found-line');
});

test('SearchWorksByKeyboardAlone', async () => {
  await trial.go(page, 'machine');
  await page.keyboard.press('s');
  await page.waitForFunction(() => document.activeElement?.id === 'search');
  await page.keyboard.type('Pebble 5');
  await page.waitForSelector('.found-line');
  await settled();
  await page.keyboard.press('Escape');
  for (let n = 0; n < 5; ++n) {
    await page.keyboard.press('j');
    if (await page.evaluate(() => document.activeElement?.classList.contains('found-line'))) break;
  }
  await page.keyboard.press('Enter');
  await page.locator('.term-row.lit', { hasText: 'a Pebble 5' }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('m');
  await page.waitForSelector('.figures');
  await page.keyboard.press('s');
  await page.waitForFunction(() => document.activeElement?.id === 'search');
});

for (const colorScheme of ['light', 'dark']) {
  for (const [width, height] of [
    [375, 812],
    [1280, 800],
  ]) {
    test(`SearchIsForEverybody ${width} ${colorScheme}`, async () => {
      const own = await trial.device({ width, height, colorScheme });
      for (const [where, wait] of [
        ['search', '.search .empty'],
        ['search?q=pebble', '.fact'],
        ['search?q=none-of-this', 'text=Nothing has'],
      ]) {
        await trial.go(own, where);
        await own.waitForSelector(wait);
        const overflow = (await own.evaluate(() => document.documentElement.scrollWidth)) - own.viewportSize().width;
        assert.ok(overflow <= 0, `${where}: wider than the window by ${overflow}`);
        await own.evaluate(axe);
        const { violations } = await own.evaluate(() => axe.run());
        assert.deepEqual(violations.map((each) => `${each.id}: ${each.nodes[0].html}`), [], where);
      }
      assert.ok(await own.getByRole('link', { name: 'Search' }).isVisible(), 'in the navigation');
      assert.deepEqual(own.problems, []);
      await own.context().close();
    });
  }
}

test('AWordIsFoundInALargeOutputWithoutLoadingIt', async () => {
  let loaded = 0;
  const sizes = [];
  page.on('response', (response) => {
    if (!response.url().includes('/output')) return;
    sizes.push(response.body().then((body) => (loaded += body.length), () => undefined));
  });
  await trial.go(page, `jobs/${big}/output`);
  await page.locator('.term-row', { hasText: 'end' }).waitFor();
  const finding = page.getByRole('searchbox', { name: 'Find in output' });
  await finding.fill('NEEDLE');
  await page.keyboard.press('Enter');
  await page.locator('.term-row.lit', { hasText: 'the needle 1' }).waitFor();
  await page.locator('.term-find [role=status]', { hasText: /2 lines$/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.term-row.lit', { hasText: 'the needle 2' }).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.term-row.lit', { hasText: 'the needle 1' }).waitFor();
  await page.keyboard.press('Shift+Enter');
  await page.locator('.term-row.lit', { hasText: 'the needle 2' }).waitFor();
  await finding.fill('no such word');
  await page.keyboard.press('Enter');
  await page.locator('.term-find [role=status]', { hasText: 'not found' }).waitFor();
  await Promise.all(sizes);
  assert.ok(loaded < 3_000_000, `${loaded} bytes of an output of ${kBigLines * 50}`);
});

test('AWordFarInsideALongLineComesIntoSight', async () => {
  const script = "head -c 15000 /dev/zero | tr '\\0' x; echo ' a far word'; seq 50";
  const long = trial.dispatch('shop', script, '--agent', 'shell', '--wait');
  await trial.go(page, `jobs/${long}/output`);
  await page.getByRole('searchbox', { name: 'Find in output' }).fill('far word');
  await page.keyboard.press('Enter');
  const row = page.locator('.term-row.lit', { hasText: 'far word' });
  await row.waitFor();
  await until('it is in sight', async () => {
    const [shown, all] = [await row.boundingBox(), await page.locator('.term-scroll').boundingBox()];
    return shown && shown.y >= all.y && shown.y + shown.height <= all.y + all.height;
  });
});

test('ASearchOfAnOutputCanBeStopped', async () => {
  await page.route('**/output/find?**', async (route) => {
    await new Promise((done) => setTimeout(done, 200));
    const found = { lines: [], count: 0, reached: 5_000_000, over: false, size: 100_000_000 };
    await route.fulfill({ json: found }).catch(() => undefined);
  });
  await page.getByRole('searchbox', { name: 'Find in output' }).fill('for ever');
  await page.keyboard.press('Enter');
  await page.locator('.term-find [role=status]', { hasText: 'searching, 5 %' }).waitFor();
  let asked = 0;
  await page.getByRole('button', { name: /^Stop the search/ }).click();
  page.on('request', (request) => (asked += request.url().includes('/output/find') ? 1 : 0));
  await page.waitForTimeout(600);
  assert.equal(asked, 0);
  assert.equal(await page.getByRole('button', { name: /^Stop the search/ }).count(), 0);
  await page.unroute('**/output/find?**');
});

test('TheEndIsReadInPiecesHoweverLargeTheOutputIs', async () => {
  const ranges = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname.endsWith('/output')) ranges.push(Number(searchParams.get('limit')));
  });
  await trial.go(page, 'jobs');
  await trial.go(page, `jobs/${big}/output`);
  await page.locator('.term-row', { hasText: 'end' }).waitFor();
  const opened = ranges.length;
  await page.locator('.term-scroll').hover();
  for (let n = 0; n < 40; ++n) await page.mouse.wheel(0, -2000);
  await until('more was read', () => ranges.length > opened);
  assert.ok(ranges.every((limit) => limit <= 256 * 1024), ranges.join(' '));
  assert.ok(ranges.length < 10, `${ranges.length} requests`);
});
