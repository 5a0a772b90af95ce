// What the agent of the own job is told by people and other agents, for its hook and its tools. One thread.
#pragma once

#include <functional>
#include <string>

#include "protocol.fb.h"
#include "tools/luzia/person.h"

namespace luzia {

/// Sends a command with a command id.
using SendCommand = std::function<Result<wire::AcceptedT>(const wire::RequestUnion&)>;

/// What the model is to be told.
struct ToldWords {
  std::string text = {};                  // as its model reads it; empty: nothing
  std::function<void()> confirm = [] {};  // call it once the model has the text, which then counts as read
};
/// What it has not read yet. Unless that is confirmed, the daemon hands it out again after the connection of
/// `send` has ended. `confirm` sends too. `event`: as in TakeTold.
Result<ToldWords> take_told(SendCommand send, const OwnJob& own, const std::string& event);

/// Agents cut a long text, some in its middle. So it is left in a file of the job's directory
/// ($LUZIA_JOB_DIR), and the model is shown its beginning and told where the file is. If it cannot be
/// written, the whole text.
std::string fit_for_model(std::string told);

}  // namespace luzia
