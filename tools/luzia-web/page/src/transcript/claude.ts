// Claude Code and Qwen Code: --output-format stream-json.
import type { Json, Transcript } from './entries.ts';

function message(line: Json, out: Transcript): void {
  const content = line.message?.content;
  const parent = line.parent_tool_use_id;
  if (typeof content === 'string') return out.said(content, line.type === 'user' ? 'person' : 'agent');
  for (const part of Array.isArray(content) ? content : []) {
    if (part.type === 'text') out.said(part.text, line.type === 'user' ? 'person' : 'agent');
    else if (part.type === 'thinking') out.thought(part.thinking);
    else if (part.type === 'tool_use') out.call(part.id, part.name, part.input, parent);
    else if (part.type === 'tool_result') out.returned(part.tool_use_id, part.content, part.is_error === true);
  }
}

function system(line: Json, out: Transcript): void {
  if (line.subtype === 'init') out.note(`session ${line.session_id}, ${line.model}`);
  else if (line.subtype === 'api_retry') {
    out.note(
      `the service answered ${line.error_status ?? line.error}; retry ${line.attempt} of ${line.max_retries}`,
      true,
    );
  } else if (line.subtype === 'permission_denied')
    out.note(`denied: ${line.tool_name ?? ''} ${line.message ?? ''}`, true);
  else if (line.subtype === 'task_notification') out.note(`subagent ${line.status}: ${line.summary ?? ''}`);
}

function result(line: Json, out: Transcript): void {
  const bad = line.is_error === true || line.subtype !== 'success';
  const cost = typeof line.total_cost_usd === 'number' ? `, $${line.total_cost_usd.toFixed(4)}` : '';
  const turns = line.num_turns ? ` after ${line.num_turns} turns` : '';
  const why = bad && typeof line.result === 'string' ? `: ${line.result}` : '';
  out.note(`${bad ? `ended with ${line.subtype}` : 'completed'}${turns}${cost}${why}`, bad);
}

export function claude(line: Json, out: Transcript): boolean {
  if (line.type === 'control_request' && typeof line.request_id === 'string') {
    if (line.request?.tool_name) out.note(`asks whether it may use ${line.request.tool_name}`);
    return true;
  }
  if (typeof line.session_id !== 'string' && line.type !== 'assistant') return false;
  if (line.type === 'assistant' || line.type === 'user') message(line, out);
  else if (line.type === 'system') system(line, out);
  else if (line.type === 'result' && 'subtype' in line) result(line, out);
  else if (line.type === 'rate_limit_event') {
    const limit = line.rate_limit_info ?? {};
    if (limit.status === 'rejected') out.note(`usage limit reached: ${limit.rateLimitType}`, true);
    else if (limit.status === 'allowed_warning') out.note(`usage limit near: ${limit.rateLimitType}`);
  } else return line.type === 'stream_event' || typeof line.uuid === 'string';
  return true;
}
