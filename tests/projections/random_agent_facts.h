// Random facts that agents report about their work, as findings in an output.
#pragma once

#include <functional>
#include <string>

#include "engine/job/job.h"

namespace luzia::test {

class RandomAgentFacts {
 public:
  explicit RandomAgentFacts(std::function<std::uint64_t(std::uint64_t)> below) : below_(std::move(below)) {}

  void add_to(RecordOutput& output, TimeUs now) {
    for (std::uint64_t count = below_(4); count > 0; --count) {
      RecordOutput::Finding finding;
      finding.fact = random_fact(output.attempt, now);
      finding.evidence.kind = schema::EvidenceKind::inferred;
      finding.evidence.attempt = output.attempt;
      finding.evidence.rule = "agent";
      output.findings.push_back(std::move(finding));
    }
  }

  schema::UsageReportedT usage(std::uint32_t attempt) {
    schema::UsageReportedT fact;
    fact.attempt = attempt;
    fact.scope = static_cast<schema::UsageScope>(below_(3));
    fact.cost_scope = static_cast<schema::UsageScope>(below_(3));
    fact.input_tokens = below_(1000);
    fact.output_tokens = below_(1000);
    fact.cache_read_tokens = below_(3) == 0 ? below_(5000) : 0;
    if (below_(2) == 0)
      fact.cost_usd = static_cast<double>(below_(64)) / 8;  // multiples of 1/8, so that sums are exact
    if (below_(2) == 0) fact.session_id = "s" + std::to_string(below_(12));
    fact.model = below_(2) == 0 ? "small" : "";
    for (std::uint64_t models = below_(3) == 0 ? 2 : 0; models > 0; --models) {
      auto part = std::make_unique<schema::ModelUsageT>();
      part->model = models == 2 ? "large" : "small";
      part->output_tokens = below_(800);
      if (below_(2) == 0) part->cost_usd = static_cast<double>(below_(64)) / 8;
      fact.by_model.push_back(std::move(part));
    }
    return fact;
  }

 private:
  using Fact = decltype(RecordOutput::Finding::fact);

  Fact random_fact(std::uint32_t attempt, TimeUs now) {
    switch (below_(9)) {
      case 0: {
        schema::SessionIdentifiedT fact;
        fact.session_id = "s" + std::to_string(below_(12));
        fact.model = "small";
        return domain_fact(std::move(fact));
      }
      case 1:
        return domain_fact(limit(attempt, now));
      case 2:
        return domain_fact(conclusion(attempt));
      case 3:
        return domain_fact(todo(attempt));
      case 4:
        return domain_fact(usage(attempt));
      default:
        return tool_fact(attempt);
    }
  }
  Fact tool_fact(std::uint32_t attempt) {
    const std::string call = "call-" + std::to_string(below_(6));
    if (below_(2) == 0) {
      schema::ToolCalledT fact;
      fact.attempt = attempt;
      fact.call_id = call;
      fact.tool = below_(2) == 0 ? "Bash" : "Read";
      return domain_fact(std::move(fact));
    }
    if (below_(6) == 0) {
      schema::ToolsOfferedT fact;
      fact.attempt = attempt;
      fact.tools = {"Bash", "mcp__luzia__ask_user", "tool " + std::to_string(below_(5))};
      return domain_fact(std::move(fact));
    }
    if (below_(6) == 0) {
      schema::ToolDeniedT fact;
      fact.attempt = attempt;
      fact.call_id = call;
      fact.tool = "Bash";
      return domain_fact(std::move(fact));
    }
    schema::ToolReturnedT fact;
    fact.attempt = attempt;
    fact.call_id = call;
    fact.succeeded = below_(3) != 0;
    if (below_(3) == 0) fact.tool = "Bash";
    if (below_(3) == 0) fact.duration_us = below_(10 * kSecondUs);
    return domain_fact(std::move(fact));
  }
  schema::LimitReachedT limit(std::uint32_t attempt, TimeUs now) {
    schema::LimitReachedT fact;
    fact.attempt = attempt;
    fact.limit = below_(2) == 0 ? "five_hour" : "usage";
    fact.resets_us = below_(3) == 0 ? 0 : now + static_cast<TimeUs>(below_(5 * kHourUs));
    return fact;
  }
  schema::AgentConcludedT conclusion(std::uint32_t attempt) {
    schema::AgentConcludedT fact;
    fact.attempt = attempt;
    fact.outcome = static_cast<schema::AgentOutcome>(below_(9));
    fact.text = "done";
    return fact;
  }
  schema::TodoReportedT todo(std::uint32_t attempt) {
    schema::TodoReportedT fact;
    fact.attempt = attempt;
    fact.whole = below_(2) == 0;
    for (std::uint64_t count = below_(4); count > 0; --count) {
      auto item = std::make_unique<schema::TodoItemT>();
      if (!fact.whole) item->id = std::to_string(below_(5));
      item->text = "step";
      item->status = static_cast<schema::TodoStatus>(below_(4));
      fact.items.push_back(std::move(item));
    }
    return fact;
  }

  std::function<std::uint64_t(std::uint64_t)> below_;
};

}  // namespace luzia::test
