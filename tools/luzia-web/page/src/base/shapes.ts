// Answers of the API, as `luzia COMMAND --json` prints them. Only the fields that the page shows are named.
// Times with the suffix _us are microseconds since 1970 UTC; 0: not yet.

export type JobState =
  | 'queued'
  | 'starting'
  | 'running'
  | 'waiting'
  | 'parked'
  | 'completed'
  | 'failed'
  | 'killed'
  | 'timed_out'
  | 'lost'
  | 'skipped'
  | 'cancelled';

export interface TodoItem {
  text: string;
  status: string;
}
export interface Progress {
  percent: number | null;
  current_step: number;
  total_steps: number;
  step_name: string | null;
}
export interface Tokens {
  input: number;
  output: number;
  cache_read: number;
  cache_write: number;
}

/// What the agent of a job was told.
export interface Message {
  id: string;
  text: string;
  files: string[];
  from: string | null;
  device: string | null;
  from_job: string | null; // its agent says it
  told_at: string;
  read_at: string | null;
  attempt: number | null; // that has read it
  how: 'prompt' | 'hook' | 'tool' | null;
}

/// Of each attempt; null: not limited.
export interface Limits {
  memory_bytes: number | null;
  cpu_percent: number | null;
  processes: number | null;
  disk_bytes: number | null;
}

/// Of rows in a list over several machines.
export interface OnMachine {
  machine?: string; // none: this one
  as_of_us?: number; // it was so then; its machine does not answer, unless `fresh`
  fresh?: boolean;
}

export interface Job extends OnMachine {
  message?: string; // what a person tells the agent
  messages?: Message[]; // only of a job that is read by itself
  messages_unread?: number;
  messages_omitted?: number; // older ones
  id: string;
  project: string;
  task: string | null;
  agent: string;
  user: string;
  state: JobState;
  attempt: number;
  attempts: number;
  priority: number;
  tags: string[];
  exit_code: number | null;
  verified: boolean | null;
  signal: string | number | null;
  reason: string | null;
  reason_text: string | null;
  failure?: { summary: string; offset: number | null } | null;
  queued_us: number;
  started_us: number;
  ended_us: number;
  elapsed_seconds: number | null;
  queue_wait_seconds: number | null;
  human_wait_seconds: number | null;
  progress: Progress | null;
  last_line: string | null;
  output: { bytes: number; lines: number };
  warnings: number;
  errors: number;
  issues: number;
  questions_open: number;
  approvals_open: number;
  last_warning: string | null;
  session_id: string | null;
  model: string | null;
  tokens: Tokens;
  cost_usd: number | null;
  outcome: string | null;
  outcome_text: string | null;
  tool_calls: number;
  tool_failures: number;
  tool_denials: number;
  agent_retries: number;
  todo: TodoItem[];
  limit: string | null;
  max_rss_kib: number;
  resident_kib?: number; // of its processes now
  limits?: Limits;
  sandbox?: string; // of the last attempt
  tracked?: boolean; // Luzia did not dispatch it
  schedule?: string | null; // that dispatched it
  flow: string | null;
  step: string | null;
  parent_job: string | null;
  after: string[];
  working_dir: string | null;
  snapshot: string | null;
  worktree: string | null;
  held: boolean;
  paused: boolean;
  stopping: boolean;
  estimate_ms: number | null;
  timeout_ms: number | null;
  not_before: string | null;
  parked_until: string | null;
  queue_position: number | null;
  estimated_wait_seconds: number | null;
  blocked_why: string | null;
  usage_partial?: boolean;
  position: number;
}

export interface Question extends OnMachine {
  id: string;
  job: string;
  project: string;
  agent: string;
  type: string;
  question: string;
  options: string[];
  default: string | null;
  asked_us: number;
  deadline_us: number;
  answer_by_us: number;
  state: string;
  priority: number;
  source: string;
  free_text: boolean; // whether any text is an answer, also beside the options
}

export interface Approval extends OnMachine {
  id: string; // FLOW/STEP of such a gate
  job: string | null; // null: the gate of a step of a flow
  flow?: string;
  step?: string;
  project: string;
  agent: string;
  gate: string;
  description: string | null;
  tool: string | null;
  tool_input: string | null;
  rule: string | null;
  asked_us: number;
  deadline_us: number;
  auto_after_us: number;
  answer_by_us: number;
  state: string;
  priority: number;
}

