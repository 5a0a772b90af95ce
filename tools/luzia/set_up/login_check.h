// Asks an agent's program whether it is logged in.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace luzia {

enum class LoginCheck { good, bad, unknown };

/// Runs `program` with `words` (none: `unknown`), in its own session, without input and output, with `env`
/// beside the caller's variables. Exit code 0 is good, 1 is bad. After five seconds it is stopped, and
/// the answer is unknown: an older release takes the words for a task. Blocks.
LoginCheck check_login(const std::string& program, const std::vector<std::string>& words,
                       const std::map<std::string, std::string>& env);

}  // namespace luzia
