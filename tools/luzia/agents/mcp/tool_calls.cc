#include "tools/luzia/agents/mcp/tool_calls.h"

#include "engine/base/time.h"
#include "engine/event/event.h"
#include "tools/luzia/agents/mcp/learning_calls.h"
#include "tools/luzia/agents/mcp/permission.h"
#include "tools/luzia/agents/mcp/shown_call.h"

namespace luzia::mcp {
namespace {

std::uint32_t count_of(const Json& arguments, const char* name) {
  const auto found = arguments.find(name);
  return found != arguments.end() && found->is_number() ? static_cast<std::uint32_t>(found->get<double>())
                                                        : 0;
}

Result<std::uint64_t> timeout_of(const Json& arguments) {
  const std::string text = text_of(arguments, "timeout");
  if (text.empty()) return 0;
  const auto duration = parse_duration_ms(text);
  if (!duration || *duration == 0) {
    return fail(ErrorKind::usage, "bad_value", "timeout is '" + text + "', write 90s, 30m or 2h");
  }
  return *duration;
}

template <class Fact>
ToolResult report(JobDoor& door, Fact fact) {
  const Status reported = door.report(domain_fact(std::move(fact)));
  return reported ? ToolResult{"recorded"} : mistake(reported.error());
}

ToolResult report_progress(const Json& arguments, JobDoor& door) {
  schema::ProgressReportedT fact;
  const auto percent = arguments.find("percent");
  if (percent != arguments.end() && percent->is_number()) fact.progress_percent = percent->get<double>();
  fact.current_step = count_of(arguments, "current_step");
  fact.total_steps = count_of(arguments, "total_steps");
  fact.current_step_name = text_of(arguments, "step_name");
  if (!fact.progress_percent && fact.current_step == 0 && fact.current_step_name.empty()) {
    return mistake("nothing to report: give percent, current_step or step_name");
  }
  return report(door, std::move(fact));
}

ToolResult report_warning(const Json& arguments, JobDoor& door) {
  schema::WarningReportedT fact;
  fact.message = text_of(arguments, "message");
  fact.warning_type = text_of(arguments, "warning_type");
  fact.recommendation = text_of(arguments, "recommendation");
  return report(door, std::move(fact));
}

schema::QuestionType type_of(const std::string& word, bool with_options) {
  if (word == "text") return schema::QuestionType::text;
  if (word == "choice") return schema::QuestionType::choice;
  if (word == "confirm") return schema::QuestionType::confirm;
  if (word == "multi_select") return schema::QuestionType::multi_select;
  return with_options ? schema::QuestionType::choice : schema::QuestionType::text;
}

/// The text returned if there is no answer.
std::string no_answer(const view::QuestionT& question) {
  switch (question.state) {
    case view::QuestionState::open:
      return "the question is still open";
    case view::QuestionState::timed_out:
      return "nobody answered in time";
    case view::QuestionState::cancelled:
      return "the question was cancelled" + (question.reason.empty() ? "" : ": " + question.reason);
    case view::QuestionState::answered:
      break;
  }
  return "the answer is empty";
}

ToolResult ask_user(const Json& arguments, JobDoor& door, const CallWait& wait) {
  wire::AskQuestionT question;
  question.question = text_of(arguments, "question");
  if (const auto options = arguments.find("options"); options != arguments.end() && options->is_array()) {
    question.options = options->get<std::vector<std::string>>();
  }
  question.type = type_of(text_of(arguments, "type"), !question.options.empty());
  const bool takes_options =
      question.type == schema::QuestionType::choice || question.type == schema::QuestionType::multi_select;
  if (takes_options == question.options.empty()) {
    return mistake(takes_options ? "options are missing: a choice needs two or more"
                                 : "options belong to the types choice and multi_select only");
  }
  const auto timeout = timeout_of(arguments);
  if (!timeout) return mistake(timeout.error());
  question.timeout_ms = *timeout;
  question.default_answer = text_of(arguments, "default");
  question.source = "mcp";
  const auto row = door.ask(std::move(question), wait);
  if (!row) return mistake(row.error());
  if (row->state != view::QuestionState::answered) return mistake(no_answer(*row));
  return {row->answer + (row->by_default ? "\n(nobody answered in time: this is the default)" : ""),
          false,
          {{row->job, row->id}}};
}

ToolResult request_approval(const Json& arguments, JobDoor& door, const CallWait& wait) {
  const auto timeout = timeout_of(arguments);
  if (!timeout) return mistake(timeout.error());
  wire::RequestApprovalT approval;
  approval.gate = text_of(arguments, "gate");
  approval.description = text_of(arguments, "description");
  approval.timeout_ms = *timeout;
  approval.source = "mcp";
  const auto row = door.request(std::move(approval), wait);
  if (!row) return mistake(row.error());
  ToolResult result{decision_words(*row)};
  if (row->decision != schema::Decision::none) result.answers.push_back({row->job, row->id});
  return result;
}

}  // namespace

ToolResult mistake(std::string text) {
  return {std::move(text), true};
}

ToolResult mistake(const Error& error) {
  return mistake(error.message + (error.hint.empty() ? "" : " (" + error.hint + ")"));
}

ToolResult shown(const Result<std::string>& json) {
  return json ? ToolResult{*json} : mistake(json.error());
}

ToolResult run_tool(ToolKind kind, const Json& arguments, JobDoor& door, const CallWait& wait) {
  switch (kind) {
    case ToolKind::report_progress:
      return report_progress(arguments, door);
    case ToolKind::report_warning:
      return report_warning(arguments, door);
    case ToolKind::ask_user:
      return ask_user(arguments, door, wait);
    case ToolKind::request_approval:
      return request_approval(arguments, door, wait);
    case ToolKind::permission_prompt:
      return permission_prompt(arguments, door, wait);
    case ToolKind::job_status:
      return shown(door.job(text_of(arguments, "job")));
    case ToolKind::list_questions: {
      const auto all = arguments.find("all");
      return shown(door.requests(text_of(arguments, "job"), all != arguments.end() && *all == Json(true)));
    }
    case ToolKind::store_fact:
    case ToolKind::query_relations:
    case ToolKind::search_context:
    case ToolKind::search_solutions:
    case ToolKind::record_solution:
    case ToolKind::list_tools:
    case ToolKind::complete_step:
    case ToolKind::get_context:
    case ToolKind::add_todo:
    case ToolKind::take_todo:
    case ToolKind::complete_todo:
    case ToolKind::list_todos:
      return run_learning_tool(kind, arguments, door);
  }
  return mistake("no such tool");
}

}  // namespace luzia::mcp
