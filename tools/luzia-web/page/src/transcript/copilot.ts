// GitHub Copilot CLI: --output-format json, with its telemetry among the lines.
import { asText, type Json, type Transcript } from './entries.ts';

export function copilot(line: Json, out: Transcript): boolean {
  const type = String(line.type ?? '');
  if (type === 'span' || type === 'metric') return line.resource?.attributes?.['service.name'] === 'github-copilot';
  if (type === 'result' && typeof line.sessionId === 'string' && 'exitCode' in line) {
    out.note(line.exitCode === 0 ? 'completed' : `failed, exit code ${line.exitCode}`, line.exitCode !== 0);
    return true;
  }
  const data = line.data;
  if (typeof data !== 'object' || !data || !type.includes('.')) return false;
  if (type === 'user.message') out.said(data.content, 'person');
  else if (type === 'assistant.message') out.said(data.content);
  else if (type === 'assistant.reasoning') out.thought(data.content);
  else if (type === 'session.error') out.note(asText(data.message), true);
  else if (type === 'tool.execution_start') out.call(data.toolCallId, data.toolName, data.arguments);
  else if (type === 'tool.execution_complete') {
    const code = data.shellExecution?.exitCode;
    out.returned(
      data.toolCallId,
      data.success === false ? data.error?.message : data.result?.content,
      data.success === false || (typeof code === 'number' && code !== 0),
    );
  }
  return true;
}
