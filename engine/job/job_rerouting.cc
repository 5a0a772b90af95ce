#include "engine/job/job_rerouting.h"

#include <algorithm>
#include <utility>

#include "engine/job/decide_parts.h"

namespace luzia {
namespace {

using St = schema::JobState;

/// Why the agent that it has cannot go on.
std::string why_not(const JobState& state) {
  if (state.state == St::parked) return "its usage limit is reached (" + state.limit + ")";
  return "it is parked";
}

/// An agent that the job only waited for hands nothing over: the one that worked before it did.
void hand_over(JobState& state, const schema::JobRerouted& fact) {
  if (std::exchange(state.worked, false)) {
    state.handover = text(fact.last_words());
    state.handed_over_by = text(fact.from());
  } else if (fact.to() == 0 && state.handed_over_by == text(fact.agent())) {
    state.handover.clear();  // it goes on in its own session, and nobody else has worked since
    state.handed_over_by.clear();
  }
}

/// Beside the one that it has now.
std::vector<const schema::JobSpecT*> specs_that_ran(const JobState& state) {
  std::vector<const schema::JobSpecT*> specs;
  if (state.reroutes == 0) return specs;
  const schema::JobSpecT& own = dispatched_spec(state);
  for (std::uint32_t route = 0; route <= own.fallbacks.size(); ++route) {
    const bool ran = state.routes_run == 0 || (state.routes_run >> route & 1U) != 0;
    if (ran) specs.push_back(route == 0 ? &own : own.fallbacks[route - 1].get());
  }
  return specs;
}

}  // namespace

const schema::JobSpecT& dispatched_spec(const JobState& state) {
  return state.own_spec ? *state.own_spec : *state.spec;
}

bool may_be_rerouted(const JobState& state) {
  if (!state.spec || state.tracked || state.removed || state.background_spec) return false;
  if (state.spec->interactive) return false;  // a person sits at its terminal
  const bool is_between = state.state == St::queued || state.state == St::parked;
  return is_between && !state.held && !state.paused && !dispatched_spec(state).fallbacks.empty();
}

std::optional<RerouteJob> wanted_route(const JobState& state,
                                       const std::function<bool(std::string_view)>& is_parked) {
  if (!may_be_rerouted(state) || state.reroutes >= kMostReroutes) return std::nullopt;
  const schema::JobSpecT& own = dispatched_spec(state);
  for (std::uint32_t to = 0; to <= own.fallbacks.size(); ++to) {
    const std::string& agent = to == 0 ? own.agent : own.fallbacks[to - 1]->agent;
    if (is_parked(agent)) continue;
    if (to == state.route) return std::nullopt;
    const std::string why =
        to == 0 ? agent + " may work again" : state.spec->agent + " cannot go on: " + why_not(state);
    return RerouteJob{to, why};
  }
  return std::nullopt;
}

Decided decide_command(const JobState& state, const RerouteJob& command, TimeUs /*now*/) {
  const schema::JobSpecT& own = dispatched_spec(state);
  const bool is_news = may_be_rerouted(state) && command.to != state.route &&
                       command.to <= own.fallbacks.size() && state.reroutes < kMostReroutes;
  if (!is_news) return Events{};
  schema::JobReroutedT fact;
  fact.to = command.to;
  fact.agent = command.to == 0 ? own.agent : own.fallbacks[command.to - 1]->agent;
  fact.from = state.spec->agent;
  fact.note = command.note;
  if (state.attempt > 0) fact.last_words = state.outcome_text;
  return one(job_event(state.job, std::move(fact)));
}

bool has_secrets(const JobState& state) {
  if (!state.spec) return false;
  return !state.spec->secrets.empty() ||
         std::ranges::any_of(specs_that_ran(state), [](const auto* spec) { return !spec->secrets.empty(); });
}

bool may_have_secrets(const view::LiveJob& state) {
  const schema::JobSpec* const spec = state.spec();
  if (spec == nullptr) return false;
  const bool has_own = spec->secrets() != nullptr && spec->secrets()->size() > 0;
  return has_own || state.own_spec() != nullptr || spec->fallbacks() != nullptr;
}

schema::JobSpecT spec_with_all_secrets(const JobState& state) {
  schema::JobSpecT all = *state.spec;
  for (const schema::JobSpecT* other : specs_that_ran(state)) {
    for (const auto& secret : other->secrets) {
      const bool known = std::ranges::any_of(all.secrets, [&](const auto& each) {
        return each->name == secret->name && each->kind == secret->kind && each->source == secret->source;
      });
      if (!known) all.secrets.push_back(std::make_unique<schema::SecretSourceT>(*secret));
    }
  }
  return all;
}

void reroute(JobState& state, const schema::JobRerouted& fact) {
  if (!state.own_spec) {
    state.own_spec = std::move(state.spec);
    state.own_env = std::move(state.env);
    state.own_session = std::move(state.session_id);
  }
  ++state.reroutes;
  state.route = fact.to();
  hand_over(state, fact);
  const auto& fallbacks = state.own_spec->fallbacks;
  if (fact.to() > 0 && fact.to() <= fallbacks.size()) {
    state.spec = std::make_unique<schema::JobSpecT>(*fallbacks[fact.to() - 1]);
    state.env = std::move(state.spec->env);
    state.session_id.clear();
    return;
  }
  state.route = 0;
  state.spec = std::move(state.own_spec);
  state.env = std::move(state.own_env);
  state.session_id = std::move(state.own_session);
}

}  // namespace luzia
