#include "adapters/agents/agent_lines.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>

#include "engine/base/utf8.h"
#include "engine/base/whole_number.h"
#include "engine/job/agent_facts.h"
#include "engine/ports/agent.h"

namespace luzia {
namespace {

/// The digits [from, from + length) as a number; -1 if one of them is not a digit.
int digits(std::string_view text, std::size_t from, std::size_t length) {
  int value = 0;
  for (const char c : text.substr(from, length)) {
    if (c < '0' || c > '9') return -1;
    value = value * 10 + (c - '0');
  }
  return value;
}

std::int64_t fraction_us(std::string_view digits_and_zone) {
  std::int64_t us = 0, unit = 100'000;
  for (const char c : digits_and_zone) {
    if (c < '0' || c > '9') break;
    us += unit * (c - '0');
    unit /= 10;
  }
  return us;
}

/// A command of several lines is one line where people read it.
std::string one_line(JsonValue value) {
  std::string line = clipped(value, kMaxSubject);
  std::ranges::replace_if(
      line, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return line;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

void LineFindings::append(RecordOutput::Finding finding) {
  finding.evidence.kind = schema::EvidenceKind::inferred;
  finding.evidence.rule = rule_;
  finding.evidence.log_from = line_.offset;
  finding.evidence.log_to = line_.offset + line_.text.size();
  findings_.push_back(std::move(finding));
}

void LineFindings::tool(schema::ToolCalledT called) {
  called.changes_files = changes_files(called.tool);
  add<schema::ToolFactUnion>(std::move(called));
}

void LineFindings::tool_return(schema::ToolReturnedT returned) {
  if (returned.failure != "denied") return tool(std::move(returned));
  schema::ToolDeniedT denied;
  denied.call_id = returned.call_id;
  denied.tool = returned.tool;
  denied.reason = returned.text;
  tool(std::move(returned));
  tool(std::move(denied));
}

void LineFindings::session(JsonValue id, JsonValue model, JsonValue version) {
  schema::SessionIdentifiedT session;
  session.session_id = session_id_in(id);
  session.model = clipped(model, kMaxName);
  session.agent_version = clipped(version, kMaxName);
  if (!session.session_id.empty()) report(std::move(session));
}

void LineFindings::error(std::string_view where, std::string_view kind, std::uint32_t api_status,
                         std::string_view text) {
  schema::AgentErrorReportedT error;
  error.where = where;
  error.kind = clipped(kind, kMaxName);
  error.api_status = api_status;
  error.text = clipped(text, kMaxReason);
  report(std::move(error));
}

void LineFindings::usage_limit(std::string_view text) {
  schema::LimitReachedT reached;
  reached.limit = "usage";
  reached.text = clipped(text, kMaxReason);
  usage(std::move(reached));
}

void LineFindings::conclude(schema::AgentOutcome outcome, std::string_view subtype, std::string_view text) {
  schema::AgentConcludedT concluded;
  concluded.outcome = outcome;
  concluded.subtype = clipped(subtype, kMaxName);
  concluded.text = clipped(text, kMaxAnswer);
  report(std::move(concluded));
}

std::string_view known_error(std::string_view error) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"No conversation found with session ID", kSessionGone},
      {"no rollout found for thread id", kSessionGone},
      {"Invalid session identifier", kSessionGone},
      {"No previous sessions found for this project", kSessionGone},
      {"No saved session found with ID", kSessionGone},
      {"No session, task, or name matched", kSessionGone},
      {"Session not found", kSessionGone},
      {"Please set an Auth method in your", kLoginMissing},
      {"No auth type is selected", kLoginMissing},
      {"No authentication information found", kLoginMissing},
  };
  const auto found =
      std::ranges::find_if(kWords, [error](const auto& known) { return contains(error, known.first); });
  return found == std::end(kWords) ? std::string_view() : found->second;
}

std::string clipped(std::string_view text, std::size_t max_bytes) {
  return bounded_utf8(text, max_bytes);
}

std::string session_id_in(JsonValue id) {
  constexpr std::string_view kBesideLetters = "._:@+/=,%-";
  const auto is_safe = [&](unsigned char c) {
    return std::isalnum(c) != 0 || kBesideLetters.find(static_cast<char>(c)) != std::string_view::npos;
  };
  std::string name = clipped(id, kMaxName);
  return !name.starts_with('-') && std::ranges::all_of(name, is_safe) ? name : std::string();
}

std::string clipped(JsonValue value, std::size_t max_bytes) {
  return clipped(value.text(), max_bytes);
}

std::int64_t iso_time_us(std::string_view text) {
  using namespace std::chrono;
  if (text.size() < 20 || text[4] != '-' || text[7] != '-' || text[10] != 'T' || text.back() != 'Z') return 0;
  const int y = digits(text, 0, 4), m = digits(text, 5, 2), d = digits(text, 8, 2);
  const int h = digits(text, 11, 2), min = digits(text, 14, 2), s = digits(text, 17, 2);
  if (y < 1970 || m < 1 || d < 1 || h < 0 || h > 23 || min < 0 || min > 59 || s < 0 || s > 60) return 0;
  const year_month_day date{year(y), month(static_cast<unsigned>(m)), day(static_cast<unsigned>(d))};
  if (!date.ok()) return 0;
  const auto since = sys_days(date).time_since_epoch() + hours(h) + minutes(min) + seconds(s);
  return duration_cast<microseconds>(since).count() +
         (text[19] == '.' ? fraction_us(text.substr(20)) : std::int64_t{0});
}

std::int64_t seconds_us(JsonValue seconds) {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(seconds.count(), 1u << 31)) * 1'000'000;
}

