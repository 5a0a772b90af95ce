// Generates the log for the search for known issues: builds, tests, services and an agent's words, with one
// problem in 1,000 lines. Also reads it in blocks of whole lines, like a worker of the daemon.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace luzia::bench {

/// Problem lines that every build knows; `#` stands for the line's number.
std::vector<std::string> usual_issues();

/// Creates `folder` and writes at least `bytes` to output.log in it; returns the file's path.
std::string write_issue_log(const std::string& folder, std::uint64_t bytes,
                            const std::vector<std::string>& issues);

/// GB/s of calling `each(block)` over the first `most` bytes of the file, including reading.
double over_issue_log(const std::string& path, std::uint64_t most,
                      const std::function<void(std::string_view)>& each);

}  // namespace luzia::bench
