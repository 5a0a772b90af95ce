#include "engine/job/agent_facts.h"

#include "engine/job/usage_sum.h"

namespace luzia {
namespace {

/// The state stays in memory while the job lives, so only the beginning of a long answer is kept: enough to
/// explain the end.
constexpr std::size_t kMaxOutcomeText = 512;
constexpr std::string_view kNamelessLimit = "usage";

void conclude(JobState& state, const schema::AgentConcluded& fact) {
  state.outcome = fact.outcome();
  // For a call that waits for a decision, people need the name of its tool.
  const bool deferred = fact.outcome() == schema::AgentOutcome::deferred;
  const auto words = text(deferred ? fact.deferred_tool() : fact.text());
  state.outcome_text = words.substr(0, kMaxOutcomeText);
  state.deferred_call = deferred ? text(fact.deferred_call_id()) : std::string_view();
  if (fact.outcome() == schema::AgentOutcome::usage_limit) name_limit(state.limit, "");
}

void note_error(JobState& state, const schema::AgentErrorReported& error) {
  constexpr std::uint32_t kUnauthorized = 401;
  if (text(error.kind()) == kSessionGone) state.session_gone = true;
  if (error.api_status() == kUnauthorized || text(error.kind()).starts_with("authentication"))
    state.login_failed = true;
}

void reach_limit(JobState& state, const schema::LimitReached& fact) {
  name_limit(state.limit, text(fact.limit()));
  if (fact.resets_us() != 0) state.limit_resets_us = fact.resets_us();
}

/// More calls than an agent makes at once.
constexpr std::size_t kMostEditCalls = 64;

void call_tool(JobState& state, const schema::ToolCalled& fact) {
  if (!fact.changes_files()) return;
  if (state.edit_calls.size() < kMostEditCalls) {
    state.edit_calls.emplace_back(text(fact.call_id()));
  } else {
    ++state.edits_made;
  }
}

/// A tool that the agent was not given counts as denied: that is how some agents refuse. So does an edit that
/// fails where the sandbox keeps the project from changes.
void return_tool(JobState& state, const schema::ToolReturned& fact) {
  if (std::erase(state.edit_calls, text(fact.call_id())) == 0) return;
  const auto failure = text(fact.failure());
  const bool kept = state.spec && state.spec->sandbox && state.spec->sandbox->only_reads;
  const bool denied = !fact.succeeded() && (kept || failure == "denied" || failure == "not_offered");
  ++(denied ? state.edits_denied : state.edits_made);
}

void use(JobState& state, const schema::UsageReported& fact) {
  schema::UsageReportedT native;
  fact.UnPackTo(&native);
  // Its first line, which names the session too, may be lost or cut.
  if (state.session_id.empty()) state.session_id = native.session_id;
  const UsageGrowth growth = count_usage(state.sessions, native, state.session_id);
  state.spent_tokens =
      add_bounded(state.spent_tokens, add_bounded(growth.tokens.input, growth.tokens.output));
  state.spent_cost_usd += growth.cost_usd;
}

}  // namespace

void name_limit(std::string& known, std::string_view reported) {
  if (!reported.empty() && (known.empty() || reported != kNamelessLimit)) known = reported;
  if (known.empty()) known = kNamelessLimit;
}

void evolve_report(JobState& state, const schema::ReportEvent& report) {
  if (const auto* session = report.fact_as_SessionIdentified())
    state.session_id = text(session->session_id());
  if (const auto* concluded = report.fact_as_AgentConcluded()) conclude(state, *concluded);
  const auto* error = report.fact_as_AgentErrorReported();
  if (error != nullptr) note_error(state, *error);
}

void evolve_usage(JobState& state, const schema::UsageEvent& usage) {
  if (const auto* fact = usage.fact_as_UsageReported()) use(state, *fact);
  if (const auto* fact = usage.fact_as_LimitReached()) reach_limit(state, *fact);
}

void evolve_tool(JobState& state, const schema::ToolEvent& tool) {
  if (const auto* called = tool.fact_as_ToolCalled()) call_tool(state, *called);
  if (const auto* returned = tool.fact_as_ToolReturned()) return_tool(state, *returned);
}

void forget_agent_facts(JobState& state) {
  state.edit_calls.clear();
  state.edits_denied = state.edits_made = 0;
  state.session_gone = state.login_failed = false;
  state.outcome = schema::AgentOutcome::none;
  state.outcome_text.clear();
  state.deferred_call.clear();
  state.limit.clear();
  state.limit_resets_us = 0;
  begin_attempt_usage(state.sessions);
}

}  // namespace luzia
