import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogEvent } from '../src/base/shapes.ts';
import { diffsOf, sidesOf } from '../src/job/diff.ts';
import { eventText, sourceText } from '../src/job/event_text.ts';
import { isDrawn, lanesOf, ticks } from '../src/job/lanes.ts';

let position = 0;
function event(seconds: number, type: string, data: object = {}, seen?: [number, number]): LogEvent {
  return {
    position: ++position,
    stream: 'job/1',
    version: 1,
    time_us: seconds * 1e6,
    type,
    actor: { kind: 'person', uid: 0, name: 'ana', device: 'phone' },
    cause: null,
    data,
    evidence: {
      kind: seen ? 'inferred' : 'asserted',
      attempt: seen ? 1 : null,
      log_from: seen?.[0] ?? null,
      log_to: seen?.[1] ?? null,
      rule: 'r',
    },
  };
}

test('LanesShowWhereTheTimeWent', () => {
  const { from, to, lanes } = lanesOf(
    [
      event(0, 'JobQueued'),
      event(5, 'AttemptStarting'),
      event(6, 'AttemptStarted', { attempt: 1 }),
      event(7, 'ToolCalled', { call_id: 'a', tool: 'Bash', subject: 'make' }, [10, 20]),
      event(9, 'ToolReturned', { call_id: 'a', succeeded: false }, [20, 30]),
      event(10, 'QuestionAsked', { question: 'q' }),
      event(30, 'QuestionAnswered', { question: 'q' }),
      event(31, 'IssueDetected', { severity: 'error', description: 'broken' }, [40, 50]),
      event(40, 'AttemptEnded', { attempt: 1, exit_code: 1, ended_us: 40e6, wall_us: 34.5e6 }),
      event(40, 'JobEnded', { state: 'failed' }),
    ],
    99e6,
  );
  assert.deepEqual([from, to], [0, 40e6]);
  assert.deepEqual(
    lanes.map((lane) => [lane.name, ...lane.spans.map((span) => [span.from / 1e6, span.to / 1e6, span.tone])]),
    [
      ['Queue', [0, 5.5, 'idle']],
      ['Attempts', [5.5, 40, 'bad']],
      ['Tools', [7, 9, 'bad']],
      ['Person', [10, 30, 'need']],
      ['Findings'],
    ],
  );
  assert.deepEqual(
    lanes.at(-1)!.marks.map((mark) => mark.seen),
    [{ attempt: 1, byte: 40 }],
  );
});

test('LanesNeedOnlyTheEventsThatTheyShow', () => {
  const types = [
    ['JobQueued', 'JobReprioritized', 'JobParked', 'JobUnparked', 'JobParked', 'JobRerouted', 'AttemptStarting'],
    ['AttemptStarted', 'ProgressReported', 'ToolCalled', 'OutputAppended', 'ToolReturned', 'JobPaused', 'JobResumed'],
    ['QuestionAsked', 'QuestionAnswered', 'QuestionAsked', 'QuestionTimedOut', 'QuestionAsked', 'QuestionCancelled'],
    ['ApprovalRequested', 'ApprovalDecided', 'ApprovalRequested', 'ApprovalCancelled', 'IssueDetected'],
    ['AnnotationFound', 'LimitReached', 'AttemptEnded', 'JobRetried', 'JobEnded'],
  ].flat();
  const events = types.map((type, index) => event(index, type, { question: 'q', approval: 'a', call_id: 'c' }));
  const drawn = events.filter(isDrawn);
  assert.deepEqual(lanesOf(drawn, 99e6), lanesOf(events, 99e6));
  for (const each of drawn)
    assert.notDeepEqual(lanesOf(drawn.filter((other) => other !== each), 99e6), lanesOf(drawn, 99e6), each.type);
});

test('WhatHasNotEndedReachesUntilNow', () => {
  const { to, lanes } = lanesOf(
    [event(0, 'JobQueued'), event(1, 'AttemptStarting'), event(2, 'AttemptStarted', { attempt: 1 })],
    50e6,
  );
  assert.equal(to, 50e6);
  assert.equal(lanes[1]!.spans[0]!.open, true);
});

test('TicksAreRound', () => {
  assert.deepEqual(
    ticks(0, 60e6, 7).map((tick) => tick.text),
    ['0s', '10s', '20s', '30s', '40s', '50s', '1m'],
  );
});

test('EventsAreSentences', () => {
  assert.equal(
    eventText(event(0, 'AttemptEnded', { attempt: 1, exit_code: 3, wall_us: 2e6 })),
    'attempt 1 ended: exit code 3, ran 2.0s',
  );
  assert.equal(eventText(event(0, 'QuestionAnswered', {})), 'the question was answered by ana at phone');
  assert.equal(eventText(event(0, 'SomethingNew', { note: 'why' })), 'something new: why');
  assert.equal(sourceText(event(0, 'IssueDetected', {}, [4, 9])), 'seen in the output (r)');
});

test('AUnifiedDiffBecomesFiles', () => {
  const [first, second] = diffsOf(
    [
      'diff --git a/a.ts b/a.ts',
      'index 1..2 100644',
      '--- a/a.ts',
      '+++ b/a.ts',
      '@@ -1,3 +1,3 @@ head',
      ' one',
      '-two',
      '+2',
      '--- three',
      '+-- 3',
      '\\ No newline at end of file',
      'diff --git "a/\\303\\244" "b/\\303\\244"',
      'new file mode 100644',
      '--- /dev/null',
      '+++ "b/\\303\\244"',
      '@@ -0,0 +1 @@',
      '+x',
      '',
    ].join('\n'),
  );
  assert.deepEqual([first!.path, first!.added, first!.removed], ['a.ts', 2, 2]);
  assert.deepEqual(
    first!.hunks[0]!.lines.map((line) => [line.kind, line.old, line.now]),
    [
      ['same', 1, 1],
      ['removed', 2, null],
      ['added', null, 2],
      ['removed', 3, null],
      ['added', null, 3],
    ],
  );
  assert.deepEqual([second!.path, second!.change, second!.added], ['ä', 'added', 1]);
});

test('RemovedLinesStandBesideThoseInTheirPlace', () => {
  const patch = 'diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,4 +1,4 @@\n a\n-b\n-c\n+B\n d\n+e\n';
  const rows = sidesOf(diffsOf(patch)[0]!.hunks[0]!.lines);
  assert.deepEqual(
    rows.map(({ left, right }) => [left?.text ?? null, right?.text ?? null]),
    [
      ['a', 'a'],
      ['b', 'B'],
      ['c', null],
      ['d', 'd'],
      [null, 'e'],
    ],
  );
});
