import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Schedule } from '../src/base/shapes.ts';
import { ruleWords } from '../src/schedules/rule.ts';
import { dueTime, dueWords, inOrder, isBad, lastWords, pauseWords, sumWords } from '../src/schedules/words.ts';

const kNow = Date.parse('2026-11-27T12:00:00Z') * 1000;
const kHour = 3600e6;

const row = (more: Partial<Schedule> = {}): Schedule => ({
  name: 'morning',
  project: 'shop',
  rule: '0 7 * * 1-5',
  time_zone: null,
  next_us: kNow + 3 * kHour,
  last_at: '2026-11-27T10:00:00Z',
  last_outcome: 'dispatched',
  last_job: '1qfar2zr00c6x',
  last_state: 'completed',
  agent: 'claude',
  waiting_at: null,
  note: null,
  completed: 12,
  failed: 0,
  skipped_overlap: 0,
  skipped_missed: 3,
  refused: 0,
  cost_usd: 0,
  paused_at: null,
  paused_by: null,
  pause_note: null,
  dropped_at: null,
  position: 9,
  ...more,
});

test('RulesHaveWords', () => {
  for (const [rule, said] of [
    ['every 2h', 'every 2 hours'],
    ['every 1h', 'every hour'],
    ['every 48h', 'every 2 days'],
    ['every 90s', 'every 90 seconds'],
    ['every 1500ms', 'every 1500 milliseconds'],
    ['0 7 * * *', 'every day at 07:00'],
    ['5 7,19 * * *', 'every day at 07:05 and 19:05'],
    ['0 7 * * 1-5', 'Monday to Friday at 07:00'],
    ['0 7 * * mon,WED,0', 'Monday, Wednesday and Sunday at 07:00'],
    ['0 7 * * 5-7', 'Friday to Sunday at 07:00'],
    ['15 * * * *', 'every hour at :15'],
    ['0 */6 * * *', 'every 6 hours at :00'],
    ['*/15 * * * *', 'every 15 minutes'],
    ['* * * * *', 'every minute'],
    ['*/5 * * * sat', 'every 5 minutes on Saturday'],
    ['30 4 1 * *', 'on day 1 of each month at 04:30'],
    ['0 0 1 1 *', 'on day 1 of January at 00:00'],
    ['0 7 * jun-aug *', 'at 07:00 in June to August'],
    ['@weekly', 'Sunday at 00:00'],
    ['@yearly', 'on day 1 of January at 00:00'],
  ])
    assert.equal(ruleWords(rule!), said, rule);
  assert.equal(ruleWords('0 7 * * *', 'Europe/Berlin'), 'every day at 07:00 (Europe/Berlin)');
});

test('RulesWithoutShortWordsStayAsTheyAre', () => {
  for (const rule of ['0 7 1-7 * 1', '0 7 13 * 5', '0 8-18/2 * * *', '1-5 * * * *', '0 7 * * 9', '0 7 *'])
    assert.equal(ruleWords(rule), `cron ${rule}`);
  for (const rule of ['', '@never']) assert.equal(ruleWords(rule), rule);
});

test('ARowSaysWhenItIsDue', () => {
  assert.equal(dueWords(row(), kNow), 'in 3h');
  assert.equal(dueWords(row({ next_us: kNow - 1 }), kNow), 'now');
  assert.equal(dueWords(row({ next_us: 253_402_214_400e6 }), kNow), 'never again');
  const paused = row({ paused_at: '2026-11-27T11:00:00Z', next_us: null });
  assert.deepEqual([dueWords(paused, kNow), dueTime(paused, kNow)], ['paused', '']);
  assert.equal(dueWords(row({ waiting_at: '2026-11-27T11:00:00Z' }), kNow), 'after its last job');
  assert.match(dueTime(row(), kNow), /^([A-Z][a-z]{2} )?\d\d:\d\d$/);
  assert.match(dueTime(row({ next_us: kNow + 72 * kHour }), kNow), /^(Mon|Tue) \d\d:\d\d$/);
  assert.match(dueTime(row({ next_us: kNow + 240 * kHour }), kNow), /^2026-12-0[678] \d\d:\d\d$/);
  assert.equal(pauseWords(row()), 'Paused. Due times are skipped.');
  const noted = row({ paused_by: 'ana at phone', pause_note: 'until the release' });
  assert.equal(pauseWords(noted), 'Paused by ana at phone: until the release. Due times are skipped.');
});

test('ARowSaysHowItWent', () => {
  assert.equal(lastWords(row({ last_at: null, last_outcome: null }), kNow), 'It has not run yet.');
  assert.equal(lastWords(row({ last_state: 'timed_out' }), kNow), 'Last job, 2h ago: timed out');
  assert.equal(lastWords(row({ last_outcome: 'refused', note: 'no directory' }), kNow), 'No job 2h ago: no directory');
  assert.match(lastWords(row({ last_outcome: 'skipped_missed' }), kNow), /^Missed 2h ago/);
  assert.match(lastWords(row({ last_outcome: 'of a newer daemon' }), kNow), /2h ago/);
  assert.deepEqual([isBad(row()), isBad(row({ last_state: 'lost' })), isBad(row({ last_outcome: 'refused' }))], [
    false,
    true,
    true,
  ]);
  assert.equal(sumWords(row()), '12 completed, 3 missed');
});

test('TheNextOneComesFirstAndPausedOnesLast', () => {
  const names = inOrder([
    row({ name: 'paused', paused_at: '2026-11-27T11:00:00Z', next_us: null }),
    row({ name: 'later', next_us: kNow + 9 * kHour }),
    row({ name: 'soon' }),
  ]).map(({ name }) => name);
  assert.deepEqual(names, ['soon', 'later', 'paused']);
});
