import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf, sameBytes } from '../src/base/push.ts';

test('KeysAreReadFromBase64Url', () => {
  assert.deepEqual([...bytesOf('__79')!], [0xff, 0xfe, 0xfd]);
  assert.deepEqual([...bytesOf('Zg')!], [0x66]);
  assert.equal(bytesOf('no key!'), null);
});

test('ASubscriptionForAnotherKeyIsAnother', () => {
  const key = bytesOf('__79')!;
  assert.equal(sameBytes(key.buffer, key), true);
  assert.equal(sameBytes(key.buffer, bytesOf('__78')), false);
  assert.equal(sameBytes(key.buffer, bytesOf('__79AA')), false);
  assert.equal(sameBytes(null, key), false);
  assert.equal(sameBytes(key.buffer, null), false);
});
