import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Job, Message } from '../src/base/shapes.ts';
import { acceptedWords, expectation, readWords, writerOf } from '../src/job/message_words.ts';

const message = (more: Partial<Message> = {}): Message => ({
  id: 'm-1',
  text: 'Use staging',
  files: [],
  from: 'ana',
  device: 'phone',
  from_job: null,
  told_at: '2026-11-27T10:00:00Z',
  read_at: null,
  attempt: null,
  how: null,
  ...more,
});
const job = (more: Partial<Job>): Job => ({ state: 'running', attempt: 2, ...more }) as Job;
const now = Date.parse('2026-11-27T12:00:00Z') * 1000;

test('AMessageSaysWhoSaysIt', () => {
  assert.equal(writerOf(message()), 'ana at phone');
  assert.equal(writerOf(message({ device: null })), 'ana');
  assert.equal(writerOf(message({ from: null, device: null })), 'Somebody');
  assert.equal(writerOf(message({ from_job: '1qfar2zr00c6x' })), 'The agent of job 1qfar2zr00c6x');
});

test('AMessageSaysWhetherItIsRead', () => {
  assert.equal(readWords(message(), job({}), now), 'Not read yet.');
  assert.match(readWords(message(), job({ state: 'failed' }), now), /A retry of the job passes it on/);
  const read = message({ read_at: '2026-11-27T11:00:00Z', attempt: 2, how: 'hook' });
  assert.match(readWords(read, job({}), now), /^Read by attempt 2 at a tool call, /);
  assert.match(readWords({ ...read, how: 'prompt' }, job({}), now), /^Read by attempt 2 in its prompt, /);
});

test('WhatWillHappenIsSaidBefore', () => {
  const read = message({ read_at: '2026-11-27T11:00:00Z', attempt: 2, how: 'hook' });
  assert.match(expectation(job({}), true, 'at_calls'), /if luzia init has entered/);
  assert.match(expectation(job({ messages: [read] }), true, 'at_calls'), /^The agent reads it at its next tool call\.$/);
  assert.match(expectation(job({ messages: [{ ...read, attempt: 1 }] }), true, 'at_calls'), /if luzia init/, 'an earlier attempt');
  assert.match(expectation(job({ messages: [{ ...read, how: 'prompt' }] }), true, 'at_calls'), /if luzia init/);
  for (const state of ['queued', 'parked'] as const)
    assert.equal(expectation(job({ state }), true, 'at_calls'), 'The message is in the prompt of the next attempt.');
  assert.equal(expectation(job({}), true, 'in_prompts'), 'The message is in the prompt of the next attempt.');
  assert.match(expectation(job({ state: 'completed' }), true, 'at_calls'), /retried at once/);
  assert.match(expectation(job({ state: 'completed' }), false, 'at_calls'), /is kept/);
});

test('TheServerSaysWhatItExpects', () => {
  const said = ['next_call', 'if_hook', 'next_attempt', 'on_resume', undefined].map(acceptedWords);
  assert.equal(new Set(said.slice(0, 4)).size, 4);
  assert.equal(said[4], said[2]);
});
