#!/usr/bin/env python3
"""A fake model server for real agents (OpenAI's chat completions): it plays a script.

Usage: model.py SCRIPT.json
  Prints its port, then serves until it is killed. The script is a list of turns. A turn is the model's answer:
    {"text": "words", "calls": [{"name": "tool", "arguments": {}}], "usage": [input, cached, output]}
  or an error:
    {"status": 429, "message": "words"}   refuses       {"hang": 60}   answers after that many seconds
  Requests that offer no tools (titles, summaries) get "ok" and use up no turn. The last turn is repeated.
"""
import http.server
import json
import sys
import threading
import time

TURNS = json.load(open(sys.argv[1], encoding="utf-8"))
taken = 0
lock = threading.Lock()


def next_turn(request):
    """Returns the turn for this request and its number."""
    global taken
    if not request.get("tools"):
        return {"text": "ok"}, 0
    with lock:
        turn = TURNS[min(taken, len(TURNS) - 1)]
        taken += 1
        return turn, taken


def usage_of(turn):
    total, cached, output = turn.get("usage", [1000, 0, 50])
    return {"prompt_tokens": total, "completion_tokens": output, "total_tokens": total + output,
            "prompt_tokens_details": {"cached_tokens": cached}}


def calls_of(turn, number):
    return [{"index": i, "id": f"call_{number}_{i}", "type": "function",
             "function": {"name": call["name"], "arguments": json.dumps(call["arguments"])}}
            for i, call in enumerate(turn.get("calls", []))]


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        self.reply(200, {"object": "list", "data": [{"id": "model-1", "object": "model", "owned_by": "us"}]})

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        turn, number = next_turn(request)
        time.sleep(turn.get("hang", 0))
        if "status" in turn:
            return self.reply(turn["status"], {"error": {"message": turn["message"], "type": "refused"}})
        head = {"id": f"answer-{number}", "created": 1, "model": request.get("model", "model-1")}
        calls = calls_of(turn, number)
        reason = "tool_calls" if calls else "stop"
        message = {"role": "assistant", "content": turn.get("text") or None}
        if calls:
            message["tool_calls"] = calls
        if not request.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": reason}
            return self.reply(200, {**head, "object": "chat.completion", "choices": [choice], "usage": usage_of(turn)})
        chunks = [{"choices": [{"index": 0, "delta": message, "finish_reason": None}]},
                  {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
                  {"choices": [], "usage": usage_of(turn)}]
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for chunk in chunks:
            line = json.dumps({**head, "object": "chat.completion.chunk", **chunk})
            self.wfile.write(f"data: {line}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
print(server.server_port, flush=True)
server.serve_forever()
