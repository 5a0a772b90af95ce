#include "tools/luzia/agents/mcp/permission.h"

#include <algorithm>
#include <optional>
#include <set>
#include <thread>

#include "adapters/config/gate_policy.h"
#include "tools/luzia/agents/mcp/shown_call.h"

namespace luzia::mcp {
namespace {

/// Bytes; below the daemon's limit for a question.
constexpr std::size_t kMostText = 60 * 1024;
/// Claude Code asks one to four at once.
constexpr std::size_t kMostQuestions = 16;
constexpr std::size_t kMostLabel = 1'000, kMostOptions = 64, kMostQuestion = 16'000;

ToolResult deny(const std::string& why) {
  return {json_line({{"behavior", "deny"}, {"message", why}})};
}

ToolResult allow(const Json& input) {
  return {json_line({{"behavior", "allow"}, {"updatedInput", input}})};
}

/// Converts a question of AskUserQuestion to ours. With fewer than two different options it asks for text.
wire::AskQuestionT question_of(const Json& asked, const std::string& call_id) {
  wire::AskQuestionT question;
  question.question = shortened(text_of(asked, "question"), kMostQuestion);
  std::set<std::string> different;
  const auto options = asked.find("options");
  for (const Json& option : options == asked.end() || !options->is_array() ? Json::array() : *options) {
    const std::string label = option.is_object() ? text_of(option, "label") : std::string();
    if (!label.empty() && label.size() <= kMostLabel && label.find('\0') == std::string::npos &&
        question.options.size() < kMostOptions && different.insert(label).second) {
      question.options.push_back(label);
      const std::string meaning = text_of(option, "description");
      question.question += meaning.empty() ? "" : "\n  " + label + ": " + shortened(meaning, kMostLabel);
    }
  }
  question.question = shortened(question.question, kMostText);
  std::replace(question.question.begin(), question.question.end(), '\0', ' ');
  const auto several = asked.find("multiSelect");
  const bool multi_select = several != asked.end() && *several == Json(true);
  question.type = multi_select ? schema::QuestionType::multi_select : schema::QuestionType::choice;
  if (question.options.size() < 2) {
    question.options.clear();
    question.type = schema::QuestionType::text;
  }
  question.free_text = true;  // as Claude Code itself offers it
  question.source = "mcp";
  question.call_id = call_id;
  return question;
}

std::string mistake_in(const Json& questions) {
  if (!questions.is_array() || questions.empty() || questions.size() > kMostQuestions) {
    return "there are no questions";
  }
  std::set<std::string> different;
  for (const Json& asked : questions) {
    const std::string text = asked.is_object() ? text_of(asked, "question") : std::string();
    if (text.empty() || !different.insert(text).second) return "each question needs a text of its own";
  }
  return {};
}

/// Asks all questions at once, so that a person sees them together, and waits for all answers.
ToolResult ask_all(const Json& input, const std::string& call_id, JobDoor& door, const CallWait& wait) {
  const Json questions = input.value("questions", Json());
  if (const std::string mistake = mistake_in(questions); !mistake.empty()) {
    return deny("AskUserQuestion: " + mistake);
  }
  std::vector<std::optional<Result<view::QuestionT>>> rows(questions.size());
  std::vector<std::thread> waiting;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    waiting.emplace_back([&, i] {
      // One is enough to tell the client that the call still waits.
      const CallWait mine{wait.stop, i == 0 ? wait.on_tick : std::function<void()>()};
      rows[i] = door.ask(question_of(questions[i], call_id), mine);
    });
  }
  for (std::thread& thread : waiting) thread.join();
  Json answered = input;
  answered["answers"] = Json::object();
  ToolResult result;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Result<view::QuestionT>& row = *rows[i];
    if (!row) return deny("no person could be asked: " + row.error().message);
    if (row->state != view::QuestionState::answered) {
      return deny("nobody answered" + (row->reason.empty() ? "" : ": " + row->reason));
    }
    answered["answers"][text_of(questions[i], "question")] = row->answer;
    result.answers.push_back({row->job, row->id});
  }
  result.text = allow(answered).text;
  return result;
}

}  // namespace

ToolResult permission_prompt(const Json& arguments, JobDoor& door, const CallWait& wait) {
  const std::string tool = text_of(arguments, "tool_name"), call_id = text_of(arguments, "tool_use_id");
  const Json& input = arguments.at("input");
  if (is_own_tool(tool)) return allow(input);
  if (tool == "AskUserQuestion") return ask_all(input, call_id, door, wait);
  wire::RequestApprovalT approval = approval_of_call(tool, input, call_id);
  approval.source = "mcp";
  const bool cut = is_cut({approval.gate, approval.tool, approval.tool_input});
  const auto row = door.request(std::move(approval), wait);
  if (!row) return deny("no person could be asked: " + row.error().message);
  const bool approved = row->decision == schema::Decision::approved;
  ToolResult result = approved && !cut ? allow(input) : deny(decision_words(*row));
  // The daemon denies it, too. Whatever it says, a call that nobody could see completely is not allowed.
  if (approved && cut) result = deny("the call is too long to be judged");
  if (row->decision != schema::Decision::none) result.answers.push_back({row->job, row->id});
  return result;
}

}  // namespace luzia::mcp
