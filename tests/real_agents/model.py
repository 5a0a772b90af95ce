#!/usr/bin/env python3
"""A fake model server for real agents: it plays a script to whichever of four interfaces an agent speaks.

Usage: model.py FOLDER
  Serves OpenAI's chat completions and responses, Anthropic's messages and Gemini's content. Prints its port, then
  serves until it is killed. FOLDER/turns.json is the script, a list of turns, read with each request. A turn is
  the model's answer:
    {"text": "words", "calls": [{"name": "tool", "arguments": {}}], "usage": [input, cached, output]}
  or an error:
    {"status": 429, "message": "words", "limit": 60}    a usage limit that resets after so many seconds
  "after": PATH answers once that file exists. FOLDER/job_dir replaces {job_dir} in a turn. A string as arguments is
  the input of a free-form tool; "namespace" beside "name" is that of a Codex tool. Requests that offer no tools
  (titles, summaries) get "ok" and use up no turn. The last turn is repeated. FOLDER/request.N is the request that
  got turn N.
"""
import http.server
import json
import os
import sys
import threading
import time

FOLDER = sys.argv[1]
lock = threading.Lock()


def path(name):
    return os.path.join(FOLDER, name)


def wait_for(name):
    for _ in range(6000):
        if os.path.exists(name):
            return
        time.sleep(0.02)


def next_turn(request):
    """Returns the turn for this request and its number."""
    if not request.get("tools"):
        return {"text": "ok"}, 0
    with lock:
        number = 1 + sum(name.startswith("request.") for name in os.listdir(FOLDER))
        with open(path("new"), "w", encoding="utf-8") as out:
            json.dump(request, out)
        os.rename(path("new"), path(f"request.{number}"))
    with open(path("turns.json"), encoding="utf-8") as script:
        text = script.read()
    if "{job_dir}" in text:
        wait_for(path("job_dir"))
        with open(path("job_dir"), encoding="utf-8") as name:
            text = text.replace("{job_dir}", name.read().strip())
    turns = json.loads(text)
    turn = turns[min(number, len(turns)) - 1]
    if "after" in turn:
        wait_for(turn["after"])
    return turn, number


def calls_of(turn, number):
    """Each call with its id."""
    return [(f"call_{number}_{i}", call) for i, call in enumerate(turn.get("calls", []))]


def usage_of(turn):
    return turn.get("usage", [1000, 0, 50])


def chat(turn, number, request):
    """OpenAI's chat completions: the events of a stream."""
    total, cached, output = usage_of(turn)
    message = {"role": "assistant", "content": turn.get("text") or None}
    calls = [{"index": i, "id": key, "type": "function",
              "function": {"name": call["name"], "arguments": json.dumps(call["arguments"])}}
             for i, (key, call) in enumerate(calls_of(turn, number))]
    if calls:
        message["tool_calls"] = calls
    reason = "tool_calls" if calls else "stop"
    usage = {"prompt_tokens": total, "completion_tokens": output, "total_tokens": total + output,
             "prompt_tokens_details": {"cached_tokens": cached}}
    head = {"id": f"answer-{number}", "created": 1, "model": request.get("model", "model-1")}
    if not request.get("stream"):
        choice = {"index": 0, "message": message, "finish_reason": reason}
        return {**head, "object": "chat.completion", "choices": [choice], "usage": usage}
    head["object"] = "chat.completion.chunk"
    return [(None, {**head, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}),
            (None, {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}),
            (None, {**head, "choices": [], "usage": usage}), (None, "[DONE]")]


def responses(turn, number, _):
    """OpenAI's responses, for Codex."""
    total, cached, output = usage_of(turn)
    items = []
    if turn.get("text"):
        items.append({"type": "message", "role": "assistant", "id": f"msg_{number}",
                      "content": [{"type": "output_text", "text": turn["text"]}]})
    for key, call in calls_of(turn, number):
        free = isinstance(call["arguments"], str)
        items.append({"type": "custom_tool_call", "call_id": key, "name": call["name"], "input": call["arguments"]}
                     if free else {"type": "function_call", "call_id": key, "name": call["name"],
                                   "arguments": json.dumps(call["arguments"]),
                                   **({"namespace": call["namespace"]} if "namespace" in call else {})})
    usage = {"input_tokens": total, "input_tokens_details": {"cached_tokens": cached}, "output_tokens": output,
             "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": total + output}
    answer = {"id": f"resp_{number}"}
    events = [("response.created", {"response": answer})]
    events += [("response.output_item.done", {"output_index": i, "item": item}) for i, item in enumerate(items)]
    events.append(("response.completed", {"response": {**answer, "usage": usage}}))
    return [(kind, {"type": kind, **data}) for kind, data in events]


