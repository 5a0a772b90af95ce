#include "adapters/agents/json_decoder.h"

#include <algorithm>

namespace luzia {
namespace {

/// A line that is still being written, or was never completed.
bool is_begun(std::string_view line) {
  return line.starts_with("{\"") && !line.ends_with('}');
}

/// "Bash: make", for the last call in a line.
std::string call_in(const std::vector<RecordOutput::Finding>& findings) {
  std::string call;
  for (const auto& finding : findings) {
    const auto* tool = std::get_if<schema::ToolFactUnion>(&finding.fact);
    const auto* called = tool != nullptr ? tool->AsToolCalled() : nullptr;
    if (called != nullptr) call = called->tool + (called->subject.empty() ? "" : ": ") + called->subject;
  }
  return call;
}

/// Agents print these beside their JSON and end.
void find_known_error(const Line& line, std::vector<RecordOutput::Finding>& findings) {
  constexpr std::size_t kLongestError = 2'000;
  if (line.text.size() > kLongestError) return;
  const std::string_view kind = known_error(line.text);
  if (kind.empty()) return;
  LineFindings(line, "known-error", findings).error("output", kind, 0, clipped(line.text, 1'000));
}

}  // namespace

bool JsonDecoder::decode(const Line& line, std::vector<RecordOutput::Finding>& findings,
                         std::string& within) const {
  const JsonLine json(line);
  const AgentFormat* const format = owner(json);
  if (format == nullptr) {
    find_known_error(line, findings);
    for (const FormatPtr& each : formats_) {
      LineFindings found(line, each->name(), findings);
      each->find_in_text(line.text, found);
    }
    return text_.decode(line, findings, within);
  }
  LineFindings found(line, format->name(), findings);
  format->find(json, found);
  format->texts(json, within);
  return true;
}

std::string JsonDecoder::session_of(const Line& line) const {
  const JsonLine json(line);
  const AgentFormat* const format = owner(json);
  return format != nullptr ? format->session_of(json) : std::string();
}

std::unique_ptr<MessageUsage> JsonDecoder::message_usage() const {
  const bool counts = std::ranges::any_of(formats_, [](const auto& each) { return each->counts_messages(); });
  return counts ? std::make_unique<MessageSums>(formats_) : nullptr;
}

std::optional<std::string> JsonDecoder::readable(std::string_view text) const {
  const bool cut = text.size() > kMaxKeptLine || is_begun(text);
  const Line line{text.substr(0, kMaxKeptLine), 0, 0, 0, cut};
  const JsonLine json(line);
  const AgentFormat* const format = owner(json);
  if (format == nullptr) return is_begun(text) ? std::optional<std::string>("") : text_.readable(text);
  std::string words = format->said(json);
  if (words.empty()) format->texts(json, words);
  if (!words.empty()) return words;
  std::vector<RecordOutput::Finding> findings;
  LineFindings found(line, format->name(), findings);
  format->find(json, found);
  return call_in(findings);
}

void JsonDecoder::decode_marks(const Line& stretch, std::vector<RecordOutput::Finding>& findings) const {
  text_.decode_marks(stretch, findings);
}

void JsonDecoder::decode_redraw(const Line& stretch, std::size_t seen,
                                std::vector<RecordOutput::Finding>& findings) const {
  if (!is_begun(stretch.text)) text_.decode_redraw(stretch, seen, findings);
}

}  // namespace luzia
