// A job that has ended is retried, and its agent is told something.
import { useEffect, useRef } from 'preact/hooks';
import { Problem } from '../base/api.ts';
import { Forms } from '../base/drafts.ts';
import { readAllAgain } from '../base/reading.ts';
import { bytesOf, wellFormed } from '../base/text.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { SendBar, sendByKey, useForm } from '../parts/form.tsx';
import { say } from '../parts/toast.tsx';
import { Refusal } from '../parts/trouble.tsx';
import { kMostBytes } from './comments.ts';

const messages = new Forms('message', { message: '' });

export function MessageDialog({ job, onClose }: { job: string; onClose: () => void }) {
  const { fields, locked, busy, problem, setProblem, write, send, discard } = useForm(messages, job);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current!.focus(), []);
  useEffect(() => void (problem && !locked && field.current!.focus()), [problem]);
  const submit = async () => {
    if (busy) return;
    const message = wellFormed(fields.message);
    const size = bytesOf(message);
    if (!locked && size > kMostBytes) {
      const limit = `The message has ${size} bytes; the limit is ${kMostBytes}.`;
      return setProblem(new Problem(limit, -1, 'message_too_long', 'Write it to a file, and name the file.'));
    }
    if ((await send(`/v1/jobs/${job}/retry`, { message })) === null) return;
    say('The agent gets the message with its next attempt');
    readAllAgain();
    onClose();
  };
  return (
    <Dialog title="Retry with a message" onClose={onClose} wide>
      <form
        class="form"
        noValidate
        onKeyDown={sendByKey}
        onSubmit={(event) => (event.preventDefault(), void submit())}>
        <label class="field">
          What the agent is told with its next attempt
          <textarea
            ref={field}
            rows={4}
            value={fields.message}
            disabled={locked}
            aria-invalid={problem !== null && !locked}
            aria-describedby="message-problem"
            onInput={(event) => write({ message: event.currentTarget.value })}
          />
        </label>
        <Refusal problem={problem} id="message-problem" />
        <SendBar verb="Retry" icon="retry" locked={locked} busy={busy} onDiscard={discard} />
      </form>
    </Dialog>
  );
}
