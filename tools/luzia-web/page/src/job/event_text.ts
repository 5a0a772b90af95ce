// What an event says, in one sentence, as `luzia why` does.
import { clock, fine, usd, words } from '../base/format.ts';
import type { EventData, LogEvent } from '../base/shapes.ts';
import { wayWords } from './message_words.ts';

type HostUse = { host: string; port: number; verdict: string };
type Say = (data: EventData, event: LogEvent) => string;

const note = (data: EventData): string => (data.note ? `: ${data.note}` : '');
const until = (us: number): string => (us ? `, until ${clock(us)}` : '');
const who = (event: LogEvent): string =>
  event.actor.name ? event.actor.name + (event.actor.device ? ` at ${event.actor.device}` : '') : event.actor.kind;

const kSay: Record<string, Say> = {
  JobQueued: (d) =>
    `queued for ${d.spec?.project} with ${d.spec?.agent}, priority ${d.priority}` +
    (d.after?.length ? `, after ${d.after.length} other jobs` : ''),
  AttemptStarting: (d) => `attempt ${d.attempt} is starting`,
  AttemptStarted: (d) => `attempt ${d.attempt} started (pid ${d.pid})`,
  AttemptEnded: (d) => {
    if (d.evidence_lost) return `attempt ${d.attempt} is gone without an exit record`;
    if (d.start_error) return `attempt ${d.attempt} did not start: ${d.start_error}`;
    const how = d.signal
      ? `killed by signal ${d.signal}`
      : d.exit_code === null
        ? 'no exit code'
        : `exit code ${d.exit_code}`;
    return (
      `attempt ${d.attempt} ended: ${how}, ran ${fine(d.wall_us / 1e6)}` +
      (d.leftovers_killed ? `, ${d.leftovers_killed} processes left over killed` : '')
    );
  },
  JobEnded: (d) => `${words(d.state)}${d.detail ? `: ${d.detail}` : ''}`,
  JobRetried: (d) =>
    `${d.automatic ? 'retried by itself' : 'retried'} as attempt ${d.attempt}` +
    `${d.message ? ', with a message' : ''}${note(d)}`,
  JobTold: (d) => `its agent is told something${d.files?.length ? `, with ${d.files.length} files` : ''}`,
  JobToldRead: (d) => `attempt ${d.attempt} has read what it was told${wayWords(d.how)}`,
  StopRequested: (d) => `stop ordered (${words(String(d.reason))})${note(d)}`,
  JobRerouted: (d) => `goes on with ${d.agent} instead of ${d.from}${note(d)}`,
  AttemptLimited: (d) =>
    `the limits of attempt ${d.attempt} are held by ${d.cgroup ? `the kernel in ${d.cgroup}` : 'luziad'}` +
    (d.not_held ? `: ${d.not_held}` : ''),
  HostsContacted: (d) =>
    `${d.total ? `the network of attempt ${d.attempt}` : 'reaches for'}: ` +
    (d.hosts ?? [])
      .slice(0, 40)
      .map((use: HostUse) => `${use.verdict === 'allowed' ? '' : 'refused: '}${use.host}:${use.port}`)
      .join(', '),
  StopForced: () => 'did not stop in time: killed',
  JobParked: (d) => `parked${until(d.until_us)}: ${d.limit}`,
  JobUnparked: (d) => `taken out of parking${note(d)}`,
  JobWaiting: (d) => `waits for a person (${d.open} open)`,
  JobContinued: (d) => `goes on (${d.open} open)`,
  JobReprioritized: (d) => `priority set to ${d.priority}`,
  DependencyEnded: (d) => `${d.job}, which it depends on, ${d.never_ran ? 'did not run' : words(String(d.state))}`,
  PromptBuilt: (d) => `prompt built by template ${d.template}: ${d.bytes} bytes`,
  OutputAppended: (d) => `wrote ${d.to - d.from} bytes, ${d.lines} lines`,
  OutputRestarted: (d) => `output.log was ${words(String(d.reason))}; reading starts again`,
  AnnotationFound: (d) => `${d.severity}: ${d.file ? `${d.file}:${d.line}: ` : ''}${d.message}`,
  ProgressReported: (d) =>
    `progress${d.progress_percent === null ? '' : ` ${Math.round(d.progress_percent)} %`}` +
    (d.total_steps ? `, step ${d.current_step} of ${d.total_steps}` : '') +
    (d.current_step_name ? `: ${d.current_step_name}` : ''),
  TaskCompleted: (d) => `says it completed: ${words(String(d.status))}, ${d.findings_count} findings`,
  TaskFailed: (d) => `says it failed: ${d.error}`,
  WarningReported: (d) => `warning ${d.warning_type}: ${d.message}`,
  SessionIdentified: (d) => `session ${d.session_id}, model ${d.model}`,
  TodoReported: (d) => `todo list: ${(d.items ?? []).length} items`,
  AgentRetried: (d) =>
    `the agent's service answered ${d.api_status || 'nothing'}; retry ${d.retry} of ${d.max_retries}`,
  AgentErrorReported: (d) => `the agent reports an error: ${d.text || d.kind}`,
  AgentConcluded: (d) => `the agent says: ${words(String(d.outcome))}${d.text ? `: ${d.text}` : ''}`,
  UsageReported: (d) =>
    `used ${d.input_tokens} tokens in, ${d.output_tokens} out${d.cost_usd ? `, ${usd(d.cost_usd)}` : ''}`,
  LimitReached: (d) => `usage limit ${d.limit} reached${until(d.resets_us)}${d.text ? `: ${d.text}` : ''}`,
  LimitWarned: (d) => `usage limit ${d.limit} at ${Math.round(d.used_fraction * 100)} %`,
  IssueDetected: (d) => `${d.severity}: ${d.description} ${d.line}`,
  IssueRepeated: (d) => `a known problem again, ${d.count ?? ''} times`,
  ToolCalled: (d) => `calls ${d.tool}${d.subject ? `: ${d.subject}` : ''}`,
  ToolReturned: (d) => (d.succeeded ? 'the tool returned' : `the tool failed${d.text ? `: ${d.text}` : ''}`),
  ToolDenied: (d) => `${d.tool} was denied: ${d.reason}`,
  QuestionAsked: (d) =>
    `asks a person${d.options?.length ? ` to choose: ${d.options.join(', ')}` : ' a question'}${until(d.deadline_us)}`,
  QuestionAnswered: (d, e) =>
    d.by_default
      ? 'the question got its default answer: nobody answered in time'
      : `the question was answered by ${who(e)}`,
  QuestionTimedOut: () => 'the question was not answered in time',
  QuestionCancelled: (d) => `the question was withdrawn${d.reason ? `: ${d.reason}` : ''}`,
  AnswerDelivered: () => 'the agent has the answer',
  ApprovalRequested: (d) =>
    (d.tool ? `asks whether it may use ${d.tool}` : `asks for approval of ${d.gate}`) + until(d.deadline_us),
  ApprovalDecided: (d, e) => `${words(String(d.decision))} by ${d.policy ? `policy ${d.policy}` : who(e)}${note(d)}`,
  ApprovalCancelled: (d) => `the approval was withdrawn${d.reason ? `: ${d.reason}` : ''}`,
  DecisionDelivered: () => 'the agent has the decision',
  SnapshotTaken: (d) => `the files before attempt ${d.attempt} are kept, ${d.files} of them changed`,
  WorktreeMade: (d) => `works in a tree of its own, ${d.path}`,
  FilesContended: (d) => `job ${d.job} changes the same files: ${(d.files ?? []).join(', ')}`,
};

