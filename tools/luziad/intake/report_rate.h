// Limits how often reports about one job may be published, so that a job that publishes in a loop does not
// fill the store: 1,000 at once, and one more for each second since. Loop thread.
//
// Rejected: a limit for the whole attempt, as for what is found in output. A tracked task that reports once a
// minute for months would meet it; and its end is a report, too.
#pragma once

#include <map>
#include <string>

#include "engine/base/result.h"
#include "engine/base/time.h"

namespace luzia {

class ReportRate {
 public:
  static constexpr TimeUs kEach = kSecondUs, kMostAtOnce = 1'000;

  /// Counts a report about the job. `too_many_reports` (refused): not now. `now`: monotonic.
  Status count(const std::string& job, TimeUs now);

 private:
  std::map<std::string, TimeUs> used_up_until_;  // of jobs with a report in their last 1,000 seconds
  TimeUs swept_ = 0;
};

}  // namespace luzia
