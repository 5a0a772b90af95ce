// The log that known issues are looked for in: builds, tests, services and an agent's own words, and one line
// in 1,000 that tells of a problem; and reading it in blocks of whole lines, as a worker of the daemon does.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace luzia::bench {

/// Lines of problems that every build knows; `#` is the line's number.
std::vector<std::string> usual_issues();

/// Writes at least `bytes` to output.log in `folder`, which is made; its path.
std::string write_issue_log(const std::string& folder, std::uint64_t bytes,
                            const std::vector<std::string>& issues);

/// GB/s of `each(block)` over the first `most` bytes of the file, reading included.
double over_issue_log(const std::string& path, std::uint64_t most,
                      const std::function<void(std::string_view)>& each);

}  // namespace luzia::bench
