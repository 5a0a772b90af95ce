import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Transcript, type Entry, type Tool } from '../src/transcript/entries.ts';
import { grouped, namesOf } from '../src/transcript/groups.ts';

function read(...lines: (object | string)[]): Entry[] {
  const transcript = new Transcript();
  let at = 0;
  for (const line of lines) {
    const text = typeof line === 'string' ? line : JSON.stringify(line);
    transcript.push(text, at);
    at += text.length + 1;
  }
  return transcript.entries;
}

const brief = (entries: Entry[]) =>
  entries.map((entry) =>
    entry.kind === 'tool'
      ? `${entry.name} ${entry.subject} -> ${entry.failed ? 'failed: ' : ''}${entry.result}`
      : `${entry.kind} ${entry.text}`,
  );

test('ClaudeCode', () => {
  const session = { session_id: 's', uuid: 'u' };
  assert.deepEqual(
    brief(
      read(
        { type: 'system', subtype: 'init', model: 'opus', ...session },
        {
          type: 'assistant',
          message: {
            content: [
              { type: 'thinking', thinking: 'hm' },
              { type: 'text', text: 'I look.' },
            ],
          },
          ...session,
        },
        {
          type: 'assistant',
          message: { content: [{ type: 'tool_use', id: 't', name: 'Bash', input: { command: 'ls' } }] },
          ...session,
        },
        {
          type: 'user',
          message: {
            content: [
              { type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'no' }], is_error: true },
            ],
          },
          ...session,
        },
        { type: 'result', subtype: 'success', num_turns: 2, total_cost_usd: 0.01, ...session },
        'exit:0',
      ),
    ),
    [
      'note session s, opus',
      'thought hm',
      'said I look.',
      'Bash ls -> failed: no',
      'note completed after 2 turns, $0.0100',
      'note exit:0',
    ],
  );
});

test('Codex', () => {
  assert.deepEqual(
    brief(
      read(
        { type: 'thread.started', thread_id: 't' },
        { type: 'turn.started' },
        { type: 'item.started', item: { id: 'i', type: 'command_execution', command: 'ls' } },
        {
          type: 'item.completed',
          item: {
            id: 'i',
            type: 'command_execution',
            command: 'ls',
            aggregated_output: 'a\n',
            exit_code: 2,
            status: 'failed',
          },
        },
        { type: 'item.completed', item: { id: 'j', type: 'agent_message', text: 'Done.' } },
      ),
    ),
    ['note session t', 'shell ls -> failed: a\n', 'said Done.'],
  );
});

test('GeminiJoinsTheParts', () => {
  const now = { timestamp: '2026-11-21T09:08:32Z' };
  assert.deepEqual(
    brief(
      read(
        { type: 'message', role: 'assistant', content: 'I lo', delta: true, ...now },
        { type: 'message', role: 'assistant', content: 'ok.', delta: true, ...now },
        { type: 'tool_use', tool_id: 't', tool_name: 'read_file', parameters: { file_path: 'a.py' }, ...now },
        { type: 'tool_result', tool_id: 't', status: 'success', output: 'x', ...now },
      ),
    ),
    ['said I look.', 'read_file a.py -> x'],
  );
});

test('Opencode', () => {
  const part = {
    tool: 'bash',
    callID: 'c',
    state: { status: 'completed', input: { command: 'make' }, output: 'err', metadata: { exit: 1 } },
  };
  assert.deepEqual(
    brief(
      read({ type: 'tool_use', sessionID: 's', part }, { type: 'text', sessionID: 's', part: { text: 'It fails.' } }),
    ),
    ['bash make -> failed: err', 'said It fails.'],
  );
});

test('Copilot', () => {
  assert.deepEqual(
    brief(
      read(
        { type: 'tool.execution_start', data: { toolCallId: 'c', toolName: 'bash', arguments: { command: 'ls' } } },
        { type: 'tool.execution_complete', data: { toolCallId: 'c', success: true, result: { content: 'a' } } },
        { type: 'assistant.message', data: { content: 'Done.' } },
      ),
    ),
    ['bash ls -> a', 'said Done.'],
  );
});

