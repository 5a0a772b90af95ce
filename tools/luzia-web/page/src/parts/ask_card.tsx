// A question or an approval, answered in place.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { act, commandId, moment, Problem } from '../base/api.ts';
import { nowUs } from '../base/clock.ts';
import { duration, inFull, roughly } from '../base/format.ts';
import { mayAct } from '../base/me.ts';
import { isOther, promptPath } from '../base/others.ts';
import { readAllAgain } from '../base/reading.ts';
import { href, jobHref } from '../base/route.ts';
import type { Approval, ManualStep, OnMachine, Question } from '../base/shapes.ts';
import { clipped, harmless, Said } from '../base/text.tsx';
import { DiffOfEdit } from '../job/edit_diff.tsx';
import { Icon } from './icons.tsx';
import { MachineName } from './on_machine.tsx';
import { say } from './toast.tsx';
import { Refusal } from './trouble.tsx';

/// The earliest moment that counts for an answer; 0: none.
export const dueUs = (asked: Question | Approval): number => {
  const all = [asked.deadline_us, asked.answer_by_us, 'auto_after_us' in asked ? asked.auto_after_us : 0].filter(
    Boolean,
  );
  return all.length > 0 ? Math.min(...all) : 0;
};

/// Where the answer goes.
const there = (asked: OnMachine) => (isOther(asked) ? { machine: asked.machine } : {});

/// Steps of flows are decided on their machine.
const mayAnswer = (asked: Question | Approval): boolean =>
  mayAct.value && moment.value === null && !asked.as_of_us && (asked.job !== null || !isOther(asked));

/// Sends one decision, once however often it is tried, and tells how it went.
function useSending(id: string) {
  const command = useRef<{ body: string; id: string } | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const send = async (path: string, body: object, done: string) => {
    const text = `${id} ${JSON.stringify(body)}`;
    if (command.current?.body !== text) command.current = { body: text, id: commandId() };
    setBusy(true);
    setProblem(null);
    try {
      await act(path, body, command.current.id);
      say(done);
      readAllAgain();
    } catch (error) {
      setProblem(error as Problem);
      setBusy(false);
    }
  };
  return { busy, problem, send };
}

function Due({ asked }: { asked: Question | Approval }) {
  const due = dueUs(asked);
  if (due === 0) return <span class="due quiet">asked {roughly((nowUs.value - asked.asked_us) / 1e6)} ago</span>;
  const left = (due - nowUs.value) / 1e6;
  const then =
    'question' in asked && asked.default
      ? `, then “${clipped(harmless(asked.default), 40)}”`
      : 'auto_after_us' in asked && due === asked.auto_after_us
        ? ', then approved'
        : '';
  return (
    <span class={`due${left < 300 ? ' soon' : ''}`} title={inFull(due)}>
      <Icon name="clock" />
      {left > 0 ? `${duration(left)} left` : 'overdue'}
      {then}
    </span>
  );
}

interface CardProps {
  asked: Question | Approval;
  task: string | null;
  what: string;
  children: ComponentChildren;
  problem: Problem | null;
}

const kSettleMs = 250; // after a card has moved, during which a click was meant for what stood there before

/// Keeps a click from a card that has just moved under the pointer, as when the one above it was answered elsewhere.
function useStill() {
  const card = useRef<HTMLElement>(null);
  const place = useRef({ top: -1, movedMs: -kSettleMs });
  useLayoutEffect(() => {
    const top = card.current!.offsetTop;
    if (place.current.top >= 0 && top !== place.current.top) place.current.movedMs = performance.now();
    place.current.top = top;
  });
  const onClickCapture = (event: MouseEvent) => {
    const byKey = event.detail === 0;
    if (!byKey && performance.now() - place.current.movedMs < kSettleMs) {
      event.stopPropagation();
      event.preventDefault();
    }
  };
  return { ref: card, onClickCapture };
}

/// Whose it is: the project, the agent, and the way to its job or step.
function CardHead(props: { project: string; agent?: string; children: ComponentChildren }) {
  return (
    <header class="card-head">
      <span class="mark tone-need">
        <Icon name="waiting" />
      </span>
      <span class="where">
        {props.project}
        {props.agent && <i aria-hidden="true">·</i>}
        {props.agent}
      </span>
      {props.children}
    </header>
  );
}

