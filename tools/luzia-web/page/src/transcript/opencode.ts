// opencode: run --format json.
import { asText, type Json, type Transcript } from './entries.ts';

export function opencode(line: Json, out: Transcript): boolean {
  if (typeof line.sessionID !== 'string') return false;
  const part = line.part ?? {};
  if (line.type === 'text') out.said(part.text);
  else if (line.type === 'reasoning') out.thought(part.text);
  else if (line.type === 'error') out.note(asText(line.error?.data?.message ?? line.error?.name), true);
  else if (line.type === 'tool_use') {
    const state = part.state ?? {};
    out.call(part.callID, part.tool, state.input ?? {});
    const code = state.metadata?.exit;
    out.returned(
      part.callID,
      state.output ?? state.error,
      state.status === 'error' || (typeof code === 'number' && code !== 0),
    );
  }
  return true;
}
