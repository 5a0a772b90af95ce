// Finds the gate of a flow that a person means, for `luzia approve`, `deny` and `luzia flow approve`, `deny`.
// One thread.
#pragma once

#include <string>
#include <vector>

#include "tools/luzia/asking.h"

namespace luzia {

/// The command for FLOW [STEP|GATE] or FLOW/STEP, without a command id. The step is given by its name, its
/// gate's name, or the beginning of either; without one, the only waiting step is meant. A step that has not
/// reached its gate yet must be given by its full name. Errors: `no_such_flow`, `no_such_approval`
/// (not_found), `which_approval` (usage).
Result<wire::ActOnFlowT> gate_command(Invocation& invocation, Client& client,
                                      const std::vector<std::string>& words, bool approve);

/// The result in words: "step ship may begin".
std::string gate_command_done(const wire::ActOnFlowT& command);

}  // namespace luzia