def messages(turn, number, request):
    """Anthropic's messages, for Claude Code and opencode."""
    total, cached, output = usage_of(turn)
    blocks = [{"type": "text", "text": turn["text"]}] if turn.get("text") else []
    blocks += [{"type": "tool_use", "id": "toolu_" + key, "name": call["name"], "input": call["arguments"]}
               for key, call in calls_of(turn, number)]
    stop = "tool_use" if turn.get("calls") else "end_turn"
    usage = {"input_tokens": total - cached, "cache_read_input_tokens": cached, "cache_creation_input_tokens": 0}
    message = {"id": f"msg_{number}_{time.time_ns()}", "type": "message", "role": "assistant",
               "model": request.get("model"), "content": [], "stop_reason": None, "stop_sequence": None,
               "usage": {**usage, "output_tokens": 1}}
    if not request.get("stream"):
        return {**message, "content": blocks, "stop_reason": stop, "usage": {**usage, "output_tokens": output}}
    events = [("message_start", {"message": message})]
    for i, block in enumerate(blocks):
        text = block["type"] == "text"
        start = {"type": "text", "text": ""} if text else {**block, "input": {}}
        delta = ({"type": "text_delta", "text": block["text"]} if text else
                 {"type": "input_json_delta", "partial_json": json.dumps(block["input"])})
        events += [("content_block_start", {"index": i, "content_block": start}),
                   ("content_block_delta", {"index": i, "delta": delta}), ("content_block_stop", {"index": i})]
    events += [("message_delta", {"delta": {"stop_reason": stop, "stop_sequence": None},
                                  "usage": {"output_tokens": output}}), ("message_stop", {})]
    return [(kind, {"type": kind, **data}) for kind, data in events]


def content(turn, number, _):
    """Gemini's content."""
    total, cached, output = usage_of(turn)
    parts = [{"text": turn["text"]}] if turn.get("text") else []
    parts += [{"functionCall": {"id": key, "name": call["name"], "args": call["arguments"]}}
              for key, call in calls_of(turn, number)]
    return [(None, {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
                    "usageMetadata": {"promptTokenCount": total, "cachedContentTokenCount": cached,
                                      "candidatesTokenCount": output, "totalTokenCount": total + output},
                    "modelVersion": "model-1"})]


def error_of(turn, interface):
    """The body and the headers of a refusal."""
    limit, resets = "limit" in turn, int(time.time()) + turn.get("limit", 0)
    if interface is messages:
        kind = {401: "authentication_error", 429: "rate_limit_error"}.get(turn["status"], "invalid_request_error")
        headers = {"anthropic-ratelimit-unified-status": "rejected",
                   "anthropic-ratelimit-unified-representative-claim": "five_hour",
                   "anthropic-ratelimit-unified-reset": str(resets), "x-should-retry": "false"}
        return {"type": "error", "error": {"type": kind, "message": turn["message"]}}, headers if limit else {}
    if interface is content:
        detail = [{"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [
            {"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}] if limit else []
        return {"error": {"code": turn["status"], "message": turn["message"], "details": detail,
                          "status": "RESOURCE_EXHAUSTED" if limit else "INVALID_ARGUMENT"}}, {}
    error = {"message": turn["message"], "type": "usage_limit_reached" if limit else "refused"}
    if limit:
        error |= {"resets_at": resets, "plan_type": "plus"}
    return {"error": error}, {}


def interface_of(name):
    name = name.split("?")[0]
    for end, interface in (("/responses", responses), ("/messages", messages), ("GenerateContent", content),
                           ("generateContent", content), ("/completions", chat)):
        if name.endswith(end):
            return interface
    return None


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body, headers=()):
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in dict(headers).items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_HEAD(self):
        self.reply(200, {})

    def do_GET(self):
        self.reply(200, {"object": "list", "data": [{"id": "model-1", "object": "model", "owned_by": "us"}]})

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        interface = interface_of(self.path)
        if interface is None:
            return self.reply(200 if "ount" in self.path else 404, {"input_tokens": 100, "totalTokens": 100})
        turn, number = next_turn(request)
        if "status" in turn:
            return self.reply(turn["status"], *error_of(turn, interface))
        answer = interface(turn, number, request)
        if isinstance(answer, dict):
            return self.reply(200, answer)
        if self.path.split("?")[0].endswith(":generateContent"):
            return self.reply(200, answer[0][1])
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for kind, data in answer:
            text = data if isinstance(data, str) else json.dumps(data)
            self.wfile.write((f"event: {kind}\n" if kind else "").encode() + f"data: {text}\n\n".encode())
        self.close_connection = True


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
print(server.server_port, flush=True)
server.serve_forever()
