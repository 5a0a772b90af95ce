// The step of a flow that is looked at: its state and gate, its jobs, its result, and what can be done with it.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { moment } from '../base/api.ts';
import { nowUs } from '../base/clock.ts';
import { counted, when, usOf } from '../base/format.ts';
import { mayAct } from '../base/me.ts';
import { href, jobHref } from '../base/route.ts';
import type { Flow, FlowStep } from '../base/shapes.ts';
import { Said } from '../base/text.tsx';
import { Icon } from '../parts/icons.tsx';
import { sendToFlow } from './send.ts';
import { isReady, lookOfStep } from './steps.ts';

export function StepView({ flow, step }: { flow: Flow; step: FlowStep }) {
  const look = lookOfStep(flow, step);
  return (
    <section class="card step-card" aria-labelledby="step">
      <header class="step-head">
        <h2 id="step">
          <Said text={step.name} line most={120} />
        </h2>
        <span class={`state tone-${look.tone}`}>
          <Icon name={look.icon} />
          {look.word}
        </span>
      </header>
      {step.description && (
        <p>
          <Said text={step.description} most={4000} />
        </p>
      )}
      {step.error && (
        <p class="problem">
          <Said text={step.error} most={2000} />
        </p>
      )}
      <StepActions flow={flow} step={step} />
      <Facts flow={flow} step={step} />
      {step.output && (
        <pre class="step-output" tabIndex={0} aria-label="Output of the step">
          <Said text={step.output} most={8000} />
        </pre>
      )}
    </section>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  if (!children) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Facts({ flow, step }: { flow: Flow; step: FlowStep }) {
  return (
    <dl class="facts">
      <Fact name={step.jobs.length > 1 ? 'Jobs' : 'Job'}>
        {step.jobs.length > 0 && (
          <span class="chips">
            {step.jobs.map((job) => (
              <a key={job} class="mono" href={jobHref(job)}>
                {job}
              </a>
            ))}
          </span>
        )}
      </Fact>
      <Fact name="Needs">
        {step.needs.length > 0 && (
          <span class="chips">
            {step.needs.map((name) => (
              <a key={name} href={href(`flows/${flow.id}`, { step: name })}>
                <Said text={name} line most={80} />
              </a>
            ))}
          </span>
        )}
      </Fact>
      <Fact name="Gate">
        {step.gate && (
          <>
            <Said text={step.gate} line most={80} />, {step.gate_state}
          </>
        )}
      </Fact>
      <Fact name="Done by">
        {step.by_job ? <Said text={step.agent ?? 'the agent of the project'} line most={80} /> : 'a person'}
      </Fact>
      <Fact name="Began">{step.started_at && when(usOf(step.started_at), nowUs.value, 'second')}</Fact>
      <Fact name="Ended">{step.ended_at && when(usOf(step.ended_at), nowUs.value, 'second')}</Fact>
      <Fact name="Tried again">{step.not_before && when(usOf(step.not_before), nowUs.value)}</Fact>
      <Fact name="Tries">{step.retries > 0 && step.tries > 0 && `${step.tries} of ${step.retries + 1}`}</Fact>
      <Fact name="Before">
        {step.failed_try !== null && step.failed_error && (
          <>
            try {step.failed_try}: <Said text={step.failed_error} line most={300} />
          </>
        )}
      </Fact>
      <Fact name="Output">{step.output_error}</Fact>
    </dl>
  );
}

interface Action {
  verb: string;
  title: string;
  done: string;
  text?: 'note' | 'output' | 'error'; // what the words of the field are
  first?: boolean;
}

/// What a person can do with the step as it is.
function actionsFor(flow: Flow, step: FlowStep): Action[] {
  const ended = step.state === 'completed' || step.state === 'failed' || step.state === 'skipped';
  if (ended) return [{ verb: 'reset', title: 'Do it again', done: 'The step waits to be done again', text: 'note' }];
  if (flow.state !== 'active') return [];
  if (step.gate_state === 'asked')
    return [
      { verb: 'approve', title: 'Approve', done: 'Approved: the gate is open', text: 'note', first: true },
      { verb: 'deny', title: 'Deny', done: 'Denied: the step has failed', text: 'note' },
    ];
  const byHand: Action[] = [
    { verb: 'complete', title: 'Done', done: 'The step is done', text: 'output', first: true },
    { verb: 'fail', title: 'Failed', done: 'The step has failed', text: 'error' },
  ];
  const skip: Action = { verb: 'skip', title: 'Skip', done: 'The step is left out', text: 'note' };
  const hands = !step.by_job && (step.state === 'in_progress' || isReady(flow, step));
  return [...(hands ? byHand : []), ...(step.state === 'pending' ? [skip] : [])];
}

function StepActions({ flow, step }: { flow: Flow; step: FlowStep }) {
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const actions = actionsFor(flow, step);
  if (actions.length === 0 || !mayAct.value || moment.value !== null) return null;
  const send = async ({ verb, done, text: field }: Action) => {
    setBusy(true);
    await sendToFlow(flow, verb, { step: step.name, ...(text && field ? { [field]: text } : {}) }, done);
    setText('');
    setBusy(false);
  };
  const later = flow.steps.filter((each) => each.needs.includes(step.name)).length;
  return (
    <fieldset class="step-actions" disabled={busy}>
      <legend class="hidden">What to do with it</legend>
      <div class="options">
        {actions.map((each) => (
          <button
            key={each.verb}
            type="button"
            class={each.first ? 'button primary' : 'button'}
            onClick={() => void send(each)}>
            {each.title}
          </button>
        ))}
      </div>
      <input
        type="text"
        value={text}
        aria-label="Words about it"
        placeholder={actions[0]!.text === 'output' ? 'How it came out' : 'Why'}
        maxLength={2000}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      {actions[0]!.verb === 'reset' && later > 0 && (
        <p class="quiet">
          {counted(later, 'step')} behind it {later === 1 ? 'is' : 'are'} done again, too.
        </p>
      )}
    </fieldset>
  );
}
