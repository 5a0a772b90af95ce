// Other machines. Their rows are read beside those of this one, so that nothing here waits for them. No event announces
// what happens there.
import { moment } from './api.ts';
import { never } from './concerns.ts';
import { useReading, type Shown } from './reading.ts';
import type { Job, MachineAnswer, OnMachine, OtherMachine, Overview, Site } from './shapes.ts';

const kRowsEveryMs = 5000;
const kMachinesEveryMs = 30_000;
const kThisMachine = 'local';

export const isOther = (row: OnMachine): boolean => row.machine !== undefined && row.machine !== kThisMachine;

/// Machines choose their ids themselves.
export const rowKey = (row: OnMachine & { id: string }): string => `${isOther(row) ? row.machine : ''} ${row.id}`;

export const promptPath = (kind: 'questions' | 'approvals', id: string, verb: string): string =>
  `/v1/${kind}/${encodeURIComponent(id)}/${verb}`;

/// Those that are configured; of a device that sees some projects only: none.
export function useOthers(): OtherMachine[] {
  return useReading<{ machines: OtherMachine[] }>('/v1/machines', never, 0, kMachinesEveryMs).value?.machines ?? [];
}

/// The machines of the fleet; none without one, and for devices that may not see it.
export function useFleet(): Shown<{ sites: Site[] }> {
  return useReading<{ sites: Site[] }>('/v1/fleet', never, 0, kMachinesEveryMs);
}

/// A list with the rows of the fleet, or of one of its machines. Those of machines that answer are fresh.
export function useOfFleet<T extends { machines?: MachineAnswer[] }>(path: string, site: string): Shown<T> {
  const asks = moment.value === null && path !== '';
  const of = site ? `&site=${encodeURIComponent(site)}` : '';
  return useReading<T>(asks ? `${path}${path.includes('?') ? '&' : '?'}fleet=1${of}` : '', never, 0, kRowsEveryMs);
}

/// The rows with what is known of their machines.
export function withFreshness<T extends OnMachine>(rows: T[], machines: MachineAnswer[] = []): T[] {
  const answered = new Set(machines.filter((each) => each.answered).map((each) => each.machine));
  return rows.map((row) => ({ ...row, fresh: answered.has(row.machine ?? '') }));
}

/// A list with the rows of all machines; nothing if there is no other one, or in the past.
export function useOfAll<T>(path: string): Shown<T> {
  const asks = useOthers().length > 0 && moment.value === null && path !== '';
  return useReading<T>(asks ? `${path}${path.includes('?') ? '&' : '?'}machines=1` : '', never, 0, kRowsEveryMs);
}

const kGroups = ['needs_input', 'working', 'queued', 'parked', 'ended'] as const;

/// The overview of this machine with the rows of the others.
export function withOthers(here: Overview, all: Overview | null): Overview {
  if (!all) return here;
  const merged: Overview = { ...here, counts: { ...here.counts }, machines: all.machines ?? [] };
  for (const group of kGroups) {
    const rows: Job[] = all[group].filter(isOther);
    merged[group] = [...here[group], ...rows];
    merged.counts[group] = (here.counts[group] ?? 0) + rows.length;
  }
  merged.ended.sort((a, b) => b.ended_us - a.ended_us);
  merged.questions = [...here.questions, ...all.questions.filter(isOther)];
  merged.approvals = [...here.approvals, ...all.approvals.filter(isOther)];
  return merged;
}

/// The other machines that did not answer.
export const silentOnes = (machines: MachineAnswer[] = []): MachineAnswer[] =>
  machines.filter((each) => !each.answered && each.machine !== kThisMachine);
