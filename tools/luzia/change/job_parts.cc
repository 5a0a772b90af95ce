#include "tools/luzia/change/job_parts.h"

#include <algorithm>

#include "engine/base/hash.h"

namespace luzia {

std::deque<std::vector<std::string>> job_parts(const std::vector<std::string>& jobs, std::size_t most) {
  std::deque<std::vector<std::string>> parts;
  for (auto from = jobs.begin(); from != jobs.end();) {
    const auto to = from + std::min(static_cast<std::ptrdiff_t>(most), jobs.end() - from);
    parts.emplace_back(from, to);
    from = to;
  }
  return parts;
}

std::string part_command_id(const std::string& command_id, const std::vector<std::string>& jobs) {
  std::string all;
  for (const std::string& job : jobs) all += job + '\n';
  return command_id + '-' + std::to_string(checksum64(as_bytes(all)));
}

std::deque<std::vector<std::string>> halves_of(const std::vector<std::string>& jobs) {
  const auto middle = jobs.begin() + static_cast<std::ptrdiff_t>(jobs.size() / 2);
  return {std::vector<std::string>(jobs.begin(), middle), std::vector<std::string>(middle, jobs.end())};
}

}  // namespace luzia
