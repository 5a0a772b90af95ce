import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { forgetDrafts } from '../src/base/drafts.ts';
import { bytesOf } from '../src/base/text.tsx';
import { addComment, draftOf, editComment, sendComments } from '../src/job/comments.ts';
import { messageOf, placeOf, quoteOf } from '../src/job/comments.ts';
import { diffsOf } from '../src/job/diff.ts';
import { isAnother, me } from '../src/base/me.ts';

const store = new Map<string, string>();
Object.assign(globalThis, {
  addEventListener: () => undefined,
  localStorage: {
    getItem: (key: string) => store.get(key) ?? null,
    setItem: (key: string, value: string) => void store.set(key, value),
    removeItem: (key: string) => void store.delete(key),
    key: (index: number) => [...store.keys()][index] ?? null,
    get length() {
      return store.size;
    },
  },
});

const lines = diffsOf('diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -3,3 +3,3 @@\n a\n-b\n+B\n c\n')[0]!.hunks[0]!.lines;
const comment = (text: string) => ({ path: 'f', place: 'line 4', quote: '+B', last: ':4', text });

/// What the server was asked: [command id, message], and what it answers.
const asked: [string, string][] = [];
let answers: (number | 'lost')[] = [];
globalThis.fetch = (async (_path: string, init: { headers: Headers; body: string }) => {
  asked.push([init.headers.get('idempotency-key')!, JSON.parse(init.body).message]);
  const status = answers.shift() ?? 200;
  if (status === 'lost') throw new TypeError('network');
  return new Response(JSON.stringify({ code: 'x' }), { status });
}) as unknown as typeof fetch;

let job = 0;
let id = '';
beforeEach(() => {
  id = `job${++job}`;
  asked.length = 0;
  answers = [];
});

test('PlacesAreThoseOfTheFileNow', () => {
  assert.equal(placeOf(lines), 'lines 3 to 5');
  assert.equal(placeOf(lines.slice(1, 3)), 'line 4');
  assert.equal(placeOf(lines.slice(1, 2)), 'removed line 4');
  assert.equal(quoteOf(lines), ' a\n-b\n+B\n c');
  const many = Array.from({ length: 40 }, () => lines[0]!);
  assert.match(quoteOf(many), /\n\(10 more lines\)$/);
});

test('AMessageQuotesWhatItIsAbout', () => {
  const message = messageOf([
    { ...comment('say why \n'), id: '1', path: 'ä b.ts', quote: '-b\n+B' },
    { ...comment('half \ud83d of a \0pair'), id: '2' },
  ]);
  assert.equal(
    message,
    'Comments on the changes of the files:\n\nä b.ts, line 4:\n> -b\n> +B\n\nsay why\n\n' +
      'f, line 4:\n> +B\n\nhalf \ufffd of a pair\n',
  );
  assert.equal(bytesOf('ä'), 2);
});

test('CommentsAreKeptUntilTheServerHasTakenThem', async () => {
  addComment(id, comment('one'));
  addComment(id, comment('two'));
  assert.equal(JSON.parse(store.get(`luzia.comments.${id}`)!).comments.length, 2);
  await sendComments(id);
  assert.equal(asked.length, 1);
  assert.deepEqual(draftOf(id).value, { comments: [], sending: null });
  assert.equal(store.has(`luzia.comments.${id}`), false);
});

test('ALostMessageIsSentAgainAsItWas', async () => {
  addComment(id, comment('one'));
  answers = ['lost', 'lost', 'lost'];
  await assert.rejects(sendComments(id));
  editComment(id, draftOf(id).value.comments[0]!.id, 'changed');
  addComment(id, comment('later'));
  await sendComments(id);
  assert.equal(new Set(asked.map(String)).size, 1, 'one command id and one text');
  assert.deepEqual(
    draftOf(id).value.comments.map((each) => each.text),
    ['changed', 'later'],
  );
  await sendComments(id);
  assert.notEqual(asked.at(-1)![0], asked[0]![0]);
});

test('ARefusedMessageIsWrittenAnew', async () => {
  addComment(id, comment('one'));
  answers = [409];
  await assert.rejects(sendComments(id));
  assert.equal(draftOf(id).value.sending, null);
  editComment(id, draftOf(id).value.comments[0]!.id, '');
  assert.deepEqual(draftOf(id).value.comments, []);
  answers = [503];
  addComment(id, comment('two'));
  await assert.rejects(sendComments(id));
  assert.notEqual(draftOf(id).value.sending, null, 'the daemon may have it');
});

test('AnotherPersonFindsNoComments', () => {
  const person = (name: string) => (me.value = { device: 'd', name: '', person: name, role: 'operator', projects: [] });
  store.delete('luzia.person');
  person('ana');
  addComment(id, comment('for ana'));
  addComment(`${id}b`, comment('also'));
  store.set('luzia.theme', 'dark');
  assert.equal(isAnother('person'), false, 'nobody was known before');
  assert.equal(isAnother('person'), false);
  person('bob');
  assert.equal(isAnother('person'), true);
  forgetDrafts();
  assert.equal(draftOf(id).value.comments.length, 0);
  assert.deepEqual([...store.keys()].filter((key) => key.includes('comments')), []);
  assert.equal(store.get('luzia.theme'), 'dark');
  assert.equal(isAnother('person'), false);
});
