// Helpers with which each agent's folder describes the agent. Private to adapters/agents.
#pragma once

#include "engine/ports/agent.h"

namespace luzia {

/// Gives the agent a profile with the usual conventions: the task arrives on standard input. Exit code 1 may
/// succeed on a retry, 2 will not, 100 waits for an answer. Set resume_words first.
void set_profile(Agent& agent, std::vector<std::string> command, std::string output);

/// Permissions that are one option with another value for each: plan, ask, edits, bypass.
std::map<Permissions, PermissionOptions> permission_option(const std::string& option,
                                                           const std::vector<std::string>& values);

}  // namespace luzia
