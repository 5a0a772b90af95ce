// How the state of a job looks and reads.
import type { Job, JobState } from '../base/shapes.ts';
import { Icon, type IconName } from './icons.tsx';

interface Look {
  icon: IconName;
  tone: string;
  word: string;
}

export function lookOf(job: Pick<Job, 'state' | 'paused' | 'held' | 'stopping'>): Look {
  if (job.stopping) return { icon: 'running', tone: 'bad', word: 'stopping' };
  if (job.paused) return { icon: 'pause', tone: 'parked', word: 'paused' };
  switch (job.state) {
    case 'queued':
      return job.held
        ? { icon: 'pause', tone: 'idle', word: 'held' }
        : { icon: 'queued', tone: 'idle', word: 'queued' };
    case 'starting':
      return { icon: 'running', tone: 'run', word: 'starting' };
    case 'running':
      return { icon: 'running', tone: 'run', word: 'running' };
    case 'waiting':
      return { icon: 'waiting', tone: 'need', word: 'needs you' };
    case 'parked':
      return { icon: 'parked', tone: 'parked', word: 'parked' };
    case 'completed':
      return { icon: 'completed', tone: 'good', word: 'completed' };
    case 'killed':
      return { icon: 'killed', tone: 'idle', word: 'killed' };
    case 'cancelled':
      return { icon: 'killed', tone: 'idle', word: 'cancelled' };
    case 'skipped':
      return { icon: 'next', tone: 'idle', word: 'skipped' };
    case 'failed':
      return { icon: 'failed', tone: 'bad', word: 'failed' };
    case 'timed_out':
      return { icon: 'clock', tone: 'bad', word: 'timed out' };
    case 'lost':
      return { icon: 'lost', tone: 'bad', word: 'lost' };
  }
  return { icon: 'queued', tone: 'idle', word: String(job.state) };
}

export function StateMark({ job }: { job: Pick<Job, 'state' | 'paused' | 'held' | 'stopping'> }) {
  const look = lookOf(job);
  return (
    <span class={`mark tone-${look.tone}`}>
      <Icon name={look.icon} label={look.word} />
    </span>
  );
}

export function StateChip({ job }: { job: Job }) {
  const look = lookOf(job);
  return (
    <span class={`state tone-${look.tone}`}>
      <Icon name={look.icon} />
      {look.word}
      {hasEnded(job) && job.verified !== null && (job.verified ? ', proved' : ', refuted')}
    </span>
  );
}

export const kEndStates: JobState[] = ['completed', 'failed', 'killed', 'timed_out', 'lost', 'skipped', 'cancelled'];
export const hasEnded = (job: Job): boolean => kEndStates.includes(job.state);
export const isLive = (job: Job): boolean => ['starting', 'running', 'waiting'].includes(job.state);
