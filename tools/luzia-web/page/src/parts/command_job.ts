// Commands about a job.
import { actOnce } from '../base/api.ts';
import type { Job } from '../base/shapes.ts';

/// Sends a command about a job as it is shown. A retry of the same attempt is one, however often it is pressed.
export const commandJob = (job: Job, verb: string): Promise<unknown> =>
  actOnce(`attempt ${job.attempts} ${verb === 'retry' ? '' : job.position}`, `/v1/jobs/${job.id}/${verb}`);
