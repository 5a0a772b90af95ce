// What the messages of one attempt used, by the lines of agents that print it with each message (Claude
// Code). Agents that report each turn or step (opencode, Copilot), or only the whole at the end (Codex,
// Gemini), have no such lines.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "adapters/agents/agent_lines.h"

namespace luzia {

/// The format that owns the line; null: it is text.
const AgentFormat* owner_of(const JsonLine& line, const std::vector<FormatPtr>& formats);

class MessageSums final : public MessageUsage {
 public:
  explicit MessageSums(std::vector<FormatPtr> formats) : formats_(std::move(formats)) {}

  /// Lines of one message repeat its usage: the largest figures count.
  void add(const Line& line) override;
  std::optional<RecordOutput::Finding> sum() const override;

 private:
  std::vector<FormatPtr> formats_;
  std::map<std::string, schema::UsageReportedT> messages_;  // by id
  bool reported_ = true;                                    // no message came after the agent's last report
  schema::EvidenceT last_;                                  // of the messages
};

}  // namespace luzia