test('OtherLinesArePlainTextTogether', () => {
  assert.deepEqual(brief(read('one', '{"no": "agent"}', '{broken', '')), ['plain one\n{"no": "agent"}\n{broken\n']);
});

test('ATodoListIsAList', () => {
  const [entry] = read({
    type: 'assistant',
    session_id: 's',
    message: {
      content: [
        { type: 'tool_use', id: 't', name: 'TodoWrite', input: { todos: [{ content: 'Read', status: 'completed' }] } },
      ],
    },
  });
  assert.deepEqual(entry?.kind === 'tool' && entry.todo, [{ text: 'Read', status: 'completed' }]);
});

test('HostileShapesBecomeText', () => {
  const session = { session_id: 's' };
  for (const content of [
    null,
    5,
    [null],
    [{ type: 'text', text: { a: 1 } }],
    [{ type: 'tool_use', input: null }],
    { a: [] },
  ]) {
    read({ type: 'assistant', message: { content }, ...session }, { type: 'user', message: { content }, ...session });
  }
  for (const item of [
    {},
    { type: 'todo_list', items: 5 },
    { type: 'file_change', changes: 'x' },
    { type: 5 },
    { type: 'mcp_tool_call' },
  ]) {
    read({ type: 'item.completed', item }, { type: 'item.started', item });
  }
  read(
    { type: 'tool_use', sessionID: 's', part: 5 },
    { type: 'text', sessionID: 's' },
    { type: 'result', session_id: 's', subtype: 5, result: {} },
  );
});

test('EveryRecordedRunIsATranscript', () => {
  const folder = '../../../tests/adapters/agents/runs/';
  const runs = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  assert.ok(runs.length > 50);
  for (const name of runs) {
    const entries = read(...readFileSync(folder + name, 'utf8').split('\n'));
    const plain = entries.filter((entry) => entry.kind === 'plain' && entry.text.startsWith('{"type"'));
    assert.deepEqual(
      plain.map((entry) => `${name}: ${'text' in entry && entry.text.slice(0, 200)}`),
      [],
    );
    const expect = readFileSync(folder + name.replace('.jsonl', '.expect'), 'utf8');
    const calls = [...expect.matchAll(/^calls +(\S+) +(\d+)/gm)].reduce((sum, found) => sum + Number(found[2]), 0);
    if (calls > 0) assert.ok(entries.filter((entry) => entry.kind === 'tool').length >= calls, name);
  }
});

test('CallsWithoutAWordBetweenThemStandTogether', () => {
  const call = (name: string, more: Partial<Tool> = {}): Tool => ({
    ...{ kind: 'tool', at: 0, id: '', name, subject: '', input: {}, result: '', failed: false, todo: null },
    ...{ parent: null, ...more },
  });
  const said: Entry = { kind: 'said', at: 0, text: 'so', who: 'agent' };
  const quiet = ['Bash', 'Edit', 'Bash', 'Read'].map((name) => call(name));
  const shape = (entries: Entry[], live = false) =>
    grouped(entries, live).map((group) => (Array.isArray(group) ? namesOf(group) : group.kind));
  assert.deepEqual(shape([...quiet, said, ...quiet.slice(1), said]), [
    ...['2 Bash, 1 Edit, 1 Read', 'said', 'tool', 'tool', 'tool', 'said'],
  ]);
  assert.deepEqual(shape([...quiet, call('Bash', { failed: true }), ...quiet]), [
    ...['2 Bash, 1 Edit, 1 Read', 'tool', '2 Bash, 1 Edit, 1 Read'],
  ]);
  assert.deepEqual(shape([...quiet, call('Bash', { result: null })]), ['2 Bash, 1 Edit, 1 Read', 'tool']);
  assert.deepEqual(shape(quiet, true), ['tool', 'tool', 'tool', 'tool'], 'somebody may be watching');
});
