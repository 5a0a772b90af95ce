// Says why queued jobs do not start: a pause, a breaker, a budget, a drain, a limit, no room, their turn. One
// thread.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tools/luzia/asking.h"

namespace luzia {

/// Reasons that people should know of although they did not ask: a job that only waits for its turn, its
/// dependencies or its time does not stand still. Or every reason.
enum class Reasons { standstill, every };

class Standstill {
 public:
  explicit Standstill(Reasons wanted) : wanted_(wanted) {}
  /// A line for each cause that the last call did not report, with the job or the number of jobs that it
  /// keeps.
  std::vector<std::string> news(const std::vector<const view::QueueEntry*>& queue);

 private:
  Reasons wanted_;
  std::set<std::string> reported_;  // causes
};

/// Asks for the queue rows of these jobs and says the news on standard error. Nothing with --json or --quiet,
/// and if the daemon cannot say: waiting matters more. Returns whether one of the jobs is queued.
bool report_standstill(Invocation& invocation, Client& client, const std::vector<std::string>& jobs,
                       Standstill& standstill);

}  // namespace luzia
