// Decodes opencode: `opencode run --format json`. Verified with 1.18.
//
//   step_start           SessionIdentified. Every line names the session, and no line is only for that. A
//                        step is one request to the model, so this adds one small event to the step's
//                        UsageReported, and the session is known before the first tool runs. Its model is not
//                        in the stream.
//   tool_use             Printed when the tool is done: ToolCalled and ToolReturned (and ToolDenied) from one
//                        line; todowrite also TodoReported. Subagents are not in the stream. A person's
//                        refusal ends the run without another line: AgentConcluded stopped_after_denial. A
//                        rule's refusal does not end it.
//   step_finish          UsageReported of the step (scope turn), including cost. input_tokens does not
//                        include the cached ones. Reason "stop" (or any but "tool-calls" and "unknown") ->
//                        AgentConcluded.
//   error                AgentErrorReported and AgentConcluded, and SessionIdentified: it may come before any
//                        step.
//
// Retried requests, even if retried for hours, are not in the stream.
#include <algorithm>
#include <array>

#include "adapters/agents/agent_lines.h"

namespace luzia::opencode {
namespace {

constexpr std::string_view kPersonRefused = "The user rejected permission";
constexpr std::string_view kRuleRefused = "The user has specified a rule which prevents";

// ---- calls ----

/// A call of a tool that the model was not given becomes a call of "invalid".
std::string tool_of(JsonValue part) {
  const JsonValue meant = part["state"]["input"]["tool"];
  return clipped(part["tool"].is("invalid") && meant.is_text() ? meant : part["tool"], kMaxName);
}

schema::ToolCalledT call_of(JsonValue part) {
  const JsonValue input = part["state"]["input"];
  schema::ToolCalledT call;
  call.call_id = clipped(part["callID"], kMaxName);
  call.tool = tool_of(part);
  call.files = files_of(input);
  call.subject = subject_of(input);
  call.at_us = milliseconds_us(part["state"]["time"]["start"]);
  return call;
}

/// A call's failure, in the words of schema/tool.fbs; empty: none.
std::string_view failure_of(JsonValue part) {
  const JsonValue state = part["state"];
  if (state["status"].is("error")) {
    const std::string_view why = state["error"].text();
    return why.starts_with(kPersonRefused) || why.starts_with(kRuleRefused) ? "denied" : "error";
  }
  if (part["tool"].is("invalid")) {
    const bool unknown = state["output"].text().find("unavailable tool") != std::string_view::npos;
    return unknown ? "not_offered" : "error";
  }
  const auto code = state["metadata"]["exit"].integer();
  return code && *code != 0 ? "nonzero_exit" : "";
}

schema::ToolReturnedT return_of(JsonValue part) {
  const JsonValue state = part["state"];
  schema::ToolReturnedT returned;
  returned.call_id = clipped(part["callID"], kMaxName);
  returned.tool = tool_of(part);
  returned.failure = failure_of(part);
  returned.succeeded = returned.failure.empty();
  returned.exit_code = exit_code_in(state["metadata"]["exit"]);
  if (!returned.succeeded) {
    returned.text = clipped(state["error"].is_text() ? state["error"] : state["output"], kMaxReason);
  }
  const std::int64_t start = milliseconds_us(state["time"]["start"]);
  returned.at_us = milliseconds_us(state["time"]["end"]);
  if (start > 0 && returned.at_us >= start) {
    returned.duration_us = static_cast<std::uint64_t>(returned.at_us - start);
  }
  return returned;
}

/// In a cut line, the tool's result may have been behind the cut.
bool has_ended(JsonValue state) {
  return state["status"].is("completed") || state["status"].is("error");
}

void find_tool(JsonValue line, LineFindings& findings) {
  const JsonValue part = line["part"];
  const JsonValue state = part["state"];
  if (part["callID"].text().empty()) return;
  findings.tool(call_of(part));
  if (!has_ended(state)) return;
  schema::ToolReturnedT returned = return_of(part);
  const bool succeeded = returned.succeeded, was_denied = returned.failure == "denied";
  findings.tool_return(std::move(returned));
  if (was_denied && state["error"].text().starts_with(kPersonRefused)) {
    findings.conclude(schema::AgentOutcome::stopped_after_denial, state["status"].text(),
                      state["error"].text());
  }
  const JsonValue todos = state["input"]["todos"];
  if (succeeded && part["tool"].is("todowrite") && todos.is_array()) {
    findings.report(whole_list(todos, "content"));
  }
}

// ---- steps and errors ----

void find_usage(JsonValue line, LineFindings& findings) {
  const JsonValue part = line["part"];
  const JsonValue tokens = part["tokens"];
  if (!tokens.is_object()) return;
  schema::UsageReportedT usage;
  usage.scope = schema::UsageScope::turn;
  usage.cost_scope = schema::UsageScope::turn;
  usage.session_id = session_id_in(line["sessionID"]);
  usage.input_tokens = tokens["input"].count();
  usage.output_tokens = tokens["output"].count();
  usage.reasoning_tokens = tokens["reasoning"].count();
  usage.cache_read_tokens = tokens["cache"]["read"].count();
  usage.cache_write_tokens = tokens["cache"]["write"].count();
  // Releases differ in whether `output` includes the reasoning; the total shows which.
  const std::uint64_t apart = usage.input_tokens + usage.output_tokens + usage.cache_read_tokens +
                              usage.cache_write_tokens + usage.reasoning_tokens;
  if (tokens["total"].count() == apart) usage.output_tokens += usage.reasoning_tokens;
  if (const auto cost = part["cost"].number()) usage.cost_usd = *cost;
  findings.usage(std::move(usage));
}

void find_step_end(JsonValue line, LineFindings& findings) {
  find_usage(line, findings);
  const JsonValue reason = line["part"]["reason"];
  if (!reason.is_text() || reason.is("tool-calls") || reason.is("unknown")) return;
  const bool failed = reason.is("error") || reason.is("content-filter");
  findings.conclude(failed ? schema::AgentOutcome::failed : schema::AgentOutcome::completed, reason.text(),
                    {});
}

void find_error(JsonValue line, LineFindings& findings) {
  using schema::AgentOutcome;
  const JsonValue error = line["error"];
  const std::string_view name = error["name"].text(), message = error["data"]["message"].text();
  findings.session(line["sessionID"]);  // the first request may be the one that failed
  findings.error("error", name, api_status_in(error["data"]["statusCode"]), message);
  const bool limit = says_usage_limit(message);
  if (limit) findings.usage_limit(message);
  const AgentOutcome outcome = limit                           ? AgentOutcome::usage_limit
                               : name == "MessageAbortedError" ? AgentOutcome::interrupted
                                                               : AgentOutcome::failed;
  findings.conclude(outcome, name, message);
}

/// Tools that output what the agent read or said, not a program's output.
bool reads(std::string_view tool) {
  constexpr std::array<std::string_view, 17> kReaders = {
      "read",     "write",     "edit", "multiedit", "patch",    "apply_patch", "glob", "grep",      "list",
      "webfetch", "websearch", "task", "todowrite", "todoread", "skill",       "lsp",  "codesearch"};
  return std::find(kReaders.begin(), kReaders.end(), tool) != kReaders.end();
}

class Decoder final : public AgentFormat {
 public:
  std::string_view name() const override { return "opencode-json"; }
  /// Has a sessionID in this spelling.
  bool owns(const JsonLine& line) const override;
  void find(const JsonLine& line, LineFindings& findings) const override;
  std::string session_of(const JsonLine& line) const override {
    return session_id_in(line.object()["sessionID"]);
  }
  std::string said(const JsonLine& line) const override;
  void texts(const JsonLine& line, std::string& text) const override;
};

bool Decoder::owns(const JsonLine& line) const {
  return line.object()["type"].is_text() && line.object()["sessionID"].is_text();
}

void Decoder::find(const JsonLine& line, LineFindings& findings) const {
  const JsonValue object = line.object();
  const JsonValue type = object["type"];
  if (type.is("step_start")) {
    findings.session(object["sessionID"]);
  } else if (type.is("tool_use")) {
    find_tool(object, findings);
  } else if (type.is("step_finish")) {
    find_step_end(object, findings);
  } else if (type.is("error")) {
    find_error(object, findings);
  }
}

std::string Decoder::said(const JsonLine& line) const {
  const JsonValue object = line.object();
  return object["type"].is("text") ? std::string(object["part"]["text"].text()) : std::string();
}

void Decoder::texts(const JsonLine& line, std::string& text) const {
  const JsonValue object = line.object();
  const JsonValue state = object["part"]["state"];
  if (object["type"].is("tool_use")) {
    append_piece(text, state["error"].text());
    if (!reads(object["part"]["tool"].text())) append_piece(text, state["output"].text());
  } else if (object["type"].is("error")) {
    append_piece(text, object["error"]["data"]["message"].text());
  }
}

}  // namespace

FormatPtr format() {
  return std::make_shared<const Decoder>();
}

}  // namespace luzia::opencode
