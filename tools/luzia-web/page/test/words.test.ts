import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filterOf, nameOf, toggled, wordFor, wordsOf } from '../src/base/filter.ts';
import { bytes, duration, fine, short, usd, usOf, words } from '../src/base/format.ts';
import { withoutCommands } from '../src/base/text.tsx';
import { codeOf, deviceName } from '../src/screens/pair.tsx';

test('FiltersAreTheWordsOfTheCommandLine', () => {
  assert.equal(
    filterOf(' project:web  state:failed,lost since:2h ').query.toString(),
    'project=web&state=failed%2Clost&since=2h',
  );
  assert.equal(filterOf('failed').query.toString(), 'state=failed');
  assert.equal(filterOf('1qfar2zr00c6x').query.toString(), 'job=1qfar2zr00c6x');
  const { query, words } = filterOf('step:"write docs" model:small schedule:morning fix');
  assert.deepEqual([query.get('step'), query.get('model'), query.get('schedule')], ['write docs', 'small', 'morning']);
  assert.equal(words, 'fix');
  assert.equal(toggled('step:"write docs" fix', 'step:"write docs"'), 'fix');
  assert.equal(nameOf('step:"write docs"'), 'Step write docs');
});

test('AValueIsWrittenAsItIsRead', () => {
  for (const value of ['docs', 'write docs', 'a:b', '<b>']) {
    assert.equal(filterOf(wordFor('step', value)).query.get('step'), value);
  }
  assert.deepEqual([wordFor('step', 'a,b'), wordFor('step', 'a"b')], ['', ''], 'the API would read two');
});

test('WhatIsNoFilterIsNamed', () => {
  assert.match(filterOf('colour:red').wrong!, /“colour:red” is no filter; filters are project, agent, state/);
  assert.equal(filterOf('project:').wrong, 'project: needs a value');
  assert.equal(filterOf('project:web').wrong, null);
});

test('OtherWordsAreSearchedForInTasks', () => {
  const { query, words, wrong } = filterOf('fix "state:failed" deploy state:lost https://example.org');
  assert.equal(query.toString(), 'state=lost');
  assert.equal(words, 'fix state:failed deploy https://example.org');
  assert.equal(wrong, null);
  assert.equal(filterOf('12345').words, '12345');
  assert.match(filterOf('x').wrong!, /too little/);
  assert.equal(filterOf('\u6f22').wrong, null);
  assert.match(filterOf('deploy 1qfar2zr00c6x').wrong!, /named/);
});

test('EachFilterHasANameThatPeopleRead', () => {
  const names = wordsOf(
    'since:24h since:2026-01-31 ended-since:2026-01-31T00:00:00Z ended-before:2h state:failed,timed_out state:waiting project:web "a b" project: fix',
  );
  assert.deepEqual(names.map(nameOf), [
    'The last 24 hours',
    'Since 2026-01-31',
    'Ended since 2026-01-31 UTC',
    'Ended before 2h',
    'Failed or timed out',
    'Needs you',
    'Project web',
    '“a b”',
    '“fix”',
  ]);
});

test('WhatIsSaidForTheCommandLineNamesNoCommands', () => {
  for (const [said, shown] of [
    [
      'because the queue of api is paused; start jobs again: luzia resume --project api',
      'because the queue of api is paused',
    ],
    ['it may hang: luzia logs 1q shows its last lines; stop it: luzia cancel 1q', 'it may hang'],
    ['luzia jobs --all lists all jobs', ''],
    ['the disk of luzia is full; free some space', 'the disk of luzia is full; free some space'],
    ['', ''],
  ])
    assert.equal(withoutCommands(said!), shown);
});

test('AQuickFilterReplacesTheOneOfItsKind', () => {
  assert.equal(toggled('project:web state:failed', 'state:running'), 'project:web state:running');
  assert.equal(toggled('project:web state:failed', 'state:failed'), 'project:web');
});

test('ACodeIsReadAsItIsTyped', () => {
  assert.equal(codeOf('abcd efgh'), 'ABCD-EFGH');
  assert.equal(codeOf('o0il-'), '0011');
  assert.equal(codeOf('ABCD-EFGH-IJ'), 'ABCD-EFGH');
});

test('ADeviceIsNamedByItsBrowserAndSystem', () => {
  const phone = 'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36';
  assert.equal(deviceName(phone), 'Chrome on Android');
  assert.equal(deviceName('Mozilla/5.0 (iPhone; CPU iPhone OS 18_0) Version/18.0 Safari/604.1'), 'Safari on iPhone');
  assert.equal(deviceName('curl'), 'Browser on device');
});

test('TimesOfTheApiKeepTheirMicroseconds', () => {
  assert.equal(usOf('1970-01-01T00:00:01.234567Z'), 1_234_567);
  assert.equal(usOf('1970-01-01T01:00:01+01:00'), 1_000_000);
  assert.equal(fine((usOf('2026-01-31T00:00:00.000400Z') - usOf('2026-01-31T00:00:00Z')) / 1e6), '<1 ms');
  assert.equal(fine(0), '0 ms');
});

test('NumbersAreShort', () => {
  assert.deepEqual(
    [duration(59.9), duration(185), duration(7500), duration(266_400)],
    ['59s', '3m 05s', '2h 05m', '3d 2h'],
  );
  assert.deepEqual([fine(0.0042), fine(1.26), fine(75)], ['4 ms', '1.3s', '1m 15s']);
  assert.deepEqual([short(999), short(1234), short(123_456), short(2_500_000)], ['999', '1.2k', '123k', '2.5M']);
  assert.deepEqual([bytes(1), bytes(1536), bytes(50 * 1024 ** 3)], ['1 byte', '1.5 KiB', '50 GiB']);
  assert.deepEqual([usd(0.0123), usd(12.5)], ['$0.0123', '$12.50']);
  assert.equal(words('ToolCalled'), 'tool called');
});