function StepLink({ flow, step }: { flow: string; step: string }) {
  return (
    <a href={href(`flows/${flow}`, { step })} class="job-link">
      step <Said text={step} line most={140} /> of a flow
    </a>
  );
}

function Card({ asked, task, what, children, problem }: CardProps) {
  return (
    <article class="card ask" data-card={asked.id} aria-label={`${what} of ${asked.project}`} {...useStill()}>
      <CardHead project={asked.project} agent={asked.agent}>
        <MachineName row={asked} />
        {isOther(asked) ? (
          <span class="job-link">
            <Said text={task || asked.job || asked.id} line most={140} />
          </span>
        ) : asked.job ? (
          <a href={jobHref(asked.job)} class="job-link">
            <Said text={task || asked.job} line most={140} />
          </a>
        ) : (
          'flow' in asked && <StepLink flow={asked.flow ?? ''} step={asked.step ?? ''} />
        )}
        <Due asked={asked} />
      </CardHead>
      {children}
      <Refusal problem={problem} />
    </article>
  );
}

export function QuestionCard({ question, task = null }: { question: Question; task?: string | null }) {
  const { busy, problem, send } = useSending(question.id);
  const answer = (value: string) =>
    send(
      promptPath('questions', question.id, 'answer'),
      { job: question.job, answer: value, ...there(question) },
      `Answered: ${clipped(value, 60)}`,
    );
  const off = busy || !mayAnswer(question);
  return (
    <Card asked={question} task={task} what="question" problem={problem}>
      <p class="ask-text">
        <Said text={question.question} most={8000} />
      </p>
      <fieldset disabled={off} class="answers">
        <legend class="hidden">Answer</legend>
        {question.type === 'multi_select' ? (
          <Several question={question} answer={answer} />
        ) : (
          <One question={question} answer={answer} />
        )}
        {question.free_text && (
          <FreeText label={question.options.length > 0 ? 'Or in your own words' : 'Your answer'} onSend={answer} />
        )}
      </fieldset>
    </Card>
  );
}

interface AnswerProps {
  question: Question;
  answer: (value: string) => void;
}

function One({ question, answer }: AnswerProps) {
  const options = question.type === 'confirm' && question.options.length === 0 ? ['yes', 'no'] : question.options;
  if (options.length === 0) return null;
  return (
    <div class="options">
      {options.map((option) => (
        <button
          key={option}
          class={`button option${option === question.default ? ' default' : ''}`}
          type="button"
          onClick={() => answer(option)}>
          <Said text={option} most={400} />
        </button>
      ))}
    </div>
  );
}

function FreeText({ label, onSend }: { label: string; onSend: (value: string) => void }) {
  const [value, setValue] = useState('');
  return (
    <form class="free" onSubmit={(event) => (event.preventDefault(), value.trim() && onSend(value))}>
      <textarea
        rows={1}
        value={value}
        placeholder={label}
        aria-label={label}
        name="answer"
        onInput={(event) => setValue(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          event.currentTarget.form!.requestSubmit();
        }}
      />
      <button class="button primary" type="submit" disabled={!value.trim()}>
        Send
      </button>
    </form>
  );
}

function Several({ question, answer }: AnswerProps) {
  const [chosen, setChosen] = useState<string[]>([]);
  const flip = (option: string) =>
    setChosen(chosen.includes(option) ? chosen.filter((each) => each !== option) : [...chosen, option]);
  return (
    <form
      class="several"
      onSubmit={(event) => (
        event.preventDefault(),
        answer(question.options.filter((each) => chosen.includes(each)).join(','))
      )}>
      {question.options.map((option) => (
        <label key={option} class="check">
          <input type="checkbox" checked={chosen.includes(option)} onChange={() => flip(option)} />
          <Said text={option} most={400} />
        </label>
      ))}
      <button class="button primary" type="submit" disabled={chosen.length === 0}>
        Send {chosen.length > 0 ? chosen.length : ''}
      </button>
    </form>
  );
}

