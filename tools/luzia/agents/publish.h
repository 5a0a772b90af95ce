// The request of `publish`, made from its words.
#pragma once

#include <string>

#include "protocol.fb.h"
#include "tools/cli/arguments.h"

namespace luzia {

/// `own_job` and `own_attempt`: of the job that this runs in, or empty. `bad_kind`, `bad_usage` (usage) for
/// unknown kinds, and for fields that the kind does not have.
Result<wire::PublishT> publish_request(const Arguments& args, const std::string& own_job,
                                       const std::string& own_attempt);

}  // namespace luzia
