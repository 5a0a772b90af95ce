import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOther, promptPath, silentOnes, withOthers } from '../src/base/others.ts';
import type { Job, MachineAnswer, Overview, Question } from '../src/base/shapes.ts';

const job = (id: string, machine?: string, ended_us = 0) => ({ id, machine, ended_us }) as Job;

function overviewOf(more: Partial<Overview>): Overview {
  const none = { needs_input: [], working: [], queued: [], parked: [], ended: [] };
  const rest = { questions: [], approvals: [], manual_steps: [], paused: [], alerts: [], counts: {} };
  return { time_us: 1, position: 7, ...none, ...rest, ...more } as Overview;
}

const silent: MachineAnswer = { machine: 'web1', answered: false, as_of_us: 5, error: null };

test('RowsOfOtherMachinesJoinThoseOfThisOne', () => {
  const here = overviewOf({ working: [job('a')], ended: [job('x', undefined, 30)], counts: { working: 3, ended: 1 } });
  const all = overviewOf({
    working: [job('a', 'local'), job('b', 'web1'), job('c', 'web2')],
    ended: [job('y', 'web1', 40), job('x', 'local', 30), job('z', 'web1', 20)],
    questions: [{ id: 'q-1', machine: 'web1' }, { id: 'q-2', machine: 'local' }] as Question[],
    machines: [silent],
  });
  const merged = withOthers(here, all);
  assert.deepEqual(
    merged.working.map((each) => each.id),
    ['a', 'b', 'c'],
    'the own row is not doubled',
  );
  assert.deepEqual(
    merged.ended.map((each) => each.id),
    ['y', 'x', 'z'],
    'the last end first',
  );
  assert.equal(merged.counts.working, 5, 'rows that are not shown count, too');
  assert.deepEqual(
    merged.questions.map((each) => each.id),
    ['q-1'],
  );
  assert.equal(merged.position, 7);
  assert.deepEqual(silentOnes(merged.machines), [silent]);
  assert.equal(here.working.length, 1, 'what was read is not changed');
});

test('WithoutOthersNothingChanges', () => {
  const here = overviewOf({ working: [job('a')] });
  assert.equal(withOthers(here, null), here);
  assert.equal(isOther(job('a')), false);
  assert.equal(isOther(job('a', 'local')), false);
  assert.equal(isOther(job('a', 'web1')), true);
});

test('IdOfAnotherMachineLeadsToNoOtherAddress', () => {
  assert.equal(promptPath('questions', 'q-1', 'answer'), '/v1/questions/q-1/answer');
  const path = promptPath('questions', '../jobs/0abc/cancel?x=', 'answer');
  assert.equal(new URL(path, 'http://here').pathname, '/v1/questions/..%2Fjobs%2F0abc%2Fcancel%3Fx%3D/answer');
});
