// An approval that nobody waits for any more. One thread per DaemonLink.
#pragma once

#include <string>

#include "tools/luzia/person.h"

namespace luzia {

/// Denies it: what nobody waits for must not be approved, and must not hold the job up until a person looks.
/// Nothing happens where it was decided meanwhile or is gone with its job.
void withdraw_approval(DaemonLink& link, const PutInput& put, const std::string& why);

}  // namespace luzia
