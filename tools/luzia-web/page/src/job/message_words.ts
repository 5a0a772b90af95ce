// What people read about messages to a job's agent: who says it, when the agent reads it, and when it did.
import { usOf, when } from '../base/format.ts';
import type { Job, Message, Told } from '../base/shapes.ts';
import { hasEnded, isLive } from '../parts/states.tsx';

export const writerOf = ({ from, device, from_job }: Message): string =>
  from_job ? `The agent of job ${from_job}` : `${from || 'Somebody'}${device ? ` at ${device}` : ''}`;

const kWays: Record<string, string> = {
  prompt: ' in its prompt',
  hook: ' at a tool call',
  tool: ' with the result of a tool',
};
/// By which way a message came; empty: by one of a newer daemon.
export const wayWords = (how: string | null): string => kWays[how ?? ''] ?? '';

/// "Read by attempt 2 at a tool call, 14:05:09"; `now`: microseconds.
export function readWords(message: Message, job: Job, now: number): string {
  if (message.read_at === null)
    return hasEnded(job) ? 'Not read yet. A retry of the job passes it on.' : 'Not read yet.';
  return `Read by attempt ${message.attempt}${wayWords(message.how)}, ${when(usOf(message.read_at), now, 'second')}`;
}

/// Whether the running attempt has read a message while it worked: its agent asks for them.
const asksForMessages = (job: Job): boolean =>
  (job.messages ?? []).some(({ attempt, how }) => attempt === job.attempt && (how === 'hook' || how === 'tool'));

/// What will happen with a message that is sent now. `resumes`: the job is retried with it, if it has ended. `told`: of
/// its agent.
export function expectation(job: Job, resumes: boolean, told: Told): string {
  if (hasEnded(job))
    return resumes
      ? 'The job is retried at once, in the session that it had. The message is in the prompt of its new attempt.'
      : 'The message is kept. It is in the prompt of the next attempt, when somebody retries the job.';
  if (!isLive(job) || told === 'in_prompts') return 'The message is in the prompt of the next attempt.';
  if (asksForMessages(job)) return 'The agent reads it at its next tool call.';
  return (
    'The agent reads it at its next tool call, if luzia init has entered Luzia’s hook in its settings. ' +
    'Otherwise it is in the prompt of the next attempt.'
  );
}

/// What the server expects of a message that it has taken.
export function acceptedWords(way: string | undefined): string {
  switch (way) {
    case 'next_call':
      return 'Sent: the agent reads it at its next tool call';
    case 'if_hook':
      return 'Sent: the agent reads it at its next tool call, if it has the hook';
    case 'on_resume':
      return 'Kept until somebody retries the job';
    default:
      return 'Sent: the agent gets it with its next attempt';
  }
}
