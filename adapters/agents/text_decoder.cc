#include "adapters/agents/text_decoder.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "adapters/agents/progress_line.h"
#include "engine/base/utf8.h"
#include "engine/base/whole_number.h"

namespace luzia {
namespace {

using Finding = RecordOutput::Finding;

// ---- OSC 9;4 ----

constexpr std::string_view kOscProgress = "\x1b]9;4;";
constexpr char kBel = '\a';

/// Digits only; values above 1000 saturate. Empty: nullopt.
std::optional<unsigned> small_number(std::string_view digits) {
  if (digits.empty()) return std::nullopt;
  unsigned value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    value = std::min(1000u, value * 10 + static_cast<unsigned>(c - '0'));
  }
  return value;
}

/// `body` is the text between "ESC ] 9 ; 4 ;" and the terminator: state[;percent].
std::optional<schema::ProgressReportedT> progress_of(std::string_view body) {
  const std::size_t semicolon = body.find(';');
  const auto state = small_number(body.substr(0, semicolon));
  if (!state || *state > 4) return std::nullopt;
  const std::string_view rest =
      semicolon == std::string_view::npos ? std::string_view{} : body.substr(semicolon + 1);
  const auto percent = small_number(rest);
  if (!percent && !rest.empty()) return std::nullopt;
  schema::ProgressReportedT progress;
  const auto known_percent = [&] { progress.progress_percent = std::min(*percent, 100u); };
  switch (*state) {
    case 0:
      progress.state = "done";
      break;
    case 1:
      progress.state = "normal";
      progress.progress_percent = std::min(percent.value_or(0), 100u);
      break;
    case 2:
      progress.state = "error";
      if (percent) known_percent();
      break;
    case 3:
      progress.state = "normal";
      break;
    case 4:
      progress.state = "paused";
      if (percent) known_percent();
      break;
  }
  return progress;
}

struct OscMark {
  schema::ProgressReportedT progress;
  std::size_t from, to;
};

/// The sequence at `text[at]`, if a complete one is there.
std::optional<OscMark> osc_at(std::string_view text, std::size_t at) {
  if (text.compare(at, kOscProgress.size(), kOscProgress) != 0) return std::nullopt;
  const std::size_t body = at + kOscProgress.size();
  const std::size_t limit = std::min(text.size(), at + kMaxMark);
  std::size_t end = body;
  while (end < limit && text[end] != kBel && text[end] != '\x1b') ++end;
  if (end == limit) return std::nullopt;
  std::size_t after = end + 1;
  if (text[end] == '\x1b') {
    if (after >= limit || text[after] != '\\') return std::nullopt;
    ++after;
  }
  auto progress = progress_of(text.substr(body, end - body));
  if (!progress) return std::nullopt;
  return OscMark{std::move(*progress), at, after};
}

// ---- workflow commands ----

bool is_white_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

struct WorkflowCommand {
  std::string_view name, properties, data;
  std::size_t from;  // of "::" in the line
};

std::size_t white_space_before(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && is_white_space(text[length])) ++length;
  return length;
}

/// False for nearly every line of output.
bool begins_as_command(std::string_view text) {
  return text.substr(white_space_before(text)).starts_with("::");
}

std::optional<WorkflowCommand> workflow_command(std::string_view text) {
  const std::size_t from = white_space_before(text);
  if (text.size() - from < 5 || text[from] != ':' || text[from + 1] != ':') return std::nullopt;
  const std::size_t close = text.find("::", from + 2);
  if (close == std::string_view::npos) return std::nullopt;
  const std::string_view head = text.substr(from + 2, close - from - 2);
  const std::size_t space = head.find(' ');
  WorkflowCommand command{head.substr(0, space), {}, text.substr(close + 2), from};
  if (space != std::string_view::npos) command.properties = head.substr(space + 1);
  return command;
}

bool same_word(std::string_view text, std::string_view lower_case_word) {
  if (text.size() != lower_case_word.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] - 'A' + 'a') : text[i];
    if (c != lower_case_word[i]) return false;
  }
  return true;
}

/// Decodes %25 %0D %0A in data, and also %3A %2C in properties. Reads only what can affect `max_bytes` of
/// result.
std::string unescape(std::string_view text, bool property, std::size_t max_bytes) {
  std::string plain;
  for (std::size_t i = 0; i < text.size() && plain.size() < max_bytes + 4; ++i) {
    const std::string_view code = text[i] == '%' ? text.substr(i + 1, 2) : std::string_view{};
    char c = text[i];
    if (code == "25") c = '%';
    if (code == "0D") c = '\r';
    if (code == "0A") c = '\n';
    if (property && code == "3A") c = ':';
    if (property && code == "2C") c = ',';
    const bool replaced = c != text[i] || code == "25";
    if (replaced) i += 2;
    plain += c;
  }
  return bounded_utf8(plain, max_bytes);
}

