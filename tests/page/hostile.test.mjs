// What agents print and are told cannot act in the page.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Trial } from './trial.mjs';

const kScript = '<script>alert(1)</script><img src=x onerror=alert(2)><svg onload=alert(3)>';
const kHostile = [
  kScript,
  '\u001b[31mred\u001b[0m \u001b]0;title\u0007\u001b[2J\u001b[H\u001bc\u009b2J end ' +
    '\u001b]8;;javascript:alert(4)\u001b\\link\u001b]8;;\u001b\\',
  'left \u202eright\u2066 isolate',
  'x'.repeat(1_000_000),
  'after the long line',
  JSON.stringify({ type: 'assistant', session_id: 's', message: { content: [{ type: 'text', text: kScript }] } }),
  JSON.stringify({
    type: 'assistant',
    session_id: 's',
    message: { content: [{ type: 'tool_use', id: 't', name: kScript, input: { command: kScript, [kScript]: 1 } }] },
  }),
  JSON.stringify({
    type: 'user',
    session_id: 's',
    message: { content: [{ type: 'tool_result', tool_use_id: 't', content: kScript }] },
  }),
  JSON.stringify({
    type: 'assistant',
    session_id: 's',
    message: { content: [null, 5, { type: 'text', text: { a: 1 } }] },
  }),
  `::error file=${kScript},line=1::${kScript}`,
  '',
].join('\n');

const trial = new Trial();
let job;
let page;

before(async () => {
  trial.begin();
  writeFileSync(
    join(trial.home, 'hostile.txt'),
    Buffer.concat([Buffer.from(kHostile), Buffer.from([0xff, 0xfe, 0x00, 0x0a])]),
  );
  job = trial.shell('shop', `cat ${trial.home}/hostile.txt; : ${kScript.replaceAll(/[<>()&|;]/g, '\\$&')}`, '--wait');
  trial.shell('shop', `${process.env.LUZIA ?? 'luzia'} ask '${kScript}' --options '${kScript},\u202eno'`);
  page = await trial.device();
});
after(() => trial.end());

/// The page holds no element of the text, and nothing of it has run.
async function harmless() {
  assert.deepEqual(page.problems, []);
  assert.equal(
    await page.locator('main img:not([src="/icon.svg"]), main script, main svg[onload], main iframe').count(),
    0,
  );
  assert.doesNotMatch(await page.title(), /title/);
  // eslint-disable-next-line no-control-regex
  assert.doesNotMatch(
    await page.evaluate(() => document.body.innerText),
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/,
  );
}

test('AQuestionIsText', async () => {
  await page.waitForSelector('.card');
  await harmless();
  assert.match(await page.textContent('.card'), /<script>alert\(1\)<\/script>/);
  assert.match(await page.textContent('.card'), /<U\+202E>no/);
});

test('OutputIsText', async () => {
  await trial.go(page, `jobs/${job}/output`);
  await page.getByRole('button', { name: 'To the beginning' }).click();
  await page.locator('.term-row', { hasText: '<script>alert(1)' }).first().waitFor();
  await harmless();
  assert.equal(await page.locator('.term-row .ansi-f1').first().textContent(), 'red');
  assert.match(await page.textContent('.term-scroll'), /left <U\+202E>right<U\+2066> isolate/);
});

test('ALineOfAMegabyteKeepsThePageQuick', async () => {
  await page.getByRole('searchbox', { name: 'Find in output' }).fill('after the long');
  await page.keyboard.press('Enter');
  await page.locator('.term-row.lit', { hasText: 'after the long line' }).waitFor();
  assert.ok((await page.locator('.term-row').count()) < 200, 'only what is in sight is in the document');
});

for (const [tab, wait] of [
  ['transcript', '.tool'],
  ['why', '.why-event'],
  ['timeline', '.lanes'],
]) {
  test(`TheViewIsText ${tab}`, async () => {
    await trial.go(page, `jobs/${job}/${tab}`);
    await page.waitForSelector(wait);
    for (const row of await page.locator('.tool > summary').all()) await row.click();
    await harmless();
  });
}

test('ListsAreText', async () => {
  await trial.go(page, 'jobs');
  await page.waitForSelector('.job-row');
  await harmless();
});

test('ALinkCannotLeadElsewhere', async () => {
  const hrefs = await page.evaluate(() => [...document.querySelectorAll('a')].map((link) => link.getAttribute('href')));
  assert.deepEqual(
    hrefs.filter((href) => !href.startsWith('#')),
    [],
  );
});
