// Builds the request of `publish` from its arguments.
#pragma once

#include <string>

#include "protocol.fb.h"
#include "tools/cli/arguments.h"

namespace luzia {

/// `own_job`, `own_attempt`: the job that this process runs in, or empty. Errors (usage): `bad_kind` for an
/// unknown kind, `bad_usage` for a field that the kind does not have, `bad_value`.
Result<wire::PublishT> publish_request(const Arguments& args, const std::string& own_job,
                                       const std::string& own_attempt);

}  // namespace luzia