void set_property(schema::AnnotationFoundT& annotation, std::string_view key, std::string_view value) {
  if (same_word(key, "file")) annotation.file = unescape(value, true, kMaxProperty);
  if (same_word(key, "title")) annotation.title = unescape(value, true, kMaxProperty);
  if (same_word(key, "line")) annotation.line = parse_whole_number<std::uint32_t>(value).value_or(0);
  if (same_word(key, "col")) annotation.column = parse_whole_number<std::uint32_t>(value).value_or(0);
}

schema::AnnotationFoundT annotation_of(const WorkflowCommand& command, schema::Severity severity) {
  schema::AnnotationFoundT annotation;
  annotation.severity = severity;
  annotation.message = unescape(command.data, false, kMaxMessage);
  std::string_view rest = command.properties;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view pair = rest.substr(0, comma);
    const std::size_t equals = pair.find('=');
    if (equals != std::string_view::npos)
      set_property(annotation, pair.substr(0, equals), pair.substr(equals + 1));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return annotation;
}

std::optional<schema::Severity> severity_of(std::string_view command) {
  if (same_word(command, "error")) return schema::Severity::error;
  if (same_word(command, "warning")) return schema::Severity::warning;
  if (same_word(command, "notice")) return schema::Severity::info;
  return std::nullopt;
}

// ---- progress lines of tools ----

/// `offset`: the text's position in the file.
Finding finding_of(const ProgressLine& seen, std::uint64_t offset) {
  schema::ProgressReportedT progress;
  progress.progress_percent = seen.percent;
  progress.current_step = seen.current_step;
  progress.total_steps = seen.of_steps;
  progress.current_step_name = bounded_utf8(seen.step, kMaxProperty);
  return inferred_finding<schema::ReportFactUnion>(std::move(progress), kRuleProgressLine, offset + seen.from,
                                                   offset + seen.to);
}

/// From the last state that a carriage return ends.
std::optional<ProgressLine> whole_state(std::string_view text) {
  const void* end = memrchr(text.data(), '\r', text.size());
  if (end == nullptr) return std::nullopt;
  return progress_line({text.data(), static_cast<const char*>(end)});
}

}  // namespace

bool TextDecoder::decode(const Line& line, std::vector<Finding>& findings, std::string&) const {
  if (begins_as_command(line.text) && decode_command(line, findings)) return false;
  if (!may_be_progress(line.text)) return false;
  if (const auto seen = progress_line(line.text)) findings.push_back(finding_of(*seen, line.offset));
  return false;
}

bool TextDecoder::decode_command(const Line& line, std::vector<Finding>& findings) const {
  const auto command = workflow_command(line.text);
  if (!command) return false;
  const std::uint64_t from = line.offset + command->from;
  const std::uint64_t to = line.offset + line.text.size();
  if (const auto severity = severity_of(command->name)) {
    findings.push_back(inferred_finding<schema::OutputFactUnion>(annotation_of(*command, *severity),
                                                                 kRuleWorkflowCommand, from, to));
  } else if (same_word(command->name, "group")) {
    schema::ProgressReportedT step;
    step.current_step_name = unescape(command->data, false, kMaxProperty);
    if (!step.current_step_name.empty()) {
      findings.push_back(
          inferred_finding<schema::ReportFactUnion>(std::move(step), kRuleWorkflowCommand, from, to));
    }
  }
  return true;
}

std::optional<std::string> TextDecoder::readable(std::string_view line) const {
  const auto command = begins_as_command(line) ? workflow_command(line) : std::nullopt;
  if (!command) return std::nullopt;
  const bool reports = severity_of(command->name) || same_word(command->name, "group");
  return reports ? unescape(command->data, false, kMaxMessage) : std::string();
}

void TextDecoder::decode_redraw(const Line& stretch, std::size_t seen, std::vector<Finding>& findings) const {
  const auto now = progress_line(stretch.text);
  if (!now) return;
  const auto before = whole_state(stretch.text.substr(0, seen));
  if (before && std::floor(before->percent) == std::floor(now->percent)) return;
  findings.push_back(finding_of(*now, stretch.offset));
}

void TextDecoder::decode_marks(const Line& stretch, std::vector<Finding>& findings) const {
  const std::string_view text = stretch.text;
  // Search from the end: only the last change counts, and a line full of sequences costs no more than its
  // last one.
  std::size_t before = text.size();
  while (const void* escape = memrchr(text.data(), kMarkBegin, before)) {
    const auto at = static_cast<std::size_t>(static_cast<const char*>(escape) - text.data());
    if (auto mark = osc_at(text, at)) {
      findings.push_back(
          inferred_finding<schema::ReportFactUnion>(std::move(mark->progress), kRuleOscProgress,
                                                    stretch.offset + mark->from, stretch.offset + mark->to));
      return;
    }
    before = at;
  }
}

}  // namespace luzia