/// Of an event that is not in the table: its name in words, and its note or message.
export function eventText(event: LogEvent): string {
  const say = kSay[event.type];
  if (say) return say(event.data, event);
  const more = event.data.message || event.data.note || event.data.reason || event.data.text || '';
  return words(event.type) + (typeof more === 'string' && more ? `: ${more}` : '');
}

/// "by ana at phone", or where in the output it was seen.
export function sourceText(event: LogEvent): string {
  const seen = event.evidence;
  if (seen.kind === 'asserted') return `asserted by ${who(event)}`;
  if (!seen.log_to) return `concluded (${seen.rule ?? ''})`;
  return `seen in the output (${seen.rule ?? ''})`;
}

/// Whether it went wrong, needs a person, or is news: for its mark.
export function toneOf(event: LogEvent): string {
  const { type, data } = event;
  if (/^(IssueDetected|TaskFailed|AgentErrorReported|LimitReached|StopForced|ToolDenied)$/.test(type)) return 'bad';
  if (type === 'JobEnded') return data.state === 'completed' ? 'good' : 'bad';
  if (type === 'AnnotationFound') return data.severity === 'error' ? 'bad' : 'need';
  if (/^(QuestionAsked|ApprovalRequested|JobWaiting|WarningReported|JobParked)$/.test(type)) return 'need';
  return /^(AttemptStarted|JobContinued|QuestionAnswered|ApprovalDecided)$/.test(type) ? 'run' : 'idle';
}
