// Decodes Claude Code: `claude -p --output-format stream-json --verbose`. Verified with 2.1; fields that
// older lines lack are ignored.
//
//   system/init          SessionIdentified, once a turn. Every line names the session (session_of).
//   assistant            One content block per line: tool_use -> ToolCalled (with parent_call_id if a
//                        subagent calls), and TodoWrite -> TodoReported. `error` -> AgentErrorReported. Its
//                        usage is that of the message so far, repeated on each of its lines. It counts only
//                        if the run ends without a result (used_by_message): the output tokens are those of
//                        the message's beginning.
//   user                 tool_result -> ToolReturned; if a person or a rule refused, also ToolDenied. Results
//                        of TaskCreate, TaskUpdate, TaskList -> TodoReported of single items: only these
//                        lines have their ids.
//   result               UsageReported: tokens since the last result (scope turn). If the line has usage by
//                        model, it includes subagents and interrupted requests; `usage`, the only source in
//                        older releases, leaves those out. The cost is that of the session so far, including
//                        resumed runs (session_total). by_model: the same tokens, but the session's cost.
//                        AgentConcluded; several per process if background work ends later.
//   rate_limit_event     rejected -> LimitReached, allowed_warning -> LimitWarned.
//   system/api_retry     AgentRetried.
//
// Qwen Code (0.15) prints the same, with differences that the lines show. Its numbers are session totals with
// the cached tokens included in input_tokens, and it reports no cost (is_session_total). A request that the
// service refused appears as a text in brackets, in a message and a result that both claim success.
//
// stream_event lines (--include-partial-messages) repeat the content of assistant lines and are ignored.
// input_tokens does not include the cached tokens.

#include "adapters/agents/agent_lines.h"
#include "engine/base/whole_number.h"

