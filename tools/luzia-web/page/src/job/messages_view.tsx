// What the agent of a job was told, by whom, and when it read that; and the box to tell it something.
import { useEffect, useRef } from 'preact/hooks';
import { Problem } from '../base/api.ts';
import { nowUs } from '../base/clock.ts';
import { agentLimits } from '../base/concerns.ts';
import { Forms } from '../base/drafts.ts';
import { counted, inFull, usOf, when } from '../base/format.ts';
import { mayActNow } from '../base/me.ts';
import { readAllAgain, useReading } from '../base/reading.ts';
import { go, jobHref } from '../base/route.ts';
import type { Agent, Job, Message, Told } from '../base/shapes.ts';
import { bytesOf, Said, wellFormed } from '../base/text.tsx';
import { SendBar, sendByKey, useForm } from '../parts/form.tsx';
import { hasEnded } from '../parts/states.tsx';
import { say } from '../parts/toast.tsx';
import { Refusal } from '../parts/trouble.tsx';
import { kMostBytes } from './comments.ts';
import { acceptedWords, expectation, readWords, writerOf } from './message_words.ts';

const messages = new Forms('message', { message: '', resumes: true });

/// When the agent of a job reads messages while it works. One that is not configured any more is asked; what Luzia did
/// not dispatch reads none.
export function useTold({ agent, tracked }: Job): Told {
  const { value } = useReading<{ agents: Agent[] }>('/v1/agents', agentLimits);
  if (tracked) return null;
  const known = value?.agents.find(({ name }) => name === agent)?.told;
  return known !== undefined ? known : agent === 'shell' ? null : 'at_calls';
}

/// To the box.
export function writeMessage(job: string): void {
  go(jobHref(job, 'messages'));
  requestAnimationFrame(() =>
    requestAnimationFrame(() => document.querySelector<HTMLTextAreaElement>('#message')?.focus()),
  );
}

export function MessagesView({ job }: { job: Job }) {
  const way = useTold(job);
  const told = job.messages ?? [];
  return (
    <div class="messages">
      {mayActNow.value && way && <Box job={job} way={way} />}
      {told.length === 0 ? (
        <p class="empty">Nobody has told the agent anything yet.</p>
      ) : (
        <ol aria-label="Messages, the newest first">
          {[...told].reverse().map((each) => (
            <MessageCard key={each.id} message={each} job={job} />
          ))}
        </ol>
      )}
      {(job.messages_omitted ?? 0) > 0 && <p class="quiet">{counted(job.messages_omitted!, 'older message')}</p>}
    </div>
  );
}

function MessageCard({ message, job }: { message: Message; job: Job }) {
  const us = usOf(message.told_at);
  return (
    <li class="card message">
      <p class="quiet">
        {message.from_job ? (
          <a href={jobHref(message.from_job)}>{writerOf(message)}</a>
        ) : (
          <Said text={writerOf(message)} line most={200} />
        )}
        , <time title={inFull(us)}>{when(us, nowUs.value, 'second')}</time>
      </p>
      <p class="message-text">
        <Said text={message.text} most={70_000} />
      </p>
      {message.files.length > 0 && (
        <p class="quiet">
          With <Said text={message.files.join(', ')} most={500} />
        </p>
      )}
      <p class={message.read_at === null ? 'tone-need' : 'quiet'}>{readWords(message, job, nowUs.value)}</p>
    </li>
  );
}

function Box({ job, way }: { job: Job; way: Told }) {
  const { fields, locked, busy, problem, setProblem, write, send, discard } = useForm(messages, job.id);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => void (problem && !locked && field.current!.focus()), [problem]);
  const ended = hasEnded(job);
  const submit = async () => {
    if (busy) return;
    const text = wellFormed(fields.message);
    const size = bytesOf(text);
    if (!locked && size > kMostBytes) {
      const limit = `The message has ${size} bytes; the limit is ${kMostBytes}.`;
      return setProblem(new Problem(limit, -1, 'message_too_long', 'Write it to a file, and name the file.'));
    }
    const resume = ended && fields.resumes;
    const sent = await send<{ ids: string[] }>(`/v1/jobs/${job.id}/tell`, resume ? { text, resume } : { text });
    if (sent === null) return;
    say(acceptedWords(sent.ids[1]));
    readAllAgain();
  };
  return (
    <form
      class="form card"
      noValidate
      aria-label="Message to the agent"
      onKeyDown={sendByKey}
      onSubmit={(event) => (event.preventDefault(), void submit())}>
      <label class="field">
        Message to the agent
        <textarea
          id="message"
          ref={field}
          rows={3}
          value={fields.message}
          disabled={locked}
          aria-invalid={problem !== null && !locked}
          aria-describedby="message-problem message-expected"
          onInput={(event) => write({ message: event.currentTarget.value })}
        />
      </label>
      {ended && (
        <label class="check">
          <input
            type="checkbox"
            checked={fields.resumes}
            disabled={locked}
            onChange={(event) => write({ resumes: event.currentTarget.checked })}
          />
          <span>Retry the job with it now</span>
        </label>
      )}
      <p class="quiet" id="message-expected">
        {expectation(job, fields.resumes, way)}
      </p>
      <Refusal problem={problem} id="message-problem" />
      <SendBar verb="Send" icon="ask" locked={locked} busy={busy} onDiscard={discard} />
    </form>
  );
}