export interface Alert {
  alert: string;
  severity: string;
  message: string;
  recommendation: string | null;
  raised_us?: number;
}
export interface Pause {
  scope: string;
  project: string | null;
  agent?: string | null;
  draining: boolean;
  note: string | null;
  since_us: number;
  until_us?: number;
}
export interface ManualStep {
  flow: string;
  step: string;
  project: string;
  description: string | null;
  since_us: number;
}

export interface Overview {
  time_us: number;
  position: number;
  paused: Pause[];
  counts: Record<string, number>;
  last_day?: Record<string, number | boolean>; // ends by state; is_cut: there are more
  alerts: Alert[];
  questions: Question[];
  approvals: Approval[];
  manual_steps: ManualStep[];
  needs_input: Job[];
  working: Job[];
  queued: Job[];
  parked: Job[];
  ended: Job[];
  machines?: MachineAnswer[]; // of a list over several machines
}

/// How a machine has answered a list over several.
export interface MachineAnswer {
  machine: string;
  answered: boolean;
  as_of_us: number; // of its rows, if it has not answered; 0: none are known
  error: { code: string; message: string; hint: string | null } | null;
}

/// A machine of the configuration beside this one. null: not known, because nothing is connected now.
export interface OtherMachine {
  name: string;
  ssh: string;
  labels: string[];
  max_running: number | null;
  connected: boolean;
  version: string | null;
  slots: number | null;
  load_percent: number | null;
  clock_ahead_seconds: number;
}

/// A machine of the fleet, as its database has it.
export interface Site {
  site: string;
  host: string;
  version: string;
  position: number;
  as_of_us: number;
  unreachable: boolean;
  fault: string | null;
}

export interface Evidence {
  kind: string;
  attempt: number | null;
  log_from: number | null;
  log_to: number | null;
  rule: string | null;
}
// The data of an event has the fields of its type in schema/*.fbs.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type EventData = Record<string, any>;
export interface LogEvent {
  position: number;
  stream: string;
  version: number;
  time_us: number;
  type: string;
  actor: { kind: string; uid: number; name: string | null; device?: string | null };
  cause: number | null;
  evidence: Evidence;
  data: EventData;
}

export interface Why {
  events: LogEvent[];
  queue_position?: number | null;
  estimated_wait_seconds?: number | null;
  blocked_why?: string | null;
}

export interface QueueEntry {
  position: number;
  job: string;
  project: string;
  agent: string;
  priority: number;
  queued_us: number;
  held: boolean;
  blocked_why: string | null;
  estimated_wait_seconds: number | null;
}

export interface Issue {
  pattern: string;
  severity: string;
  description: string;
  line: string;
  first_offset: number;
  count: number;
  fix: string | null;
  state: string;
  attempt: number;
  job: string;
  project: string;
  last_seen_us: number;
  fixed_by: string | null;
  fixed_by_job: string | null;
}

/// A line of output that has the words of a search: they begin at byte `offset`, the line ends before byte `end`.
export interface FoundLine {
  offset: number;
  end: number;
  before: string;
  words: string;
  after: string;
}
export interface FoundJob {
  id: string;
  project: string;
  agent: string;
  task: string;
  state: JobState;
  attempts: number;
  queued_us: number;
  lines: FoundLine[];
  more: boolean;
}
export interface Solution {
  id: string;
  problem: string;
  project: string | null;
  text: string;
  tags: string[];
  confidence: number;
  helped: number;
  failed: number;
}
export interface Fact {
  subject: string;
  relation: string;
  object: string;
  context: string | null;
  project: string | null;
}

export interface ChangedFile {
  path: string;
  change: string;
  added: number | null;
  removed: number | null;
}
export interface Changes {
  job: string;
  attempt: number;
  snapshot: string;
  files: ChangedFile[];
  left_out: string[];
}

