// Which events change which views.
import { jobOf } from './live.ts';
import type { Concerns } from './reading.ts';
import type { LogEvent } from './shapes.ts';

const kQuiet = new Set([
  'ToolsOffered',
  'ToolCatalogued',
  'SnapshotTaken',
  'PromptBuilt',
  'HookDelivered',
  'HookRegistered',
  'DigestDue',
  'StoreScrubbed',
  'DeviceSeen',
]);

/// The overview shows something of every job.
export const anyJob: Concerns = (event) => !kQuiet.has(event.type);
export const lifecycle: Concerns = (event) =>
  /^(Job|Attempt|Question|Approval|Queue|Breaker|Agent(Un)?[Pp]arked|Drain)/.test(event.type);
export const agentLimits: Concerns = (event) => /^Agent(Un)?parked$/i.test(event.type);
export const devices: Concerns = (event) => event.type.startsWith('Device');
/// Of pushes to one device: subscribed, sent, over.
export const pushesTo =
  (device: string): Concerns =>
  (event: LogEvent) =>
    event.type.startsWith('Push') ||
    (event.type === 'HookDelivered' && String(event.data?.hook ?? '').startsWith(`push/${device}`));
export const queue: Concerns = (event) => lifecycle(event);
export const flows: Concerns = (event) => event.stream.startsWith('flow/') || lifecycle(event);
export const schedules: Concerns = (event) =>
  event.stream.startsWith('schedule/') || event.type === 'AttemptStarted' || endOfJob(event);
export const ends: Concerns = (event) => /^(Attempt|Job|Flow)Ended$|^Issue|Answered$|Decided$/.test(event.type);
export const endOfJob: Concerns = (event) => /^(Attempt|Job)Ended$/.test(event.type);
export const never: Concerns = () => false;

/// Events of one job, and answers, whose stream may be another one.
export const ofJob =
  (job: string): Concerns =>
  (event: LogEvent) =>
    jobOf(event) === job || event.data?.job === job;
export const issuesOf =
  (job: string): Concerns =>
  (event) =>
    event.type.startsWith('Issue') && jobOf(event) === job;
