// Codex: exec --json.
import { asText, type Json, type Transcript } from './entries.ts';

function item(line: Json, out: Transcript): void {
  const it = line.item;
  const over = line.type === 'item.completed';
  const failed = it.status === 'failed' || it.status === 'declined' || Boolean(it.error);
  switch (it.type) {
    case 'agent_message':
      return over ? out.said(it.text) : undefined;
    case 'reasoning':
      return over ? out.thought(it.text) : undefined;
    case 'error':
      return out.note(asText(it.message), true);
    case 'todo_list': {
      const call = out.call(it.id, 'todo', {});
      call.todo = (it.items ?? []).map((todo: Json) => ({
        text: asText(todo.text),
        status: todo.completed ? 'completed' : 'pending',
      }));
      return;
    }
    case 'command_execution':
      out.call(it.id, 'shell', { command: it.command });
      return over ? out.returned(it.id, it.aggregated_output, failed || Boolean(it.exit_code)) : undefined;
    case 'file_change':
      out.call(it.id, 'edit', {
        path: (it.changes ?? []).map((change: Json) => `${change.kind} ${change.path}`).join(', '),
      });
      return over ? out.returned(it.id, '', failed) : undefined;
    case 'mcp_tool_call':
      out.call(it.id, `${it.server}.${it.tool}`, it.arguments);
      return over ? out.returned(it.id, it.error?.message ?? it.result?.content, failed) : undefined;
    default:
      out.call(it.id, it.type, it);
      return over ? out.returned(it.id, '', failed) : undefined;
  }
}

export function codex(line: Json, out: Transcript): boolean {
  if (typeof line.type !== 'string') return false;
  if (line.type.startsWith('item.') && typeof line.item === 'object' && line.item) item(line, out);
  else if (line.type === 'thread.started') out.note(`session ${line.thread_id}`);
  else if (line.type === 'turn.completed') {
    out.note(`turn completed, ${line.usage?.input_tokens ?? 0} tokens in, ${line.usage?.output_tokens ?? 0} out`);
  } else if (line.type === 'turn.failed') out.note(`failed: ${asText(line.error?.message)}`, true);
  else if (line.type === 'error' && typeof line.message === 'string') out.note(line.message, true);
  else return line.type === 'turn.started';
  return true;
}
