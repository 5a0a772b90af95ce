// Names of projects in a question, looked at before it is asked: a wrong one would have an empty answer,
// without a word. Any thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "adapters/config/config.h"
#include "engine/base/result.h"
#include "protocol.fb.h"

namespace luzia {

/// How many rows answer a question about what is there now, or why there is no answer.
using CountRows = std::function<Result<std::size_t>(const wire::QueryT&)>;

/// `unknown_project` (usage), with the nearest name: one of them is not configured, and none of that name has
/// ever had a job or a flow. Without a configuration (`config` null: it cannot be read) nothing is refused,
/// nor while the sums that tell are made anew. Errors of `count` are passed on. Of configured names nothing
/// is asked.
Status check_known_projects(const std::vector<std::string>& names, const Config* config,
                            const CountRows& count);

/// The same, said of one of which it is known.
tl::unexpected<Error> unknown_project(const std::string& name, const Config& config);

}  // namespace luzia
