// Gemini CLI: --output-format stream-json.
import { asText, type Json, type Transcript } from './entries.ts';

export function gemini(line: Json, out: Transcript): boolean {
  if (typeof line.timestamp !== 'string') return false;
  switch (line.type) {
    case 'init':
      out.note(`session ${line.session_id}, ${line.model}`);
      return true;
    case 'message':
      out.said(line.content, line.role === 'user' ? 'person' : 'agent', line.delta === true);
      return true;
    case 'tool_use':
      out.call(line.tool_id, line.tool_name, line.parameters);
      return true;
    case 'tool_result':
      out.returned(line.tool_id, line.output ?? line.error?.message, line.status !== 'success');
      return true;
    case 'error':
      out.note(asText(line.message), true);
      return true;
    case 'result':
      out.note(
        line.status === 'success' ? 'completed' : `failed: ${asText(line.error?.message)}`,
        line.status !== 'success',
      );
      return true;
    default:
      return false;
  }
}
