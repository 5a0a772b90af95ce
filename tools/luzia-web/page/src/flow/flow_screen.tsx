// One flow: its graph, the step that is looked at, what can be done next, what later steps will know.
import { useState } from 'preact/hooks';
import { moment } from '../base/api.ts';
import { flows as ofFlows } from '../base/concerns.ts';
import { nowUs } from '../base/clock.ts';
import { roughly, usOf } from '../base/format.ts';
import { mayAct } from '../base/me.ts';
import { useReading } from '../base/reading.ts';
import { href, route } from '../base/route.ts';
import type { Flow, Suggestion } from '../base/shapes.ts';
import { Said } from '../base/text.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { Icon } from '../parts/icons.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { GraphView } from './graph_view.tsx';
import { sendToFlow } from './send.ts';
import { StepView } from './step_view.tsx';
import { WaterfallView } from './waterfall_view.tsx';
import { firstToSee, lookOfFlow } from './steps.ts';

export function FlowScreen({ id }: { id: string }) {
  const path = `/v1/flows/${encodeURIComponent(id)}`;
  const { value: flow, problem, loading } = useReading<Flow>(path, ofFlows);
  if (!flow) return <Trouble problem={problem} loading={loading} heading={`Flow ${id}`} />;
  const wanted = route.value.query.get('step');
  const step = flow.steps.find((each) => each.name === wanted) ?? firstToSee(flow);
  return (
    <div class="flow">
      <Head flow={flow} />
      <div class="flow-grid">
        <section class="flow-graph" aria-label="Steps">
          <GraphView flow={flow} chosen={step?.name} />
        </section>
        <WaterfallView flow={flow} />
        {step && <StepView key={step.name} flow={flow} step={step} />}
        <div class="flow-side">
          <Suggestions path={path} flow={flow} />
          <Known flow={flow} />
        </div>
      </div>
    </div>
  );
}

function Head({ flow }: { flow: Flow }) {
  const look = lookOfFlow(flow);
  const begun = roughly((nowUs.value - usOf(flow.created_at)) / 1e6);
  return (
    <header class="job-head">
      <a class="icon-button" href={href('flows')} aria-label="Back to the flows" title="Back to the flows">
        <Icon name="back" />
      </a>
      <div class="job-titles">
        <p class="job-where">
          <span class={`state tone-${look.tone}`}>
            <Icon name={look.icon} />
            {look.word}
          </span>
          <span class="where">{flow.project}</span>
          <span class="quiet">
            {flow.steps_done} of {flow.steps_total} steps, begun {begun} ago
          </span>
          <span class="mono quiet job-id">{flow.id}</span>
        </p>
        <h1>
          <Said text={flow.description || flow.source || flow.id} line most={300} />
        </h1>
      </div>
      <Actions flow={flow} />
    </header>
  );
}

function Actions({ flow }: { flow: Flow }) {
  const [sure, setSure] = useState(false);
  if (!mayAct.value || moment.value !== null) return null;
  const send = (verb: string, done: string) => void sendToFlow(flow, verb, {}, done);
  if (flow.state !== 'active')
    return (
      <div class="actions">
        <button type="button" class="button" onClick={() => send('reopen', 'The flow goes on')}>
          <Icon name="retry" /> Reopen
        </button>
      </div>
    );
  return (
    <div class="actions">
      {flow.runs && (
        <button
          type="button"
          class="button"
          onClick={() => (flow.paused ? send('resume', 'The flow goes on') : send('pause', 'The flow is paused'))}>
          <Icon name={flow.paused ? 'play' : 'pause'} /> {flow.paused ? 'Resume' : 'Pause'}
        </button>
      )}
      <button type="button" class="button" data-key="c" onClick={() => setSure(true)}>
        <Icon name="close" /> End
      </button>
      {sure && (
        <Confirm
          title="End this flow?"
          verb="End the flow"
          text="No further step is dispatched. Jobs that run are left alone. It can be reopened."
          onClose={() => setSure(false)}
          onYes={() => send('end', 'The flow has ended')}
        />
      )}
    </div>
  );
}

function Suggestions({ path, flow }: { path: string; flow: Flow }) {
  const { value } = useReading<{ suggestions: Suggestion[] }>(`${path}/suggestions`, ofFlows);
  const all = value?.suggestions ?? [];
  if (all.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="suggestions">
      <h2 id="suggestions">What could come next</h2>
      <ul class="rows">
        {all.map((each, index) => {
          const known = flow.steps.some((step) => step.name === each.step);
          const words = (
            <span class="row-main">
              <Said class="suggestion" text={each.text} most={400} />
              <Said class="suggestion-why quiet" text={each.rule.split(';')[0]!} most={300} />
            </span>
          );
          return (
            <li key={index}>
              {known ? (
                <a class="row one" href={href(`flows/${flow.id}`, { step: each.step! })} data-row>
                  {words}
                </a>
              ) : (
                <span class="row one">{words}</span>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/// What the flow hands on to later steps: its result, notes and issues.
function Known({ flow }: { flow: Flow }) {
  const notes = Object.entries(flow.notes);
  if (notes.length + flow.issues.length + flow.tags.length === 0 && !flow.result) return null;
  return (
    <section class="panel" aria-labelledby="known">
      <h2 id="known">What later steps know</h2>
      <dl class="facts card">
        {notes.map(([key, value]) => (
          <div key={key}>
            <dt>
              <Said text={key} line most={80} />
            </dt>
            <dd>
              <Said text={value} most={2000} />
            </dd>
          </div>
        ))}
        {flow.issues.length > 0 && (
          <div>
            <dt>Known issues</dt>
            <dd>
              <Said text={flow.issues.join(', ')} most={2000} />
            </dd>
          </div>
        )}
        {flow.tags.length > 0 && (
          <div>
            <dt>Tags</dt>
            <dd>
              <Said text={flow.tags.join(', ')} most={400} />
            </dd>
          </div>
        )}
        {flow.result && (
          <div>
            <dt>Result</dt>
            <dd>
              <Said text={flow.result} most={4000} />
            </dd>
          </div>
        )}
      </dl>
    </section>
  );
}
