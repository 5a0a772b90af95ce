// Decodes GitHub Copilot CLI: `copilot --output-format json --stream off`, with its telemetry on the same
// output ($COPILOT_OTEL_FILE_EXPORTER_PATH). Verified with 1.0.102.
//
//   type "span"               telemetry. Of the operation "chat", one request to the model: UsageReported
//                             (scope turn), including subagents', and SessionIdentified: no other line names
//                             the session before the end. input_tokens includes the cached ones. No cost is
//                             reported.
//   tool.execution_start      ToolCalled.
//   tool.execution_complete   ToolReturned; a failed command is a success here, with its exit code.
//   assistant.turn_retry      AgentRetried.
//   session.error             AgentErrorReported; LimitReached, recognized by its text.
//   result                    SessionIdentified and AgentConcluded. The error line before it says why it
//                             failed.
//
// The todo list is the agent's internal database, which it changes by SQL; it is not read.
#include <algorithm>

#include "adapters/agents/agent_lines.h"

namespace luzia::copilot {
namespace {

void find_in_span(JsonValue line, LineFindings& findings) {
  const JsonValue facts = line["attributes"];
  if (!facts["gen_ai.operation.name"].is("chat")) return;
  const JsonValue model = facts["gen_ai.response.model"].is_text() ? facts["gen_ai.response.model"]
                                                                   : facts["gen_ai.request.model"];
  findings.session(facts["gen_ai.conversation.id"], model, line["resource"]["attributes"]["service.version"]);
  if (!facts["gen_ai.usage.input_tokens"].present()) return;
  schema::UsageReportedT usage;
  usage.scope = usage.cost_scope = schema::UsageScope::turn;
  usage.model = clipped(model, kMaxName);
  usage.session_id = session_id_in(facts["gen_ai.conversation.id"]);
  usage.input_tokens = facts["gen_ai.usage.input_tokens"].count();
  usage.output_tokens = facts["gen_ai.usage.output_tokens"].count();
  usage.cache_read_tokens = facts["gen_ai.usage.cache_read.input_tokens"].count();
  usage.cache_write_tokens = facts["gen_ai.usage.cache_write.input_tokens"].count();
  usage.reasoning_tokens = facts["gen_ai.usage.reasoning.output_tokens"].count();
  findings.usage(std::move(usage));
}

void find_call(JsonValue line, LineFindings& findings) {
  const JsonValue data = line["data"], input = data["arguments"];
  schema::ToolCalledT call;
  call.call_id = clipped(data["toolCallId"], kMaxName);
  call.tool = clipped(data["toolName"], kMaxName);
  call.subject = subject_of(input);
  call.files = files_of(input);
  if (call.files.empty() && input["path"].is_text()) call.files.push_back(clipped(input["path"], kMaxPath));
  call.parent_call_id = clipped(data["parentToolCallId"], kMaxName);
  call.at_us = iso_time_us(line["timestamp"].text());
  findings.tool(std::move(call));
}

/// "Tool 'x' does not exist."
bool says_not_offered(std::string_view text) {
  return text.starts_with("Tool '") && text.ends_with("' does not exist.");
}

void find_return(JsonValue line, LineFindings& findings) {
  const JsonValue data = line["data"], error = data["error"];
  schema::ToolReturnedT returned;
  returned.call_id = clipped(data["toolCallId"], kMaxName);
  returned.at_us = iso_time_us(line["timestamp"].text());
  returned.exit_code = exit_code_in(data["shellExecution"]["exitCode"]);
  const bool failed = data["success"].present() && !data["success"].flag();
  if (failed) {
    returned.text = clipped(error["message"], kMaxReason);
    returned.failure = error["code"].is("denied")        ? "denied"
                       : says_not_offered(returned.text) ? "not_offered"
                                                         : "error";
  } else if (returned.exit_code.value_or(0) != 0) {
    returned.text = clipped(data["result"]["content"], kMaxReason);
    returned.failure = "nonzero_exit";
  }
  returned.succeeded = returned.failure.empty();
  findings.tool_return(std::move(returned));
}

void find_retry(JsonValue data, LineFindings& findings) {
  schema::AgentRetriedT retried;
  retried.text = clipped(data["reason"], kMaxReason);
  findings.report(std::move(retried));
}

void find_error(JsonValue data, LineFindings& findings) {
  const std::string text = clipped(data["message"], kMaxReason);
  if (says_usage_limit(text)) findings.usage_limit(text);
  findings.error("session.error", data["errorType"].text(), api_status_in(data["statusCode"]), text);
}

void find_end(JsonValue line, LineFindings& findings) {
  findings.session(line["sessionId"]);
  const auto code = line["exitCode"].integer();
  findings.conclude(code == 0 ? schema::AgentOutcome::completed : schema::AgentOutcome::failed,
                    "exit code " + std::to_string(code.value_or(-1)), {});
}

bool is_end(JsonValue line) {
  return line["type"].is("result") && line["sessionId"].is_text() && line["exitCode"].present();
}

/// OpenTelemetry traces and metrics of this program only.
bool is_telemetry(JsonValue line) {
  return (line["type"].is("span") || line["type"].is("metric")) &&
         line["resource"]["attributes"]["service.name"].is("github-copilot");
}

/// Cut telemetry has lost its sender; what is left of a metric means nothing.
bool is_cut_span(const JsonLine& line) {
  return line.cut() && line.object()["type"].is("span") && line.object()["attributes"].is_object();
}

class Decoder final : public AgentFormat {
 public:
  std::string_view name() const override { return "copilot-json"; }
  /// Its events have data, an id and a time, and their types contain a dot.
  bool owns(const JsonLine& line) const override {
    const JsonValue object = line.object();
    const bool event = object["type"].text().find('.') != std::string_view::npos &&
                       object["data"].is_object() && !object["item"].present();
    return event || is_end(object) || is_telemetry(object) || is_cut_span(line);
  }
  void find(const JsonLine& line, LineFindings& findings) const override;
  std::string said(const JsonLine& line) const override;
  void texts(const JsonLine& line, std::string& text) const override;
};

void Decoder::find(const JsonLine& line, LineFindings& findings) const {
  const JsonValue object = line.object(), type = object["type"], data = object["data"];
  if (type.is("span")) {
    find_in_span(object, findings);
  } else if (type.is("tool.execution_start") && !data["toolCallId"].text().empty()) {
    find_call(object, findings);
  } else if (type.is("tool.execution_complete") && !data["toolCallId"].text().empty()) {
    find_return(object, findings);
  } else if (type.is("assistant.turn_retry")) {
    find_retry(data, findings);
  } else if (type.is("session.error")) {
    find_error(data, findings);
  } else if (type.is("result")) {
    find_end(object, findings);
  }
}

std::string Decoder::said(const JsonLine& line) const {
  const JsonValue object = line.object();
  const bool says = object["type"].is("assistant.message");
  return says ? std::string(object["data"]["content"].text()) : std::string();
}

void Decoder::texts(const JsonLine& line, std::string& text) const {
  const JsonValue object = line.object(), data = object["data"];
  if (object["type"].is("session.error")) append_piece(text, data["message"].text());
  if (!object["type"].is("tool.execution_complete")) return;
  append_piece(text, data["error"]["message"].text());
  // Only for commands is this the output of a program.
  if (data["shellExecution"].is_object()) append_piece(text, data["result"]["content"].text());
}

}  // namespace

FormatPtr format() {
  return std::make_shared<const Decoder>();
}

}  // namespace luzia::copilot
