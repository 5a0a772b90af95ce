// Says why queued jobs do not start: a pause, a breaker, a budget, a drain, a limit, no room. One thread.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tools/luzia/asking.h"

namespace luzia {

class Standstill {
 public:
  /// A line for each cause that was not reported before, with the job or the number of jobs that it keeps. A
  /// job that only waits for its turn, its dependencies or its time does not stand still.
  std::vector<std::string> news(const std::vector<const view::QueueEntry*>& queue);

 private:
  std::set<std::string> reported_;  // causes
};

/// Asks for the queue rows of these jobs and says the news on standard error. Nothing with --json or --quiet,
/// and if the daemon cannot say: waiting matters more.
void report_standstill(Invocation& invocation, Client& client, const std::vector<std::string>& jobs,
                       Standstill& standstill);

}  // namespace luzia