export interface Project {
  name: string;
  path: string;
  agent: string | null;
  sandbox: Sandbox | null; // null: the agent's
  memory_bytes: number | null; // likewise
  verify: string[];
}
/// Jobs of a project, of all time.
export interface ProjectTotals {
  project: string;
  running: number;
  queued: number;
  completed: number;
  failed: number;
  killed: number;
  timed_out: number;
  lost: number;
  skipped: number;
  cancelled: number;
  success_rate: number | null;
  last_us: number;
}
/// When an agent reads messages while it works; null: it executes its task, and reads nothing.
export type Told = 'at_calls' | 'in_prompts' | null;
export interface Agent {
  name: string;
  parked_until?: string | null;
  told?: Told;
  sandbox: Sandbox; // of jobs in projects that do not say
  memory_bytes: number | null;
}
/// From the widest to the narrowest.
export const kSandboxes = ['off', 'project', 'strict'] as const;
export type Sandbox = (typeof kSandboxes)[number];
/// A notification channel, and how it is told.
export interface Hook {
  name: string;
  lag: number; // events that it has not been told of
  delivered: number;
  given_up: number;
  suppressed: number;
  last_us: number;
  last_failure: string | null;
  last_failed_us: number;
}
/// How it is now: nobody records that.
export interface MachineState {
  load: number | null;
  cores: number;
  memory_bytes: number | null;
  memory_available_bytes: number | null;
  disk_bytes: number | null;
  disk_available_bytes: number | null;
  daemon: { pid: number; version: string };
  hooks: Hook[];
}
export type Role = 'viewer' | 'operator' | 'admin';
export interface Device {
  id: string;
  name: string;
  person: string | null;
  role: Role;
  projects: string[];
  paired_at: string | null;
  seen_at: string | null;
  address: string | null;
  revoked_at: string | null;
  /// null: it is not notified by push, and never was.
  push: { service: string | null; kinds: string[]; since: string | null; ended: string | null } | null;
}
export interface PushState {
  key: string;
  subscribed: boolean;
  service: string | null;
  kinds: string[];
  ended: string | null;
  delivered: number;
  given_up: number;
  last_failure: string | null;
}
export interface Me {
  device: string;
  name?: string;
  person: string;
  role: Role;
  projects: string[];
}

export type StepState = 'pending' | 'in_progress' | 'completed' | 'failed' | 'skipped';
export interface FlowStep {
  name: string;
  state: StepState;
  queued: boolean;
  job: string | null;
  output: string | null;
  output_error?: string;
  error: string | null;
  started_at: string | null;
  ended_at: string | null;
  needs: string[];
  agent: string | null;
  gate: string | null;
  gate_state: 'shut' | 'asked' | 'opened' | 'denied' | null;
  retries: number;
  tries: number;
  jobs: string[];
  failed_try: number | null;
  failed_error: string | null;
  description: string | null;
  by_job: boolean;
  not_before: string | null;
}
export interface Suggestion {
  text: string;
  rule: string;
  step: string | null;
}
export interface Flow {
  id: string;
  project: string;
  description: string | null;
  state: 'active' | 'completed' | 'failed' | 'cancelled';
  steps: FlowStep[];
  tags: string[];
  created_at: string;
  updated_at: string;
  ended_at: string | null;
  result: string | null;
  steps_done: number;
  steps_total: number;
  notes: Record<string, string>;
  suggestions: Suggestion[];
  runs: boolean;
  paused: boolean;
  user: string | null;
  source: string | null;
  issues: string[];
}

/// A recurring job.
export interface Schedule {
  name: string;
  project: string;
  rule: string;
  time_zone: string | null;
  next_us: number | null;
  last_at: string | null;
  last_outcome: string | null;
  last_job: string | null;
  last_state: JobState | null;
  agent: string | null; // of the last job
  waiting_at: string | null;
  note: string | null;
  completed: number;
  failed: number;
  skipped_overlap: number;
  skipped_missed: number;
  refused: number;
  cost_usd: number;
  paused_at: string | null;
  paused_by: string | null;
  pause_note: string | null;
  dropped_at: string | null;
  position: number;
}

export interface Spread {
  mean_ms: number;
  p50_ms: number;
  p95_ms: number;
}
/// Jobs that ended, of a day, an agent, a model or a project.
export interface Outcome {
  key: string;
  jobs: number;
  completed: number;
  failed: number;
  killed: number;
  timed_out: number;
  lost: number;
  skipped: number;
  cancelled: number;
  success_rate: number | null;
  first_try: number;
  retries: number;
  run: Spread;
  queue_wait: Spread;
  human_wait_seconds: number;
  tokens: Tokens;
  cost_usd: number;
  issues: number;
}
/// What a project (null: all together) has used today. A budget of null is not set.
export interface Budget {
  project: string | null;
  tokens: number;
  cost_usd: number;
  time_seconds: number | null;
  tokens_budget: number | null;
  cost_budget_usd: number | null;
  time_budget_seconds: number | null;
  stopped: boolean;
  until: string | null;
  lifted: boolean;
}
