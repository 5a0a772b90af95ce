import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { Pages } from '../src/screens/pages.ts';

const kSize = 10;
let newest = 999; // of rows 0 to this
let asked: string[] = [];
let answered = 0;

/// Rows in descending order; a cursor is the last row of the page before.
globalThis.fetch = (async (path: string) => {
  asked.push(path);
  const cursor = new URLSearchParams(path.slice(path.indexOf('?'))).get('cursor');
  const top = cursor === null ? newest : Number(cursor) - 1;
  const rows = Array.from({ length: Math.min(kSize, top + 1) }, (_, index) => top - index);
  const last = rows.at(-1)!;
  const headers: HeadersInit = last > 0 ? { link: `</v1/rows?cursor=${last}&limit=10>; rel="next"` } : {};
  return new Response(JSON.stringify(rows), { headers });
}) as typeof fetch;

const newPages = () => new Pages<number>('/v1/rows?limit=10', kSize, (body) => body as number[], () => ++answered);

async function settled(): Promise<void> {
  while (answered < asked.length) await new Promise((done) => setTimeout(done));
}

async function scroll(pages: Pages<number>, from: number, to: number): Promise<void> {
  for (let row = from; from < to ? row < to : row > to; row += from < to ? 5 : -5) {
    pages.show(Math.max(0, row), row + 10);
    await settled();
  }
}

beforeEach(() => {
  newest = 999;
  asked = [];
  answered = 0;
});

test('EveryPageIsReadOnceOnTheWayToTheEnd', async () => {
  const pages = newPages();
  pages.show(0, 10);
  await settled();
  assert.equal(pages.total, 30, 'more is announced');
  await scroll(pages, 0, 1000);
  assert.ok(pages.complete);
  assert.equal(pages.total, 1000);
  assert.equal(pages.row(999), 0);
  assert.equal(asked.length, 100);
  assert.equal(new Set(asked).size, 100);
});

test('PagesOutOfSightAreForgottenAndReadAgain', async () => {
  const pages = newPages();
  await scroll(pages, 0, 500);
  assert.equal(pages.row(0), null);
  assert.equal(pages.row(495), 504);
  const { total } = pages;
  await scroll(pages, 500, -5);
  assert.equal(pages.row(0), 999);
  assert.equal(pages.row(495), null);
  assert.ok(pages.total >= total, 'what is forgotten is still counted');
});

test('NewRowsMoveWhatFollows', async () => {
  const pages = newPages();
  await scroll(pages, 0, 100);
  newest = 1002;
  await pages.refresh(0, 5);
  assert.equal(pages.row(0), 1002);
  assert.equal(pages.total, 30, 'what follows begins elsewhere');
  await scroll(pages, 0, 100);
  assert.deepEqual([pages.row(99), pages.row(100)], [903, 902]);
});

test('AListThatCouldNotBeReadIsReadLater', async () => {
  const { fetch } = globalThis;
  globalThis.fetch = (path) => (asked.push(String(path)), Promise.reject(new Error('no network')));
  const pages = newPages();
  pages.show(0, 10);
  await settled();
  assert.equal(pages.problem?.code, 'silent');
  globalThis.fetch = fetch;
  await pages.refresh(0, 10);
  assert.equal(pages.problem, null);
  assert.equal(pages.row(0), 999);
});
