// Decodes Gemini CLI: `gemini --output-format stream-json`. Verified with 0.61.
//
//   init                 SessionIdentified.
//   tool_use             ToolCalled; write_todos also TodoReported.
//   tool_result          ToolReturned. A failed command is a success here and has no exit code; only what the
//                        CLI itself refused or could not run is a failure.
//   error                Severity "error" -> AgentErrorReported; the CLI's own warnings change nothing.
//   result               UsageReported: totals of the process (attempt_total), by_model; no cost.
//                        input_tokens includes the cached ones. AgentErrorReported if there is an error;
//                        AgentConcluded. An exhausted quota is LimitReached without a reset time.
#include <algorithm>
#include <array>

#include "adapters/agents/agent_lines.h"

namespace luzia::gemini {
namespace {

void find_call(JsonValue line, LineFindings& findings) {
  schema::ToolCalledT call;
  call.call_id = clipped(line["tool_id"], kMaxName);
  call.tool = clipped(line["tool_name"], kMaxName);
  call.files = files_of(line["parameters"]);
  call.subject = subject_of(line["parameters"]);
  call.at_us = iso_time_us(line["timestamp"].text());
  findings.tool(std::move(call));
  const JsonValue todos = line["parameters"]["todos"];
  if (line["tool_name"].is("write_todos") && todos.is_array()) {
    findings.report(whole_list(todos, "description"));
  }
}

std::string_view failure_of(JsonValue error) {
  const std::string_view error_type = error["type"].text();
  if (error_type == "tool_not_registered") return "not_offered";
  // With the approval mode plan, only plans may be written.
  if (error["message"].text().starts_with("Access denied: plan path")) return "denied";
  // The CLI's policy or a person refused. permission_denied comes from the file system.
  if (error_type == "policy_violation" || error_type == "execution_denied") return "denied";
  return "error";
}

void find_return(const JsonLine& json, LineFindings& findings) {
  const JsonValue line = json.object();
  schema::ToolReturnedT returned;
  returned.call_id = clipped(line["tool_id"], kMaxName);
  returned.at_us = iso_time_us(line["timestamp"].text());
  returned.succeeded = !line["status"].is("error");
  if (!returned.succeeded) {
    returned.failure = failure_of(line["error"]);
    returned.text = clipped(line["error"]["message"], kMaxReason);
    if (returned.text.empty()) returned.text = clipped(line["output"], kMaxReason);
  }
  findings.tool_return(std::move(returned));
}

void find_usage(JsonValue stats, LineFindings& findings) {
  if (!stats.is_object()) return;
  schema::UsageReportedT usage;
  usage.scope = schema::UsageScope::attempt_total;
  usage.cost_scope = schema::UsageScope::attempt_total;
  usage.input_tokens = stats["input_tokens"].count();
  usage.output_tokens = stats["output_tokens"].count();
  usage.cache_read_tokens = stats["cached"].count();
  stats["models"].each_member(kMaxModels, [&usage](std::string_view model, JsonValue tokens) {
    auto part = std::make_unique<schema::ModelUsageT>();
    part->model = clipped(model, kMaxName);
    part->input_tokens = tokens["input_tokens"].count();
    part->output_tokens = tokens["output_tokens"].count();
    part->cache_read_tokens = tokens["cached"].count();
    usage.by_model.push_back(std::move(part));
  });
  if (usage.by_model.size() == 1) usage.model = usage.by_model.front()->model;
  findings.usage(std::move(usage));
}

schema::AgentOutcome outcome_of(JsonValue line) {
  using schema::AgentOutcome;
  if (line["status"].is("success")) return AgentOutcome::completed;
  const JsonValue error = line["error"];
  if (error["type"].is("FatalTurnLimitedError")) return AgentOutcome::max_turns;
  if (error["type"].is("FatalCancellationError")) return AgentOutcome::interrupted;
  return says_usage_limit(error["message"].text()) ? AgentOutcome::usage_limit : AgentOutcome::failed;
}

void find_error(std::string_view where, JsonValue kind, JsonValue message, LineFindings& findings) {
  findings.error(where, kind.text(), status_after(message.text(), "\"code\":"), message.text());
}

void find_end(JsonValue line, LineFindings& findings) {
  find_usage(line["stats"], findings);
  const JsonValue error = line["error"];
  if (error.is_object()) find_error("result.error", error["type"], error["message"], findings);
  const std::string_view message = error["message"].text();
  const schema::AgentOutcome outcome = outcome_of(line);
  if (outcome == schema::AgentOutcome::usage_limit) findings.usage_limit(message);
  findings.conclude(outcome, (error["type"].is_text() ? error["type"] : line["status"]).text(), message);
}

class Decoder final : public AgentFormat {
 public:
  std::string_view name() const override { return "gemini-stream-json"; }
  /// One of six types, and a timestamp, but not Claude's message objects and uuid, opencode's sessionID or
  /// Copilot's sessionId.
  bool owns(const JsonLine& line) const override;
  void find(const JsonLine& line, LineFindings& findings) const override;
  std::string said(const JsonLine& line) const override;
  void texts(const JsonLine& line, std::string& text) const override;
};

bool Decoder::owns(const JsonLine& line) const {
  constexpr std::array<std::string_view, 6> kTypes = {"init",        "message", "tool_use",
                                                      "tool_result", "error",   "result"};
  const JsonValue object = line.object();
  const auto known = std::find(kTypes.begin(), kTypes.end(), object["type"].text());
  return known != kTypes.end() && object["timestamp"].is_text() && !object["uuid"].present() &&
         !object["sessionID"].present() && !object["sessionId"].present() && !object["message"].is_object();
}

void Decoder::find(const JsonLine& line, LineFindings& findings) const {
  const JsonValue object = line.object();
  const JsonValue type = object["type"];
  if (type.is("init")) {
    findings.session(object["session_id"], object["model"]);
  } else if (type.is("tool_use") && !object["tool_id"].text().empty()) {
    find_call(object, findings);
  } else if (type.is("tool_result") && !object["tool_id"].text().empty()) {
    find_return(line, findings);
  } else if (type.is("error") && object["severity"].is("error")) {
    find_error("error", object["severity"], object["message"], findings);
  } else if (type.is("result") && object["status"].is_text()) {
    find_end(object, findings);
  }
}

std::string Decoder::said(const JsonLine& line) const {
  const JsonValue object = line.object();
  const bool says = object["type"].is("message") && object["role"].is("assistant");
  return says ? std::string(object["content"].text()) : std::string();
}

void Decoder::texts(const JsonLine& line, std::string& text) const {
  const JsonValue object = line.object();
  if (object["type"].is("tool_result")) {
    // The id begins with the tool's name. Nothing else distinguishes a command's output from a file's
    // content.
    const std::string_view id = object["tool_id"].text();
    const bool printed = id.starts_with("run_shell_command") || id.starts_with("mcp_");
    if (printed || object["status"].is("error")) append_piece(text, object["output"].text());
    if (!object["output"].is_text()) append_piece(text, object["error"]["message"].text());
  } else if (object["type"].is("result")) {
    append_piece(text, object["error"]["message"].text());
  } else if (object["type"].is("error")) {
    append_piece(text, object["message"].text());
  }
}

}  // namespace

FormatPtr format() {
  return std::make_shared<const Decoder>();
}

}  // namespace luzia::gemini
