// Decodes the output of agents that print one JSON object per line. Every other line is decoded as text,
// because output of tools and of the agent's own start-up is mixed in.
#pragma once

#include <memory>
#include <vector>

#include "adapters/agents/agent_lines.h"
#include "adapters/agents/message_sums.h"
#include "adapters/agents/text_decoder.h"

namespace luzia {

/// Passes each line to the format that owns it. With all formats it is the `auto` decoder: it recognizes each
/// line separately, so it also understands an agent that starts another agent. Stateless, any thread.
class JsonDecoder final : public LineDecoder {
 public:
  explicit JsonDecoder(std::vector<FormatPtr> formats) : formats_(std::move(formats)) {}

  bool decode(const Line& line, std::vector<RecordOutput::Finding>& findings,
              std::string& within) const override;
  std::string session_of(const Line& line) const override;
  std::unique_ptr<MessageUsage> message_usage() const override;
  /// Returns what the agent says; else what a tool printed or what went wrong; else the call that the agent
  /// makes ("Bash: make").
  std::optional<std::string> readable(std::string_view line) const override;
  /// Only lines of text can contain marks: within JSON the escape byte itself is escaped.
  void decode_marks(const Line& stretch, std::vector<RecordOutput::Finding>& findings) const override;
  void decode_redraw(const Line& stretch, std::size_t seen,
                     std::vector<RecordOutput::Finding>& findings) const override;

 private:
  const AgentFormat* owner(const JsonLine& line) const { return owner_of(line, formats_); }

  std::vector<FormatPtr> formats_;
  TextDecoder text_;
};

}  // namespace luzia
