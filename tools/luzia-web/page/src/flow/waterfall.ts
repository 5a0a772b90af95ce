// When the steps of a flow waited and ran, for one axis of time.
import { usOf } from '../base/format.ts';
import type { Flow, FlowStep } from '../base/shapes.ts';
import { asksPerson } from './steps.ts';

/// Microseconds; `wait`: from when the step could have begun.
export interface StepTimes {
  step: FlowStep;
  wait: [from: number, to: number] | null;
  run: [from: number, to: number] | null;
  open: boolean; // it still waits or runs
  asks: boolean;
}
export interface Waterfall {
  from: number;
  to: number;
  steps: StepTimes[];
}

/// When everything that the step needs was done; null: it is not.
function readyUs(flow: Flow, step: FlowStep): number | null {
  let ready = usOf(flow.created_at);
  for (const name of step.needs) {
    const need = flow.steps.find((each) => each.name === name);
    if (!need?.ended_at || (need.state !== 'completed' && need.state !== 'skipped')) return null;
    ready = Math.max(ready, usOf(need.ended_at));
  }
  return ready;
}

function timesOf(flow: Flow, step: FlowStep, endUs: number): StepTimes {
  const begun = step.started_at ? usOf(step.started_at) : null;
  const ended = step.ended_at ? usOf(step.ended_at) : null;
  const open = flow.state === 'active' && (step.state === 'pending' || step.state === 'in_progress');
  const waits = open && begun === null;
  const ready = readyUs(flow, step);
  const until = begun ?? (waits ? endUs : null);
  return {
    step,
    wait: ready !== null && until !== null && until > ready ? [ready, until] : null,
    run: begun === null ? null : [begun, Math.max(begun, ended ?? endUs)],
    open,
    asks: asksPerson(flow, step),
  };
}

/// `nowUs`: up to where what has not ended is drawn. null: no step has waited or run.
export function waterfallOf(flow: Flow, nowUs: number): Waterfall | null {
  const endUs = flow.ended_at ? usOf(flow.ended_at) : nowUs;
  const steps = flow.steps.map((step) => timesOf(flow, step, endUs));
  const ends = steps.flatMap(({ wait, run }) => [...(wait ?? []), ...(run ?? [])]);
  if (ends.length === 0) return null;
  const from = Math.min(...ends);
  return { from, to: Math.max(from + 1000, ...ends), steps };
}
