// How the steps of a flow look and read.
import type { Flow, FlowStep } from '../base/shapes.ts';
import type { IconName } from '../parts/icons.tsx';

export interface StepLook {
  icon: IconName;
  tone: string;
  word: string;
}

const isDone = (step: FlowStep | undefined) => step?.state === 'completed' || step?.state === 'skipped';

/// Whether everything that the step needs is done.
export function isReady(flow: Flow, step: FlowStep): boolean {
  return step.needs.every((name) => isDone(flow.steps.find((each) => each.name === name)));
}

/// Whether the step waits for a person: at its gate, or to be done by hand.
export function asksPerson(flow: Flow, step: FlowStep): boolean {
  if (flow.state !== 'active' || step.state !== 'pending') return false;
  return step.gate_state === 'asked' || (flow.runs && !step.by_job && !step.queued && isReady(flow, step));
}

export function lookOfStep(flow: Flow, step: FlowStep): StepLook {
  switch (step.state) {
    case 'completed':
      return { icon: 'completed', tone: 'good', word: 'completed' };
    case 'failed':
      return { icon: 'failed', tone: 'bad', word: 'failed' };
    case 'skipped':
      return { icon: 'next', tone: 'idle', word: 'skipped' };
    case 'in_progress':
      return { icon: 'running', tone: 'run', word: 'in progress' };
    case 'pending':
      break;
  }
  if (step.gate_state === 'asked') return { icon: 'waiting', tone: 'need', word: `at gate ${step.gate}` };
  if (asksPerson(flow, step)) return { icon: 'waiting', tone: 'need', word: 'for you' };
  if (step.queued) return { icon: 'queued', tone: 'run', word: 'queued' };
  if (step.not_before) return { icon: 'clock', tone: 'parked', word: 'tried again later' };
  if (flow.state === 'active' && isReady(flow, step)) return { icon: 'queued', tone: 'run', word: 'ready' };
  return { icon: 'queued', tone: 'idle', word: flow.state === 'active' ? 'waits' : 'not done' };
}

export function lookOfFlow(flow: Flow): StepLook {
  if (flow.state === 'completed') return { icon: 'completed', tone: 'good', word: 'completed' };
  if (flow.state === 'failed') return { icon: 'failed', tone: 'bad', word: 'failed' };
  if (flow.state === 'cancelled') return { icon: 'killed', tone: 'idle', word: 'cancelled' };
  if (flow.steps.some((step) => asksPerson(flow, step))) return { icon: 'waiting', tone: 'need', word: 'needs you' };
  if (flow.paused) return { icon: 'pause', tone: 'parked', word: 'paused' };
  if (flow.steps.some((step) => step.state === 'failed')) return { icon: 'failed', tone: 'bad', word: 'a step failed' };
  return { icon: 'running', tone: 'run', word: 'active' };
}

/// The step to look at first: one that asks, has failed, or runs; else the last one that is done.
export function firstToSee(flow: Flow): FlowStep | undefined {
  const { steps } = flow;
  return (
    steps.find((step) => asksPerson(flow, step)) ??
    steps.find((step) => step.state === 'failed') ??
    steps.find((step) => step.state === 'in_progress') ??
    steps.filter((step) => step.ended_at).sort((a, b) => (a.ended_at! < b.ended_at! ? 1 : -1))[0] ??
    steps[0]
  );
}
