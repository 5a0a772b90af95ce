// A fake model server for agents (Messages API) that plays one turn. The first answer is one message with the tool
// calls in the file $CALLS ([{"name":"Bash","input":{...}}, ...]). Every later answer ends the turn. Prints its port.
// Usage: CALLS=FILE node model.mjs
import fs from 'node:fs';
import http from 'node:http';

const calls = JSON.parse(fs.readFileSync(process.env.CALLS, 'utf8'));

function blocksFor(request) {
  const parts = request.messages.flatMap((message) => (Array.isArray(message.content) ? message.content : []));
  const answered = parts.some((part) => part.type === 'tool_result');
  const offered = (request.tools ?? []).some((tool) => tool.name === calls[0].name);
  if (answered || !offered) return [{type: 'text', text: 'Done.'}];
  const uses = calls.map((call, at) => ({type: 'tool_use', id: `toolu_${Date.now()}${at}`, ...call}));
  return [{type: 'text', text: 'All in one message.'}, ...uses];
}

function delta(block) {
  if (block.type === 'text') return {type: 'text_delta', text: block.text};
  return {type: 'input_json_delta', partial_json: JSON.stringify(block.input)};
}

function stream(response, message, blocks, stop) {
  const send = (type, data) => response.write(`event: ${type}\ndata: ${JSON.stringify({type, ...data})}\n\n`);
  response.writeHead(200, {'content-type': 'text/event-stream'});
  send('message_start', {message});
  blocks.forEach((block, index) => {
    const empty = block.type === 'text' ? {type: 'text', text: ''} : {...block, input: {}};
    send('content_block_start', {index, content_block: empty});
    send('content_block_delta', {index, delta: delta(block)});
    send('content_block_stop', {index});
  });
  send('message_delta', {delta: {stop_reason: stop, stop_sequence: null}, usage: {output_tokens: 10}});
  send('message_stop', {});
  response.end();
}

function answer(request, response) {
  const blocks = blocksFor(request);
  const stop = blocks.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn';
  const message = {
    id: `msg_${Date.now()}`, type: 'message', role: 'assistant', model: request.model, content: [],
    stop_reason: null, stop_sequence: null, usage: {input_tokens: 100, output_tokens: 1},
  };
  if (request.stream) return stream(response, message, blocks, stop);
  response.writeHead(200, {'content-type': 'application/json'});
  response.end(JSON.stringify({...message, content: blocks, stop_reason: stop}));
}

const server = http.createServer((incoming, response) => {
  let body = '';
  incoming.on('data', (chunk) => (body += chunk));
  incoming.on('end', () => {
    if (incoming.method === 'POST' && incoming.url.split('?')[0].endsWith('/messages')) {
      return answer(JSON.parse(body), response);
    }
    const counts = incoming.url.includes('count_tokens');
    response.writeHead(counts ? 200 : 404, {'content-type': 'application/json'});
    response.end('{"input_tokens":100}');
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
