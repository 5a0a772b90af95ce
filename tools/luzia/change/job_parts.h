// Splits a command about more jobs than fit into one group of the log. Each part is all or nothing.
#pragma once

#include <deque>
#include <string>
#include <vector>

namespace luzia {

/// The jobs in their order, at most `most` in each part.
std::deque<std::vector<std::string>> job_parts(const std::vector<std::string>& jobs, std::size_t most);

/// The command id of a part, made of the whole command's id and the jobs in it: repeating a part takes effect
/// once.
std::string part_command_id(const std::string& command_id, const std::vector<std::string>& jobs);

/// Splits a part that was too large in two.
std::deque<std::vector<std::string>> halves_of(const std::vector<std::string>& jobs);

}  // namespace luzia
