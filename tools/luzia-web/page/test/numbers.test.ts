import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daysUpTo, nextDay, scaleOf, scaleOfTime } from '../src/numbers/days.ts';
import { countedOf, dayHref, jobsHref, queryOf } from '../src/numbers/range.ts';

test('DaysWithoutJobsAreShown', () => {
  assert.equal(nextDay('2026-02-28'), '2026-03-01');
  const days = daysUpTo('2026-03-02', 30, []);
  assert.equal(days.length, 30);
  assert.deepEqual([days[0], days.at(-1)], ['2026-02-01', '2026-03-02']);
  assert.equal(daysUpTo('2026-03-02', null, ['2026-02-20', '2026-01-01'])[0], '2026-01-01');
  assert.equal(daysUpTo('2026-03-02', null, ['2026-03-02']).length, 7);
});

test('ScalesHaveRoundValuesThatReachTheMost', () => {
  assert.deepEqual(scaleOf(83), [0, 50, 100]);
  assert.deepEqual(scaleOf(3), [0, 1, 2, 3]);
  assert.deepEqual(scaleOf(7), [0, 5, 10]);
  assert.deepEqual(scaleOf(1, 1), [0, 1]);
  assert.deepEqual(scaleOf(0), [0, 1]);
  assert.deepEqual(scaleOfTime(100), [0, 60, 120]);
  assert.deepEqual(scaleOfTime(7200), [0, 3600, 7200]);
  assert.deepEqual(scaleOfTime(1_000_000), [0, 345_600, 691_200, 1_036_800]);
});

test('NumbersOpenTheJobsOfTheirRange', () => {
  const range = { since: '29d', project: 'web' };
  assert.equal(queryOf(range, { by: 'day' }), 'by=day&since=29d&project=web');
  const words = (link: string) => new URLSearchParams(link.split('?')[1]).get('q');
  const counted = countedOf(range, Date.parse('2026-03-02T13:00:00Z') * 1000);
  assert.equal(
    words(jobsHref(counted, 'agent:claude')),
    'agent:claude project:web ended-since:2026-02-01T00:00:00Z',
  );
  assert.equal(words(jobsHref({ ...range, since: '2026-02-28' }, 'project:api')), 'project:api ended-since:2026-02-28');
  assert.equal(
    words(dayHref(range, '2026-02-28')),
    'ended-before:2026-03-01T00:00:00Z project:web ended-since:2026-02-28T00:00:00Z',
  );
  assert.equal(words(jobsHref({ since: '', project: '' }, 'agent:codex')), 'agent:codex');
});
