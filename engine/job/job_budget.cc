#include "engine/job/job_budget.h"

#include <algorithm>
#include <cstdio>

#include "engine/base/durations.h"
#include "engine/job/decide_parts.h"
#include "engine/job/input_state.h"
#include "engine/job/usage_sum.h"

namespace luzia {
namespace {

constexpr double kWarnedFraction = 0.8;

std::string cost_text(double usd) {
  char words[48];
  std::snprintf(words, sizeof words, "$%.2f", usd);
  return words;
}

/// A budget of tokens or cost, and how much of it was used before this output and with it.
struct Budget {
  std::string kind;
  double before = 0, after = 0, budget = 0;

  bool reaches(double fraction) const {
    return budget > 0 && before < budget * fraction && after >= budget * fraction;
  }
};

struct Spent {
  std::uint64_t tokens = 0;
  double cost_usd = 0;
  bool concluded = false;
};

/// The job's sums including this output.
Spent spent_with(const JobState& state, const RecordOutput& output) {
  CountedSessions counted;
  for (const auto& entry : state.sessions) {
    counted.push_back(std::make_unique<view::SessionUsageT>(*entry));
  }
  Spent spent{state.spent_tokens, state.spent_cost_usd, state.outcome != schema::AgentOutcome::none};
  std::string session = state.session_id;
  for (const auto& finding : output.findings) {
    if (const auto* report = std::get_if<schema::ReportFactUnion>(&finding.fact)) {
      if (const auto* fact = report->AsSessionIdentified()) session = fact->session_id;
      spent.concluded = spent.concluded || report->type == schema::ReportFact::AgentConcluded;
    } else if (const auto* usage = std::get_if<schema::UsageFactUnion>(&finding.fact)) {
      const auto* fact = usage->AsUsageReported();
      if (fact == nullptr) continue;
      const UsageGrowth growth = count_usage(counted, *fact, session);
      spent.tokens = add_bounded(spent.tokens, add_bounded(growth.tokens.input, growth.tokens.output));
      spent.cost_usd += growth.cost_usd;
    }
  }
  return spent;
}

NewEvent budget_warning(const JobState& state, const Budget& budget) {
  return job_event(state.job, schema::BudgetWarnedT{{}, budget.kind, budget.after, budget.budget});
}

}  // namespace

bool reports_usage(const std::vector<RecordOutput::Finding>& findings) {
  return std::ranges::any_of(findings, [](const auto& finding) {
    const auto* usage = std::get_if<schema::UsageFactUnion>(&finding.fact);
    return usage != nullptr && usage->type == schema::UsageFact::UsageReported;
  });
}

std::optional<std::uint64_t> time_budget_left_ms(const JobState& state) {
  const std::uint64_t budget = state.spec->budget_time_ms;
  if (budget == 0) return std::nullopt;
  return budget - std::min(budget, state.spent_us / 1'000);
}

TimeUs time_budget_ends_at(const JobState& state) {
  const auto left = time_budget_left_ms(state);
  if (!left || state.started_us == 0 || state.attempt_over) return 0;
  return work_counts_from(state) + bounded_us(*left);
}

std::string time_budget_text(const JobState& state) {
  return format_duration(bounded_us(state.spec->budget_time_ms));
}

std::string used_up_budget(const JobState& state, std::uint64_t wall_us) {
  const auto& spec = *state.spec;
  if (spec.budget_tokens != 0 && state.spent_tokens >= spec.budget_tokens) {
    return std::to_string(spec.budget_tokens) + " tokens";
  }
  if (spec.budget_cost_usd > 0 && state.spent_cost_usd >= spec.budget_cost_usd) {
    return cost_text(spec.budget_cost_usd);
  }
  const auto left_ms = time_budget_left_ms(state);
  return left_ms && *left_ms <= wall_us / 1'000 ? time_budget_text(state) : std::string();
}

std::vector<NewEvent> budget_events(const JobState& state, const RecordOutput& output) {
  const auto& spec = *state.spec;
  std::vector<NewEvent> events;
  if ((spec.budget_tokens == 0 && spec.budget_cost_usd <= 0) || !reports_usage(output.findings))
    return events;
  const Spent spent = spent_with(state, output);
  const Budget budgets[] = {{"tokens", static_cast<double>(state.spent_tokens),
                             static_cast<double>(spent.tokens), static_cast<double>(spec.budget_tokens)},
                            {"cost_usd", state.spent_cost_usd, spent.cost_usd, spec.budget_cost_usd}};
  bool used_up = false;
  for (const Budget& budget : budgets) {
    if (budget.reaches(kWarnedFraction)) events.push_back(budget_warning(state, budget));
    used_up = used_up || (budget.budget > 0 && budget.after >= budget.budget);
  }
  if (used_up && !spent.concluded && !state.stop_requested)
    events.push_back(stop_request(state, schema::StopReason::budget));
  return events;
}

}  // namespace luzia
