#include "tools/luzia/agents/mcp/shown_call.h"

#include <algorithm>

#include "adapters/config/gate_policy.h"
#include "tools/luzia/agents/mcp/tools.h"

namespace luzia::mcp {
namespace {

/// A copy in which texts have at most `most` bytes and lists and objects at most `most` items.
Json cut(const Json& value, std::size_t most) {
  if (value.is_string()) return shortened(value.get_ref<const std::string&>(), most);
  if (value.is_array()) {
    Json list = Json::array();
    for (std::size_t i = 0; i < value.size() && i < most; ++i) list.push_back(cut(value[i], most));
    return list;
  }
  if (value.is_object()) {
    Json object = Json::object();
    for (const auto& [name, member] : value.items()) {
      if (object.size() < most) object[shortened(name, most)] = cut(member, most);
    }
    return object;
  }
  return value;
}

const std::string* first_question(const Json& input) {
  const auto found = input.find("questions");
  if (found == input.end() || !found->is_array() || found->empty() || !found->front().is_object())
    return nullptr;
  const auto question = found->front().find("question");
  if (question == found->front().end() || !question->is_string()) return nullptr;
  return &question->get_ref<const std::string&>();
}

std::string call_words(const std::string& tool, const Json& input) {
  constexpr std::size_t kMost = 2'000;
  constexpr const char* kTelling[] = {"command", "file_path", "notebook_path", "url",
                                      "query",   "pattern",   "path"};
  std::string words = shortened(tool, 200);
  const bool of_files = tool == "Write" || tool == "Edit" || tool == "MultiEdit" || tool == "Read";
  const auto text_in = [&input](const char* name) {
    const auto found = input.find(name);
    return found != input.end() && found->is_string() ? &found->get_ref<const std::string&>() : nullptr;
  };
  std::vector<const std::string*> given;
  for (const char* name : kTelling) {
    if (const std::string* text = text_in(name)) given.push_back(text);
  }
  const std::string* own = tool == "Bash" ? text_in("command") : of_files ? text_in("file_path") : nullptr;
  if (own == nullptr && given.size() == 1) own = given.front();
  if (tool == "AskUserQuestion") own = first_question(input);
  if (own != nullptr) return words + ": " + shortened(*own, kMost);
  return input.empty() ? words : words + ": " + shown_input(input, kMost);
}

}  // namespace

std::string shown_input(const Json& input, std::size_t most) {
  std::string text = json_line(input);
  for (std::size_t each = most; text.size() > most && each > 0; each /= 2) text = json_line(cut(input, each));
  return text.size() > most ? "{}" : text;
}

std::string described_call(const std::string& tool, const Json& input) {
  std::string words = call_words(tool, input);
  std::replace(words.begin(), words.end(), '\0', ' ');
  return words;
}

bool is_own_tool(const std::string& tool) {
  for (const std::string_view server : {"mcp__luzia__", "mcp_luzia_", "luzia_", "luzia-"}) {
    if (tool.starts_with(server)) return find_tool(std::string_view(tool).substr(server.size())) != nullptr;
  }
  return false;
}

wire::RequestApprovalT approval_of_call(const std::string& tool, const Json& input,
                                        const std::string& call_id) {
  // Below the daemon's limit for a tool's input.
  constexpr std::size_t kMostInput = 60 * 1024;
  wire::RequestApprovalT approval;
  approval.gate = tool;
  approval.description = described_call(tool, input);
  approval.tool = tool;
  approval.tool_input = shown_input(input, kMostInput);
  if (json_line(input).size() > kMostInput) {
    // Nobody can judge what is missing: the mark makes the daemon deny the call and record that.
    Json part = Json::parse(approval.tool_input, nullptr, false);
    if (!part.is_object()) part = Json::object();
    part[std::string(kCutMark)] = true;
    approval.tool_input = json_line(part);
  }
  approval.call_id = call_id;
  return approval;
}

std::string decision_words(const view::ApprovalT& row) {
  const auto with_note = [&row](std::string words) {
    if (!row.decided_by.empty()) {
      words += " by " + row.decided_by;
    } else if (!row.policy.empty()) {
      words += " by the policy " + row.policy;
    }
    return row.note.empty() ? words : words + ": " + row.note;
  };
  switch (row.decision) {
    case schema::Decision::approved:
      return with_note("approved");
    case schema::Decision::denied:
      return with_note("denied");
    case schema::Decision::expired:
      return "denied: nobody decided in time";
    case schema::Decision::none:
      break;
  }
  return row.state == view::QuestionState::cancelled
             ? "denied: the request was cancelled" + (row.reason.empty() ? "" : ": " + row.reason)
             : "denied: nobody has decided";
}

}  // namespace luzia::mcp
