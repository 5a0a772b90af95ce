// Ranges of a job's output, and the prompt of its agent. Waits for the daemon: for worker threads.
#pragma once

#include "tools/luzia-web/daemon_door.h"
#include "tools/luzia-web/routes.h"

namespace luzia::web {

/// Where a range begins: from the start, or from the end.
struct Range {
  std::uint64_t from = 0;
  bool before_end = false;
  std::uint64_t limit = 0;
  std::uint32_t attempt = 0;  // 0: the newest
};

/// `bad_value` (usage).
Result<Range> range_of(const Request& request);

/// The output of an attempt as the log knew it at the moment that the parameter `at` names.
inline constexpr std::uint64_t kNoEnd = ~std::uint64_t{0};
struct KnownOutput {
  std::uint32_t attempt = 0;   // 0: the newest; of now
  std::uint64_t size = 0;      // as it was recorded
  std::uint64_t end = kNoEnd;  // later bytes were not known then; kNoEnd: it is of now, or had ended
};
/// `no_such_job`, `no_such_attempt` (not_found), `bad_value` (usage).
Result<KnownOutput> known_output(const DaemonDoor& door, const std::string& device, const std::string& job,
                                 std::uint32_t attempt, const Request& request);

/// GET /v1/jobs/{job}/output: the bytes, with Luzia-Offset and Luzia-Size.
Answer output(const DaemonDoor& door, const std::string& device, const Match& match, const Request& request);

/// GET /v1/jobs/{job}/prompt: the prompt of the last attempt, as its job directory has it. `no_such_job`,
/// `no_prompt` (not_found): it has not begun, its directory is gone, or what is there is not its owner's.
Answer prompt(const DaemonDoor& door, const std::string& device, const Match& match);

}  // namespace luzia::web
