// Commands about more jobs than one group of the log takes: sent in parts, each all or nothing.
#pragma once

#include <deque>
#include <string>
#include <vector>

namespace luzia {

/// The jobs in their order, at most `most` in each part.
std::deque<std::vector<std::string>> job_parts(const std::vector<std::string>& jobs, std::size_t most);

/// A command id of a part: that of the whole, and which jobs are in it. The same part sent again takes effect
/// once.
std::string part_command_id(const std::string& command_id, const std::vector<std::string>& jobs);

/// Two parts in place of one of several jobs that was too large.
std::deque<std::vector<std::string>> halves_of(const std::vector<std::string>& jobs);

}  // namespace luzia
