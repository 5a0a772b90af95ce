// Which gate of a flow a person means, the same for `luzia approve`, `deny` and `luzia flow approve`, `deny`.
// One thread.
#pragma once

#include <string>
#include <vector>

#include "tools/luzia/asking.h"

namespace luzia {

/// The order for FLOW [STEP|GATE] or FLOW/STEP, without a command id. The step is meant by its name or its
/// gate's, or what one begins with; without any, the only one that waits. Steps whose gate is not yet reached
/// are found by their name alone. `no_such_flow`, `no_such_approval` (not_found), `which_approval` (usage).
Result<wire::ActOnFlowT> gate_order(Invocation& invocation, Client& client,
                                    const std::vector<std::string>& words, bool approve);

/// What it leads to, in words: "step ship may begin".
std::string gate_order_done(const wire::ActOnFlowT& order);

}  // namespace luzia
