// Decodes the lines of agents that print one JSON object a line; every other line reads as text, because what
// tools and the agent's own start-up print stands among them.
#pragma once

#include <memory>
#include <vector>

#include "adapters/agents/agent_lines.h"
#include "adapters/agents/text_decoder.h"

namespace luzia {

/// A line goes to the format that owns it. With all formats it is the decoder of `auto`: each line is
/// recognised by itself, so an agent that starts another agent is understood too. Stateless, any thread.
class JsonDecoder final : public LineDecoder {
 public:
  explicit JsonDecoder(std::vector<std::shared_ptr<const AgentFormat>> formats)
      : formats_(std::move(formats)) {}

  bool decode(const Line& line, std::vector<RecordOutput::Finding>& findings,
              std::string& within) const override;
  /// What the agent says, else what a tool printed or what went wrong, else the call that it makes ("Bash:
  /// make").
  std::optional<std::string> readable(std::string_view line) const override;
  /// Within JSON an escape byte is itself escaped: marks stand in lines of text only.
  void decode_marks(const Line& stretch, std::vector<RecordOutput::Finding>& findings) const override;
  void decode_redraw(const Line& stretch, std::size_t seen,
                     std::vector<RecordOutput::Finding>& findings) const override;

 private:
  const AgentFormat* owner(const JsonLine& line) const;

  std::vector<std::shared_ptr<const AgentFormat>> formats_;
  TextDecoder text_;
};

}  // namespace luzia
