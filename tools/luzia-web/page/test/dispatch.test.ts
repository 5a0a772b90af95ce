import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { Problem } from '../src/base/api.ts';
import { forgetDrafts, Forms } from '../src/base/drafts.ts';
import { bodyOf, configuredFor, dispatches, fieldOf, firstChoice, moveDraft } from '../src/dispatch/fields.ts';
import { rememberProject, sandboxesFrom, tooLong, type Fields } from '../src/dispatch/fields.ts';

const store = new Map<string, string>();
const listeners: ((event: object) => void)[] = [];
Object.assign(globalThis, {
  addEventListener: (_name: string, listener: (event: object) => void) => void listeners.push(listener),
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

/// What the server was asked: [command id, task], and what it answers.
const asked: [string, string][] = [];
let answers: (number | 'lost')[] = [];
globalThis.fetch = (async (_path: string, init: { headers: Headers; body: string }) => {
  asked.push([init.headers.get('idempotency-key')!, JSON.parse(init.body).task]);
  const status = answers.shift() ?? 201;
  if (status === 'lost') throw new TypeError('network');
  return new Response(JSON.stringify({ id: 'j1', code: 'x' }), { status });
}) as unknown as typeof fetch;

let project = '';
let projects = 0;
beforeEach(() => {
  project = `p${++projects}`;
  asked.length = 0;
  answers = [];
});

const written = (part: Partial<Fields>): Fields => ({ ...dispatches.empty, ...part });
const send = () => dispatches.send(project, '/v1/jobs', bodyOf(project, dispatches.of(project).value.fields));
const inStore = () => store.has(`luzia.dispatch.${project}`);

test('EmptyFieldsAreLeftToTheProject', () => {
  assert.deepEqual(bodyOf('shop', written({ task: 'fix it' })), { project: 'shop', task: 'fix it' });
});

test('EachFieldBecomesWhatTheServerTakes', () => {
  const fields = written({ task: 'half \ud800', agent: 'codex', priority: '0', tags: ' a, b\tc ', retries: ' 2 ' });
  assert.deepEqual(bodyOf('shop', { ...fields, worktree: true, permissions: 'plan' }), {
    project: 'shop',
    task: 'half \ufffd',
    agent: 'codex',
    priority: 0,
    tags: ['a', 'b', 'c'],
    worktree: true,
    permissions: 'plan',
    retries: 2,
  });
  for (const odd of ['1.5', 'many', '-1', '99999999999'])
    assert.equal((bodyOf('shop', written({ retries: odd })) as { retries: unknown }).retries, odd);
});

test('SizesAreBytesAndChecksAreLines', () => {
  const memory = (text: string) => (bodyOf('shop', written({ memory: text })) as { memory_bytes?: unknown }).memory_bytes;
  assert.deepEqual(['512', '4G', ' 4 GiB ', '2kib', '1T'].map(memory), [512, 2 ** 32, 2 ** 32, 2048, 2 ** 40]);
  assert.equal(memory(' '), undefined);
  for (const odd of ['1.5G', '-4G', 'much', '4GB8', '999999999999999T']) assert.equal(memory(odd), odd);
  const verify = (text: string) => (bodyOf('shop', written({ verify: text })) as { verify?: unknown }).verify;
  assert.deepEqual(verify(' make test\n\n  git diff --check \n'), ['make test', 'git diff --check']);
  assert.equal(verify(' \n '), undefined);
});

test('ADeviceChoosesNoWiderSandboxThanIsConfigured', () => {
  const agent = { name: 'claude', sandbox: 'project', memory_bytes: 2 ** 30 } as const;
  const project = { name: 'shop', path: '/shop', agent: 'claude', sandbox: null, memory_bytes: null, verify: [] };
  const of = (part: object, name = '') => configuredFor({ ...project, ...part }, [agent], name);
  assert.deepEqual(of({}), { sandbox: 'project', memory_bytes: 2 ** 30 });
  assert.deepEqual(of({ sandbox: 'off', memory_bytes: 5 }, 'claude'), { sandbox: 'off', memory_bytes: 5 });
  assert.equal(of({}, 'unknown'), null);
  assert.deepEqual(sandboxesFrom('off'), ['off', 'project', 'strict']);
  assert.deepEqual(sandboxesFrom('strict'), ['strict']);
});

test('RefusalsStandAtTheirField', () => {
  const at = (code: string, message = '') => fieldOf(new Problem(message, 400, code, ''));
  assert.equal(at('unknown_agent'), 'agent');
  assert.equal(at('permissions_too_wide'), 'permissions');
  assert.equal(at('bad_field', 'the field retries must be at most 1000'), 'retries');
  assert.equal(at('bad_field', 'the field memory_bytes must be a whole number'), 'memory');
  assert.equal(at('sandbox_too_weak'), 'sandbox');
  assert.equal(at('bad_verify'), 'verify');
  assert.equal(at('bad_field', 'the field constructor must be a string'), null);
  assert.equal(at('rate_limited'), null);
});

test('TooLongTasksAreNotSent', () => {
  const of = (task: string) => tooLong(bodyOf('shop', written({ task })));
  assert.equal(of('é'.repeat(500_000)), null);
  assert.equal(fieldOf(of('é'.repeat(530_000))!), 'task');
});

test('DraftsAreKeptPerProjectUntilTheyAreTaken', async () => {
  dispatches.write(project, { task: 'one', tags: 'a' });
  assert.equal(JSON.parse(store.get(`luzia.dispatch.${project}`)!).fields.task, 'one');
  assert.equal(dispatches.of('another').value.fields.task, '');
  assert.deepEqual(await send(), { id: 'j1', code: 'x' });
  assert.deepEqual(dispatches.of(project).value, { fields: dispatches.empty, sending: null });
  assert.equal(inStore(), false);
});

test('ADraftThatIsEmptiedIsForgotten', () => {
  dispatches.write(project, { task: 'one' });
  dispatches.write(project, { task: '' });
  assert.equal(inStore(), false);
});

test('LostAnswersAreAskedForWithTheSameIdAndBody', async () => {
  answers = ['lost', 'lost', 'lost', 503];
  dispatches.write(project, { task: 'one' });
  await assert.rejects(send());
  dispatches.write(project, { task: 'changed elsewhere' });
  await assert.rejects(send());
  await send();
  assert.equal(asked.length, 5);
  assert.equal(new Set(asked.map(String)).size, 1);
  assert.equal(asked[0]![1], 'one');
  assert.equal(inStore(), false);
});

test('ARefusedDispatchCanBeChangedAndSentAnew', async () => {
  answers = [400];
  dispatches.write(project, { task: 'one' });
  await assert.rejects(send());
  assert.equal(dispatches.of(project).value.sending, null);
  dispatches.write(project, { task: 'two' });
  await send();
  assert.deepEqual(asked.map(([, task]) => task), ['one', 'two']);
  assert.notEqual(asked[0]![0], asked[1]![0]);
});

test('OtherTabsShowTheSameDraft', () => {
  const draft = dispatches.of(project);
  const newValue = JSON.stringify({ fields: { task: 'from there', worktree: 'yes' }, sending: null });
  for (const listener of listeners) listener({ key: `luzia.dispatch.${project}`, newValue });
  assert.deepEqual(draft.value.fields, written({ task: 'from there' }));
});

test('WhatNoPageHasKeptIsAnEmptyDraft', () => {
  const forms = new Forms('message', { text: '' });
  const odd = ['{', '[1]', '"x"', '{"fields":7,"sending":{"id":3}}'];
  for (const [key, text] of odd.entries()) {
    store.set(`luzia.message.${key}`, text);
    assert.deepEqual(forms.of(String(key)).value, { fields: { text: '' }, sending: null });
  }
});

test('AnotherProjectTakesTheDraftUnlessItHasOne', () => {
  const other = `${project}-other`;
  dispatches.write(project, { task: 'mine' });
  moveDraft(project, other);
  assert.equal(dispatches.of(other).value.fields.task, 'mine');
  assert.equal(inStore(), false);
  dispatches.write(project, { task: 'newer' });
  moveDraft(project, other);
  assert.equal(dispatches.of(other).value.fields.task, 'mine');
  assert.equal(dispatches.of(project).value.fields.task, 'newer');
});

test('TheLastProjectIsChosenWhileItExists', () => {
  const all = ['api', 'shop'].map((name) => ({ name, path: '/', agent: null }));
  assert.equal(firstChoice(all), 'api');
  rememberProject('shop');
  assert.equal(firstChoice(all), 'shop');
  rememberProject('gone');
  assert.equal(firstChoice(all), 'api');
});

test('AnotherPersonFindsNoDrafts', () => {
  dispatches.write(project, { task: 'for ana' });
  store.set('luzia.message.of-an-earlier-page', '{}');
  store.set('luzia.theme', 'dark');
  forgetDrafts();
  assert.deepEqual(dispatches.of(project).value, { fields: dispatches.empty, sending: null });
  assert.deepEqual([...store.keys()].filter((key) => /message|dispatch/.test(key)), []);
  assert.equal(store.get('luzia.theme'), 'dark');
});