namespace luzia::claude {
namespace {

// ---- calls ----

schema::ToolCalledT call_of(JsonValue line, JsonValue block) {
  schema::ToolCalledT call;
  call.call_id = clipped(block["id"], kMaxName);
  call.tool = clipped(block["name"], kMaxName);
  call.files = files_of(block["input"]);
  call.subject = subject_of(block["input"]);
  call.parent_call_id = clipped(line["parent_tool_use_id"], kMaxName);
  call.at_us = iso_time_us(line["timestamp"].text());
  return call;
}

/// Returns "401 Incorrect key" from "[API Error: 401 Incorrect key]" if that is the whole message; else
/// empty.
std::string refusal_in(std::string_view said) {
  constexpr std::string_view kBegin = "[API Error: ";
  if (!said.starts_with(kBegin) || !said.ends_with(']')) return {};
  return std::string(said.substr(kBegin.size(), said.size() - kBegin.size() - 1));
}

void find_in_assistant(JsonValue line, LineFindings& findings) {
  const JsonValue content = line["message"]["content"];
  content.each(kMaxBlocks, [&](JsonValue block) {
    if (!block["type"].is("tool_use") || block["id"].text().empty()) return;
    findings.tool(call_of(line, block));
    // A subagent keeps its own list.
    const bool is_list = block["name"].is("TodoWrite") || block["name"].is("todo_write");
    const bool own_list = is_list && line["parent_tool_use_id"].text().empty();
    if (own_list && block["input"]["todos"].is_array()) {
      findings.report(whole_list(block["input"]["todos"], "content"));
    }
  });
  const std::string refused = refusal_in(content_text(content, kMaxReason));
  if (!line["error"].is_text() && refused.empty()) return;
  const std::uint32_t status =
      refused.empty() ? api_status_in(line["api_error_status"]) : status_after(refused, "");
  findings.error("assistant.error", line["error"].text(), status,
                 refused.empty() ? content_text(content, kMaxReason) : refused);
}

// ---- results of calls ----

/// What the permission system said about the call, if the line has it.
JsonValue meta_of(JsonValue line, std::string_view call_id) {
  JsonValue found;
  line["tool_result_meta"].each(kMaxBlocks, [&](JsonValue meta) {
    if (meta["id"].text() == call_id) found = meta;
  });
  return found;
}

/// Lines without meta (older releases, some kinds of hooks) have only the text.
bool says_denied(std::string_view text) {
  const auto has = [text](std::string_view part) { return text.find(part) != std::string_view::npos; };
  return (text.starts_with("Permission to use ") && has("denied")) || text.starts_with("PreToolUse:") ||
         has("but that permission was declined") || has("but you haven't granted it yet") ||
         text.starts_with("This command requires approval") ||
         (text.starts_with("Cannot ") && text.ends_with("while in plan mode.")) ||
         text.starts_with("The user doesn't want to proceed with this tool use");
}

bool was_denied(JsonValue meta, std::string_view text) {
  if (!meta.is_object()) return says_denied(text);
  const JsonValue kind = meta["non_execution_kind"];
  return meta["permission_decision"]["decision"].is("reject") || kind.is("permission-rule") ||
         kind.is("user-rejected");
}

/// The exit code from "Exit code 137\n...", the beginning of a failed command's result.
std::optional<std::int32_t> exit_code_of(std::string_view text) {
  constexpr std::string_view kBefore = "Exit code ";
  if (!text.starts_with(kBefore)) return std::nullopt;
  return leading_number<std::int32_t>(text.substr(kBefore.size()));
}

/// The text of a refusal by the program itself, without the tag that it adds for the model.
std::string without_tag(std::string text) {
  constexpr std::string_view kOpened = "<tool_use_error>", kClosed = "</tool_use_error>";
  if (!text.starts_with(kOpened)) return text;
  text.erase(0, kOpened.size());
  if (text.ends_with(kClosed)) text.resize(text.size() - kClosed.size());
  return text;
}

/// The tool is not available in the session: nobody was asked, and nobody denied it.
bool says_not_offered(std::string_view text) {
  return text.starts_with("Error: No such tool available") || text.starts_with("No such tool available") ||
         (text.starts_with("Tool \"") && text.find("\" not found in registry.") != std::string_view::npos);
}

void set_failure(schema::ToolReturnedT& returned, JsonValue content, JsonValue meta) {
  returned.text = without_tag(content_text(content, kMaxReason));
  returned.failure = "error";
  if (says_not_offered(returned.text)) {
    returned.failure = "not_offered";
  } else if (was_denied(meta, returned.text)) {
    returned.failure = "denied";
  } else if (const auto code = exit_code_of(returned.text)) {
    returned.failure = "nonzero_exit";
    returned.exit_code = *code;
  }
}

void find_in_result(JsonValue line, JsonValue block, LineFindings& findings) {
  if (!block["type"].is("tool_result") || block["tool_use_id"].text().empty()) return;
  schema::ToolReturnedT returned;
  returned.call_id = clipped(block["tool_use_id"], kMaxName);
  returned.at_us = iso_time_us(line["timestamp"].text());
  // A tool's output would be an object here: this text is the program's own, whether marked as an error or
  // not.
  const bool not_offered = says_not_offered(line["tool_use_result"].text()) &&
                           says_not_offered(without_tag(content_text(block["content"], kMaxName)));
  returned.succeeded = !block["is_error"].flag() && !not_offered;
  if (const JsonValue took = line["tool_use_result"]["durationMs"]; took.number()) {
    returned.duration_us = static_cast<std::uint64_t>(milliseconds_us(took));
  }
  if (!returned.succeeded)
    set_failure(returned, block["content"], meta_of(line, block["tool_use_id"].text()));
  findings.tool_return(std::move(returned));
}

void add_item(schema::TodoReportedT& list, JsonValue id, JsonValue text, JsonValue status) {
  auto item = std::make_unique<schema::TodoItemT>();
  item->id = clipped(id, kMaxName);
  item->text = clipped(text, kMaxSubject);
  item->status = todo_status(status.text());
  if (!item->id.empty()) list.items.push_back(std::move(item));
}

void find_tasks(JsonValue result, LineFindings& findings) {
  schema::TodoReportedT list;
  const auto add_task = [&list](JsonValue task) {
    if (task["subject"].is_text()) add_item(list, task["id"], task["subject"], task["status"]);
  };
  add_task(result["task"]);
  result["tasks"].each(kMaxTodos, add_task);
  if (result["statusChange"]["to"].is_text()) {
    add_item(list, result["taskId"], {}, result["statusChange"]["to"]);
  }
  if (!list.items.empty()) findings.report(std::move(list));
}

void find_in_user(JsonValue line, LineFindings& findings) {
  line["message"]["content"].each(kMaxBlocks,
                                  [&](JsonValue block) { find_in_result(line, block, findings); });
  find_tasks(line["tool_use_result"], findings);
}

// ---- the end of a turn ----

void add_models(JsonValue line, schema::UsageReportedT& usage) {
  const JsonValue since = line["model_usage_since_last_result"];
  line["modelUsage"].each_member(kMaxModels, [&](std::string_view model, JsonValue total) {
    const JsonValue tokens = since.is_object() ? since[model] : total;
    auto part = std::make_unique<schema::ModelUsageT>();
    part->model = clipped(model, kMaxName);
    part->input_tokens = tokens["inputTokens"].count();
    part->output_tokens = tokens["outputTokens"].count();
    part->cache_read_tokens = tokens["cacheReadInputTokens"].count();
    part->cache_write_tokens = tokens["cacheCreationInputTokens"].count();
    if (const auto cost = total["costUSD"].number()) part->cost_usd = *cost;
    usage.by_model.push_back(std::move(part));
  });
  if (usage.by_model.size() == 1) usage.model = usage.by_model.front()->model;
}

/// Newer releases report by model what was used since the last result. That includes subagents and
/// interrupted requests, which `usage` leaves out.
void take_all_used(JsonValue since, schema::UsageReportedT& usage) {
  if (!since.is_object()) return;
  usage.input_tokens = usage.output_tokens = usage.cache_read_tokens = usage.cache_write_tokens = 0;
  since.each_member(kMaxModels, [&](std::string_view, JsonValue tokens) {
    usage.input_tokens += tokens["inputTokens"].count();
    usage.output_tokens += tokens["outputTokens"].count();
    usage.cache_read_tokens += tokens["cacheReadInputTokens"].count();
    usage.cache_write_tokens += tokens["cacheCreationInputTokens"].count();
  });
}

void take_tokens(JsonValue tokens, schema::UsageReportedT& usage) {
  usage.input_tokens = tokens["input_tokens"].count();
  usage.output_tokens = tokens["output_tokens"].count();
  usage.cache_read_tokens = tokens["cache_read_input_tokens"].count();
  usage.cache_write_tokens = tokens["cache_creation_input_tokens"].count();
}

/// Only Qwen Code reports totals.
bool is_session_total(JsonValue tokens) {
  return tokens["total_tokens"].present();
}

void find_usage(JsonValue line, LineFindings& findings) {
  const JsonValue tokens = line["usage"];
  if (!tokens.is_object()) return;
  schema::UsageReportedT usage;
  usage.scope = is_session_total(tokens) ? schema::UsageScope::session_total : schema::UsageScope::turn;
  usage.cost_scope = schema::UsageScope::session_total;
  usage.session_id = session_id_in(line["session_id"]);
  take_tokens(tokens, usage);
  usage.reasoning_tokens = tokens["output_tokens_details"]["thinking_tokens"].count();
  take_all_used(line["model_usage_since_last_result"], usage);
  if (const auto cost = line["total_cost_usd"].number()) usage.cost_usd = *cost;
  add_models(line, usage);
  findings.usage(std::move(usage));
}

schema::AgentOutcome outcome_of(JsonValue line) {
  using schema::AgentOutcome;
  const std::string_view subtype = line["subtype"].text();
  if (line["deferred_tool_use"].is_object() || line["stop_reason"].is("tool_deferred")) {
    return AgentOutcome::deferred;
  }
  if (subtype == "success") {
    const bool refused = !refusal_in(line["result"].text()).empty();
    if (!line["is_error"].flag() && !refused) return AgentOutcome::completed;
    const bool limit = line["api_error"].is("usage_limit_reached") || says_usage_limit(line["result"].text());
    return limit ? AgentOutcome::usage_limit : AgentOutcome::failed;
  }
  if (subtype == "error_max_turns") return AgentOutcome::max_turns;
  if (subtype == "error_max_budget_usd") return AgentOutcome::max_budget;
  // The form of an interrupt; in releases without terminal_reason it is the only sign of one.
  const std::string_view reason = line["terminal_reason"].text();
  const bool aborted =
      (reason.empty() || reason.starts_with("aborted")) && !line["error"]["message"].is_text();
  return subtype == "error_during_execution" && aborted ? AgentOutcome::interrupted : AgentOutcome::failed;
}

void find_conclusion(JsonValue line, LineFindings& findings) {
  schema::AgentConcludedT concluded;
  concluded.outcome = outcome_of(line);
  concluded.subtype = clipped(line["subtype"], kMaxName);
  concluded.text = clipped(line["result"], kMaxAnswer);
  concluded.turns = static_cast<std::uint32_t>(std::min<std::uint64_t>(line["num_turns"].count(), 1u << 30));
  const JsonValue deferred = line["deferred_tool_use"];
  concluded.deferred_call_id = clipped(deferred["id"], kMaxName);
  concluded.deferred_tool = clipped(deferred["name"], kMaxName);
  // Truncated JSON would be invalid: a value that is too long is left out.
  if (std::string input = deferred["input"].json(); input.size() <= kMaxInput) {
    concluded.deferred_input = std::move(input);
  }
  line["errors"].each(4, [&](JsonValue text) {
    if (concluded.text.empty()) concluded.text = clipped(text, kMaxAnswer);
    const std::string error = clipped(text, kMaxReason);
    if (!error.empty()) findings.error("result.errors", known_error(error), 0, error);
  });
  // Qwen Code's reason for ending before its first request.
  const std::string trouble = clipped(line["error"]["message"], kMaxReason);
  if (concluded.text.empty()) concluded.text = trouble;
  if (const auto kind = known_error(trouble); !kind.empty()) findings.error("result.error", kind, 0, trouble);
  findings.report(std::move(concluded));
}

/// A cut result may have lost its type, which newer releases print after a long text.
bool is_result(const JsonLine& line) {
  const JsonValue object = line.object();
  if (object["type"].is("result")) return object["subtype"].is_text() && object["is_error"].present();
  return line.cut() && !object["type"].present() && object["total_cost_usd"].number() &&
         object["subtype"].is_text() && object["is_error"].present();
}

// ---- the rest ----

void find_limit(JsonValue info, LineFindings& findings) {
  const std::string limit =
      info["rateLimitType"].is_text() ? clipped(info["rateLimitType"], kMaxName) : "usage";
  const bool goes_on = info["isUsingOverage"].flag() || info["overageStatus"].text().starts_with("allowed");
  if (info["status"].is("rejected") && !goes_on) {
    schema::LimitReachedT reached;
    reached.limit = limit;
    reached.resets_us = seconds_us(info["resetsAt"]);
    findings.usage(std::move(reached));
  } else if (info["status"].is("allowed_warning")) {
    schema::LimitWarnedT warned;
    warned.limit = limit;
    warned.resets_us = seconds_us(info["resetsAt"]);
    if (const auto used = info["utilization"].number(); used && *used >= 0) {
      warned.used_fraction = std::min(*used, 1.0);
    }
    findings.usage(std::move(warned));
  }
}

/// The error that ends a run. Newer releases report the window and its end with it. The oldest printed the
/// end as "Claude AI usage limit reached|1767225600". Others have only a text for people.
void find_limit_in_error(JsonValue line, LineFindings& findings) {
  const std::string text = content_text(line["message"]["content"], kMaxReason);
  if (!line["error"].is_text() && refusal_in(text).empty()) return;
  if (const JsonValue info = line["api_error_params"]["rate_limit_info"]; info.is_object()) {
    return find_limit(info, findings);
  }
  if (!says_usage_limit(text)) return;
  schema::LimitReachedT reached;
  reached.limit = "usage";
  reached.text = text;
  if (const std::size_t bar = text.find('|'); bar != std::string::npos) {
    const auto seconds = leading_number<std::int64_t>(std::string_view(text).substr(bar + 1)).value_or(0);
    if (seconds > 0 && seconds < (std::int64_t{1} << 32)) reached.resets_us = seconds * 1'000'000;
  }
  findings.usage(std::move(reached));
}

void find_offered_tools(JsonValue line, LineFindings& findings) {
  schema::ToolsOfferedT offered;
  line["tools"].each(kMaxOfferedTools, [&](JsonValue tool) {
    if (!tool.text().empty()) offered.tools.push_back(clipped(tool, kMaxName));
  });
  line["mcp_servers"].each(kMaxOfferedServers, [&](JsonValue server) {
    if (server["status"].is("connected")) offered.servers.push_back(clipped(server["name"], kMaxName));
  });
  if (!offered.tools.empty()) findings.tool(std::move(offered));
}

void find_in_system(JsonValue line, LineFindings& findings) {
  if (line["subtype"].is("init")) {
    const JsonValue version = line["claude_code_version"];
    findings.session(line["session_id"], line["model"],
                     version.is_text() ? version : line["qwen_code_version"]);
    find_offered_tools(line, findings);
  } else if (line["subtype"].is("api_retry")) {
    schema::AgentRetriedT retried;
    const auto small = [&line](std::string_view key) {
      return static_cast<std::uint32_t>(std::min<std::uint64_t>(line[key].count(), 1u << 30));
    };
    retried.retry = small("attempt");
    retried.max_retries = small("max_retries");
    retried.api_status = small("error_status");
    retried.delay_ms = line["retry_delay_ms"].count();
    retried.text = clipped(line["error"], kMaxReason);
    findings.report(std::move(retried));
  }
}

/// Whether the result holds a tool's output, not something that the agent read (`file`, lists of matches, its
/// own edits, ...).
bool printed_by_tool(JsonValue result) {
  return !result.is_object() || result["stdout"].is_text() || result["stderr"].is_text();
}

class Decoder final : public AgentFormat {
 public:
  std::string_view name() const override { return "claude-stream-json"; }
  /// Has a type and a session_id, which only control messages lack, and not the shape of Gemini's lines of
  /// the same types.
  bool owns(const JsonLine& line) const override;
  void find(const JsonLine& line, LineFindings& findings) const override;
  std::string session_of(const JsonLine& line) const override;
  bool counts_messages() const override { return true; }
  std::optional<UsedByMessage> used_by_message(const JsonLine& line) const override;
  std::string said(const JsonLine& line) const override;
  void texts(const JsonLine& line, std::string& text) const override;
};

bool Decoder::owns(const JsonLine& line) const {
  const JsonValue object = line.object();
  if (!object["type"].is_text()) return is_result(line);
  if (object["type"].text().starts_with("control_"))
    return object["request_id"].present() || object["response"].present();
  if (object["type"].is("init") || object["message"].is_text()) return false;
  return object["session_id"].is_text() || object["type"].is("assistant") || object["type"].is("user");
}

void Decoder::find(const JsonLine& line, LineFindings& findings) const {
  const JsonValue object = line.object();
  if (is_result(line)) {
    find_usage(object, findings);
    find_conclusion(object, findings);
  } else if (object["type"].is("assistant")) {
    find_in_assistant(object, findings);
    find_limit_in_error(object, findings);
  } else if (object["type"].is("user")) {
    find_in_user(object, findings);
  } else if (object["type"].is("system")) {
    find_in_system(object, findings);
  } else if (object["type"].is("rate_limit_event")) {
    find_limit(object["rate_limit_info"], findings);
  }
}

std::string Decoder::session_of(const JsonLine& line) const {
  return session_id_in(line.object()["session_id"]);
}

std::optional<UsedByMessage> Decoder::used_by_message(const JsonLine& line) const {
  const JsonValue object = line.object(), message = object["message"], tokens = message["usage"];
  if (!object["type"].is("assistant") || !tokens.is_object()) return std::nullopt;
  UsedByMessage used{clipped(message["id"], kMaxName), {}};
  used.usage.session_id = session_of(line);
  used.usage.model = clipped(message["model"], kMaxName);
  take_tokens(tokens, used.usage);
  return used;
}

std::string Decoder::said(const JsonLine& line) const {
  const JsonValue object = line.object();
  std::string text;
  if (object["type"].is("assistant")) append_content(text, object["message"]["content"]);
  return text;
}

void Decoder::texts(const JsonLine& line, std::string& text) const {
  const JsonValue object = line.object();
  const JsonValue content = object["message"]["content"];
  if (object["type"].is("user")) {
    const bool printed = printed_by_tool(object["tool_use_result"]);
    content.each(kMaxBlocks, [&](JsonValue block) {
      if (block["type"].is("tool_result") && (printed || block["is_error"].flag())) {
        append_content(text, block["content"]);
      }
    });
  } else if (object["type"].is("assistant") && object["error"].is_text()) {
    append_content(text, content);
  } else if (object["type"].is("result")) {
    object["errors"].each(4, [&text](JsonValue error) { append_piece(text, error.text()); });
  }
}

}  // namespace

FormatPtr format() {
  return std::make_shared<const Decoder>();
}

}  // namespace luzia::claude
