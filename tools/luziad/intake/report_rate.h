// Limits how often reports about one job may be published, and how often a user may begin tasks by reports,
// so that a loop does not fill the store: 1,000 at once, and one more for each second since. Loop thread.
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

  /// Counts a report. `whose`, for people: the job that it is about, or the user who begins a task by it.
  /// `too_many_reports` (refused): not now. `now`: monotonic.
  Status count(const std::string& whose, TimeUs now);

 private:
  std::map<std::string, TimeUs> used_up_until_;  // of those who used up a part
  TimeUs swept_ = 0;
};

}  // namespace luzia
