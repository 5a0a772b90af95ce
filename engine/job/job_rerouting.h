// What a job goes on with where its agent cannot: another agent of its list (JobSpec.fallbacks), when its own
// has reached its usage limit or its login is refused. Rules without state; any thread.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "engine/job/job.h"

namespace luzia {

/// Automatic changes of agent of one job. Beyond, it waits for the agent that it has.
inline constexpr std::uint32_t kMostReroutes = 20;

/// Whether a change of agent is possible now: it has a list, and no attempt is under way.
bool may_be_rerouted(const JobState& state);
/// The first of its agents, its own before all others, that is not parked. nullopt: it stays with the one
/// that it has.
std::optional<RerouteJob> wanted_route(const JobState& state,
                                       const std::function<bool(std::string_view agent)>& is_parked);
/// The job's own spec, as dispatched.
const schema::JobSpecT& dispatched_spec(const JobState& state);
/// Whether the agent that the job has, or one that has run it before, has secrets.
bool has_secrets(const JobState& state);
/// False: it has none, which most rows tell before they are unpacked.
bool may_have_secrets(const view::LiveJob& state);
/// The spec with the secrets of all agents that have run the job too: one may show what an earlier one left
/// in its output or in files.
schema::JobSpecT spec_with_all_secrets(const JobState& state);

void reroute(JobState& state, const schema::JobRerouted& fact);

}  // namespace luzia
