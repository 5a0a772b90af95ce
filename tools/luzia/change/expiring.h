// What [keep] of the daemon's configuration lets go of, for gc. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/luzia/asking.h"

namespace luzia {

struct ExpiringByRule {
  std::string rule;  // "outputs = 30d"
  std::uint64_t jobs = 0, bytes = 0;
};

/// By rule; empty if no rule is set, or if the daemon does not tell this caller.
std::vector<ExpiringByRule> what_expires(Client& client);
std::uint64_t jobs_of(const std::vector<ExpiringByRule>& rules);
void print_expiring(Invocation& invocation, const std::vector<ExpiringByRule>& rules);
/// Has the daemon do it now; returns what it says.
Result<std::string> let_expire(Client& client);

}  // namespace luzia
