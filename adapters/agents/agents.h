// What the folders of agents share to describe themselves. Private to adapters/agents.
#pragma once

#include "engine/ports/agent.h"

namespace luzia {

/// A profile by the convention of agents: the task on standard input; exit code 1 may work when tried again,
/// 2 will not, 100 waits for an answer.
AgentProfile agent_profile(std::vector<std::string> command, std::string output,
                           std::vector<std::string> resume);

}  // namespace luzia
