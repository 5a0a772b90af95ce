// Flows: the active ones, and those that have ended.
import type { ComponentChildren } from 'preact';
import { nowUs } from '../base/clock.ts';
import { flows as ofFlows } from '../base/concerns.ts';
import { roughly, usOf } from '../base/format.ts';
import { useReading } from '../base/reading.ts';
import { href } from '../base/route.ts';
import type { Flow } from '../base/shapes.ts';
import { Said } from '../base/text.tsx';
import { asksPerson, lookOfFlow, lookOfStep } from '../flow/steps.ts';
import { Icon } from '../parts/icons.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { Count } from './now.tsx';

const kMost = 200; // flows that are listed

export function Flows() {
  const { value, problem, loading, next } = useReading<{ flows: Flow[] }>(`/v1/flows?all=1&limit=${kMost}`, ofFlows);
  if (!value) return <Trouble problem={problem} loading={loading} heading="Flows" />;
  const active = value.flows.filter((flow) => flow.state === 'active');
  const ended = value.flows.filter((flow) => flow.state !== 'active');
  return (
    <div class="flows">
      <h1 class="hidden">Flows</h1>
      <Part id="active" title="Active" flows={active}>
        No flow is active. <code>luzia flow run release.toml</code> starts one.
      </Part>
      {ended.length > 0 && <Part id="ended" title="Ended" flows={ended} />}
      {next && <p class="quiet">These are the newest {kMost}.</p>}
    </div>
  );
}

function Part(props: { id: string; title: string; flows: Flow[]; children?: ComponentChildren }) {
  return (
    <section class="group" aria-labelledby={props.id}>
      <h2 id={props.id}>
        {props.title} <Count n={props.flows.length} />
      </h2>
      {props.flows.length === 0 ? (
        <p class="calm">{props.children}</p>
      ) : (
        <div class="rows">
          {props.flows.map((flow) => (
            <FlowRow key={flow.id} flow={flow} />
          ))}
        </div>
      )}
    </section>
  );
}

/// What happens in it now: the steps that ask, run or have failed.
function doing(flow: Flow): string {
  if (flow.state !== 'active') return flow.result ?? '';
  const steps = flow.steps.filter(
    (step) => asksPerson(flow, step) || step.state === 'in_progress' || step.state === 'failed' || step.queued,
  );
  return steps.map((step) => `${step.name}: ${step.error || lookOfStep(flow, step).word}`).join(', ');
}

function FlowRow({ flow }: { flow: Flow }) {
  const look = lookOfFlow(flow);
  return (
    <a class="row" href={href(`flows/${flow.id}`)} data-row>
      <span class={`mark tone-${look.tone}`}>
        <Icon name={look.icon} label={look.word} />
      </span>
      <span class="row-main">
        <span class="row-title">
          <Said text={flow.description || flow.source || flow.id} line most={300} />
        </span>
        <span class="row-sub">
          <span class="where">{flow.project}</span>
          <Said class="line" text={doing(flow)} line most={300} />
        </span>
        <StepBar flow={flow} />
      </span>
      <span class="row-end">
        <span class="time">{roughly((nowUs.value - usOf(flow.ended_at ?? flow.created_at)) / 1e6)} ago</span>
        <span class="spent">
          {flow.steps_done}/{flow.steps_total}
        </span>
      </span>
    </a>
  );
}

/// A cell for each step, coloured by its state.
function StepBar({ flow }: { flow: Flow }) {
  return (
    <span class="step-bar" role="img" aria-label={`${flow.steps_done} of ${flow.steps_total} steps are done`}>
      {flow.steps.slice(0, 60).map((step) => (
        <span key={step.name} class={`cell ${asksPerson(flow, step) ? 'asks' : step.state}`} />
      ))}
    </span>
  );
}
