import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Flow, FlowStep } from '../src/base/shapes.ts';
import { usOf } from '../src/base/format.ts';
import { graphOf, layersOf, pathOf } from '../src/flow/graph.ts';
import { asksPerson, firstToSee, lookOfStep } from '../src/flow/steps.ts';
import { waterfallOf } from '../src/flow/waterfall.ts';

function step(name: string, needs: string[] = [], more: Partial<FlowStep> = {}): FlowStep {
  return {
    name,
    needs,
    state: 'pending',
    queued: false,
    job: null,
    output: null,
    error: null,
    started_at: null,
    ended_at: null,
    agent: null,
    gate: null,
    gate_state: null,
    retries: 0,
    tries: 0,
    jobs: [],
    failed_try: null,
    failed_error: null,
    description: null,
    by_job: true,
    not_before: null,
    ...more,
  };
}
const flowOf = (steps: FlowStep[], more: Partial<Flow> = {}): Flow =>
  ({ id: 'f', state: 'active', runs: true, paused: false, steps, ...more }) as Flow;

const kDiamond = [step('a'), step('b', ['a']), step('c', ['a']), step('d', ['b', 'c', 'a'])];

test('AStepStandsBehindAllThatItNeeds', () => {
  assert.deepEqual(Object.fromEntries(layersOf(kDiamond)), { a: 0, b: 1, c: 1, d: 2 });
});

test('NeedsThatAreMissingOrCircularDrawNoEdge', () => {
  const graph = graphOf([step('a', ['b', 'none']), step('b', ['a']), step('c', ['c'])], 1000);
  assert.equal(graph.nodes.length, 3);
  assert.deepEqual(
    graph.edges.map(({ from, to }) => [from.name, to.name]),
    [['b', 'a']],
  );
});

test('NoStepsOverlapInEitherDirection', () => {
  for (const space of [320, 1000]) {
    const { nodes, node, width, height, down } = graphOf(kDiamond, space);
    assert.equal(down, space === 320);
    for (const one of nodes) {
      assert.ok(one.x >= 0 && one.y >= 0 && one.x + node.width <= width && one.y + node.height <= height);
      for (const other of nodes)
        assert.ok(
          one === other || Math.abs(one.x - other.x) >= node.width || Math.abs(one.y - other.y) >= node.height,
          `${one.step.name} ${other.step.name} ${space}`,
        );
    }
  }
});

test('AnEdgeThatPassesALayerGoesBetweenItsSteps', () => {
  const { edges, nodes, node } = graphOf(kDiamond, 1000);
  const long = edges.find(({ from, to }) => from.name === 'a' && to.name === 'd')!;
  assert.equal(long.points.length, 4);
  const { y } = long.points[1]!;
  for (const each of nodes.filter(({ step: { name } }) => name === 'b' || name === 'c'))
    assert.ok(y < each.y || y > each.y + node.height);
  assert.match(pathOf(long.points, false), /^M[\d.]+ [\d.]+(C[\d. ]+){3}$/);
});

test('LinesThatNeedNotCrossDoNot', () => {
  const { nodes } = graphOf([step('a'), step('b'), step('c', ['b']), step('d', ['a'])], 1000);
  const y = Object.fromEntries(nodes.map((each) => [each.step.name, each.y]));
  assert.equal(y.a! < y.b!, y.d! < y.c!);
});

test('AGateAndAStepByHandAskAPerson', () => {
  const done = step('a', [], { state: 'completed', ended_at: '2026-11-26T10:00:00Z' });
  const gate = step('b', ['a'], { gate: 'deploy', gate_state: 'asked' });
  const hand = step('c', ['a'], { by_job: false });
  const later = step('d', ['c'], { by_job: false });
  const flow = flowOf([done, gate, hand, later]);
  assert.deepEqual(
    flow.steps.map((each) => asksPerson(flow, each)),
    [false, true, true, false],
  );
  assert.equal(lookOfStep(flow, gate).word, 'at gate deploy');
  assert.equal(firstToSee(flow), gate);
  assert.equal(firstToSee(flowOf([done, step('b')])), done);
  assert.equal(asksPerson(flowOf(flow.steps, { state: 'cancelled' }), hand), false);
  assert.equal(asksPerson(flowOf(flow.steps, { runs: false }), hand), false);
});
test('AStepWaitsSinceWhatItNeedsIsDone', () => {
  const at = (second: number) => `2026-01-31T00:00:${String(second).padStart(2, '0')}Z`;
  const steps = [
    step('a', [], { state: 'completed', started_at: at(2), ended_at: at(10) }),
    step('b', ['a'], { state: 'completed', started_at: at(15), ended_at: at(20) }),
    step('c', ['a'], { gate: 'g', gate_state: 'asked' }),
    step('d', ['b', 'c']),
    step('e', ['b'], { state: 'in_progress', started_at: at(20) }),
  ];
  const flow = flowOf(steps, { created_at: at(0), updated_at: at(20), ended_at: null });
  const all = waterfallOf(flow, usOf(at(30)))!;
  const second = (us: number) => (us - usOf(at(0))) / 1e6;
  assert.deepEqual([second(all.from), second(all.to)], [0, 30]);
  assert.deepEqual(
    all.steps.map(({ wait, run, open, asks }) => [wait?.map(second), run?.map(second), open, asks]),
    [
      [[0, 2], [2, 10], false, false],
      [[10, 15], [15, 20], false, false],
      [[10, 30], undefined, true, true],
      [undefined, undefined, true, false],
      [undefined, [20, 30], true, false],
    ],
  );
});

test('AFlowInWhichNothingHasHappenedHasNoTimes', () => {
  const flow = flowOf([step('a', ['b']), step('b', ['a'])], { created_at: '2026-01-31T00:00:00Z', ended_at: null });
  assert.equal(waterfallOf(flow, usOf('2026-01-31T01:00:00Z')), null);
});

test('AnEndedFlowGrowsNoFurther', () => {
  const ended = { state: 'cancelled' as const, created_at: '2026-01-31T00:00:00Z', ended_at: '2026-01-31T00:00:09Z' };
  const running = step('a', [], { state: 'in_progress', started_at: '2026-01-31T00:00:01Z' });
  const all = waterfallOf(flowOf([running, step('b')], ended), usOf('2026-02-01T00:00:00Z'))!;
  assert.equal(all.to, usOf('2026-01-31T00:00:09Z'));
  assert.equal(all.steps[0]!.open, false);
  assert.equal(all.steps[1]!.wait, null);
});