export function ApprovalCard({ approval, task = null }: { approval: Approval; task?: string | null }) {
  const { busy, problem, send } = useSending(approval.id);
  const [note, setNote] = useState('');
  const [remember, setRemember] = useState(false);
  const { flow, step } = approval;
  const decide = (approve: boolean) => {
    const [path, body] = flow
      ? [`/v1/flows/${flow}/${approve ? 'approve' : 'deny'}`, { step }]
      : [
          promptPath('approvals', approval.id, 'decide'),
          { job: approval.job, approve, ...(remember ? { remember } : {}), ...there(approval) },
        ];
    const done = `${approve ? 'Approved' : 'Denied'}: ${approval.tool ?? approval.gate}`;
    return send(path, { ...body, ...(note ? { note } : {}) }, done);
  };
  const off = busy || !mayAnswer(approval);
  return (
    <Card asked={approval} task={task} what="approval" problem={problem}>
      <p class="ask-text">
        {approval.tool ? 'May it use ' : `May ${flow ? 'the step' : 'it'} pass the gate `}
        <b>
          <Said text={approval.tool ?? approval.gate} most={80} />
        </b>
        ?
      </p>
      {approval.description && (
        <p class="ask-more">
          <Said text={approval.description} most={4000} />
        </p>
      )}
      {approval.tool_input && <ToolInput text={approval.tool_input} />}
      <fieldset disabled={off} class="answers">
        <legend class="hidden">Decision</legend>
        <div class="options decide">
          <button class="button primary option" type="button" onClick={() => decide(true)}>
            Approve
          </button>
          <button class="button option" type="button" onClick={() => decide(false)}>
            Deny
          </button>
        </div>
        <details class="more">
          <summary>{flow ? 'Note…' : 'Note, always…'}</summary>
          <label class="field">
            Note to the agent
            <input type="text" value={note} maxLength={2000} onInput={(event) => setNote(event.currentTarget.value)} />
          </label>
          {!flow && (
            <label class="check">
              <input type="checkbox" checked={remember} onChange={() => setRemember(!remember)} />
              <span>
                Decide the same way about{' '}
                {approval.rule ? (
                  <code>
                    <Said text={approval.rule} most={200} />
                  </code>
                ) : (
                  'equal requests'
                )}{' '}
                in this job
              </span>
            </label>
          )}
        </details>
      </fieldset>
    </Card>
  );
}

/// A step of a flow that a person does.
export function StepCard({ step }: { step: ManualStep }) {
  const { busy, problem, send } = useSending(`${step.flow}/${step.step}`);
  const [text, setText] = useState('');
  const end = (verb: 'complete' | 'fail', body: object) =>
    send(
      `/v1/flows/${step.flow}/${verb}`,
      { step: step.step, ...(text ? body : {}) },
      `Step ${step.step} ${verb === 'fail' ? 'has failed' : 'is done'}`,
    );
  const off = busy || !mayAct.value || moment.value !== null;
  return (
    <article class="card ask" aria-label="step for a person" {...useStill()}>
      <CardHead project={step.project}>
        <StepLink flow={step.flow} step={step.step} />
        <span class="due">since {roughly((nowUs.value - step.since_us) / 1e6)}</span>
      </CardHead>
      <p class="ask-text">
        A person does the step{' '}
        <b>
          <Said text={step.step} line most={140} />
        </b>
        .
      </p>
      {step.description && (
        <p class="ask-more">
          <Said text={step.description} most={4000} />
        </p>
      )}
      <fieldset disabled={off} class="answers">
        <legend class="hidden">Step</legend>
        <label class="field">
          How it went
          <input type="text" value={text} maxLength={2000} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <div class="options">
          <button class="button primary option" type="button" onClick={() => end('complete', { output: text })}>
            Done
          </button>
          <button class="button option" type="button" onClick={() => end('fail', { error: text })}>
            Failed
          </button>
        </div>
      </fieldset>
      <Refusal problem={problem} />
    </article>
  );
}

/// The input of a tool call: its command or its change as people read them, else its fields.
function ToolInput({ text }: { text: string }) {
  let input: Record<string, unknown> | null = null;
  try {
    const parsed = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null) input = parsed;
  } catch {
    // It is shown as it is.
  }
  if (typeof input?.old_string === 'string' && typeof input?.new_string === 'string') {
    return (
      <div class="tool-input-card">
        <code>
          <Said text={String(input.file_path ?? '')} most={400} />
        </code>
        <DiffOfEdit before={input.old_string} after={input.new_string} />
      </div>
    );
  }
  const shown = typeof input?.command === 'string' ? input.command : input ? JSON.stringify(input, null, 2) : text;
  return (
    <pre class="tool-input-card" tabIndex={0}>
      {harmless(clipped(shown, 8000))}
    </pre>
  );
}