std::int64_t milliseconds_us(JsonValue milliseconds) {
  const std::uint64_t count = milliseconds.count();
  return count < (std::uint64_t{1} << 50) ? static_cast<std::int64_t>(count) * 1000 : 0;
}

std::string subject_of(JsonValue input) {
  constexpr std::array<std::string_view, 15> kKnown = {
      "command", "file_path", "filePath", "notebook_path", "absolute_path", "path",  "pattern", "url",
      "query",   "subject",   "question", "description",   "taskId",        "skill", "prompt"};
  for (const std::string_view key : kKnown) {
    if (const JsonValue value = input[key]; !value.text().empty()) return one_line(value);
  }
  std::string first;
  const auto take_text = [&first](JsonValue value) {
    if (first.empty()) first = one_line(value);
  };
  input["questions"].each(1, [&](JsonValue question) { take_text(question["question"]); });
  input.each(kMaxBlocks, take_text);
  return first;
}

std::vector<std::string> files_of(JsonValue input) {
  std::vector<std::string> files;
  const auto take = [&files](JsonValue path) {
    if (!path.text().empty() && files.size() < kMaxFiles) files.push_back(clipped(path, kMaxPath));
  };
  for (const std::string_view key : {"file_path", "filePath", "notebook_path", "absolute_path"}) {
    take(input[key]);
  }
  for (const std::string_view key : {"paths", "file_paths"}) input[key].each(kMaxFiles, take);
  return files;
}

schema::TodoStatus todo_status(std::string_view word) {
  if (word == "completed" || word == "done") return schema::TodoStatus::completed;
  if (word == "in_progress") return schema::TodoStatus::in_progress;
  if (word == "deleted" || word == "cancelled") return schema::TodoStatus::removed;
  return schema::TodoStatus::pending;
}

schema::TodoReportedT whole_list(JsonValue items, std::string_view text_key) {
  schema::TodoReportedT list;
  list.whole = true;
  items.each(kMaxTodos, [&](JsonValue item) {
    auto todo = std::make_unique<schema::TodoItemT>();
    todo->text = clipped(item[text_key], kMaxSubject);
    todo->status = todo_status(item["status"].text());
    list.items.push_back(std::move(todo));
  });
  return list;
}

bool says_usage_limit(std::string_view error) {
  // Claude ("You've hit your 5-hour limit", "Claude AI usage limit reached"), Codex (with U+2019: "You’ve hit
  // your usage limit"), Gemini ("You have exhausted your daily quota", "... your capacity on this model").
  if (contains(error, "hit your") && contains(error, "limit")) return true;
  if (contains(error, "usage limit reached") || contains(error, "usage limit has been reached")) return true;
  if (contains(error, "limit reached") && contains(error, "resets")) return true;
  return contains(error, "exhausted your") && (contains(error, "quota") || contains(error, "capacity"));
}

std::optional<std::int32_t> exit_code_in(JsonValue code) {
  const auto value = code.integer();
  if (!value || *value <= -(1 << 30) || *value >= (1 << 30)) return std::nullopt;
  return static_cast<std::int32_t>(*value);
}

std::uint32_t api_status_in(JsonValue status) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(status.count(), 999));
}

std::uint32_t status_after(std::string_view text, std::string_view before) {
  const std::size_t at = text.find(before);
  if (at == std::string_view::npos) return 0;
  const auto status = leading_number<std::uint32_t>(text.substr(at + before.size())).value_or(0);
  return status >= 100 && status <= 599 ? status : 0;
}

void append_piece(std::string& text, std::string_view piece) {
  if (piece.empty()) return;
  text += piece;
  if (text.back() != '\n') text += '\n';
}

void append_content(std::string& text, JsonValue content) {
  append_piece(text, content.text());
  if (content.is_array()) {
    content.each(kMaxBlocks, [&text](JsonValue block) { append_piece(text, block["text"].text()); });
  }
}

std::string content_text(JsonValue content, std::size_t max_bytes) {
  if (content.is_text()) return clipped(content, max_bytes);
  std::string all;
  append_content(all, content);
  if (!all.empty()) all.pop_back();
  return clipped(all, max_bytes);
}

}  // namespace luzia
