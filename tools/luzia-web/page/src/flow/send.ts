// Commands about flows.
import { actOnce, Problem } from '../base/api.ts';
import { readAllAgain } from '../base/reading.ts';
import type { Flow } from '../base/shapes.ts';
import { say } from '../parts/toast.tsx';

/// Sends a command about a flow, and says how it came out.
export async function sendToFlow(flow: Flow, verb: string, body: object, done: string): Promise<void> {
  await actOnce(flow.updated_at, `/v1/flows/${encodeURIComponent(flow.id)}/${verb}`, body).then(
    () => say(done),
    (error: Problem) => say(`${error.message} ${error.hint}`, true),
  );
  readAllAgain();
}
