// Helpers with which each agent's folder describes the agent. Private to adapters/agents.
#pragma once

#include "engine/ports/agent.h"

namespace luzia {

/// A profile with the usual conventions of agents: the task arrives on standard input. Exit code 1 may
/// succeed on a retry, 2 will not, 100 waits for an answer.
AgentProfile agent_profile(std::vector<std::string> command, std::string output,
                           std::vector<std::string> resume);

}  // namespace luzia
