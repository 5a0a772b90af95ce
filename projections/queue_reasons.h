// Why queued jobs do not start, as rows. The answer comes from the scheduler (engine/queue/scheduler.h),
// either the running one or one that is set up from rows, so its rules exist only once.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "engine/queue/scheduler.h"
#include "engine/view/view_store.h"
#include "view.fb.h"

namespace luzia {

/// Without an estimate. `subjects`: for a limit its name, followed by the jobs that hold its slots while they
/// wait for a person.
view::WaitingT waiting_row(const std::string& job, const Waiting& waiting);

/// Sets `blocked_by`, `blocked_why`, `place`, `first_ahead` and `estimated_wait_ms`. `waiting` nullopt: the
/// job is not queued any more.
void tell_reason(view::QueueEntryT& entry, std::optional<view::WaitingT> waiting, TimeUs now);

/// The scheduler in the state of the rows, as far as rows have it. Limits in the configuration and stops by
/// the machine's state are not in the log.
class RowsQueue {
 public:
  explicit RowsQueue(const ViewReader& rows);
  void tell_reason(view::QueueEntryT& entry, TimeUs now) const;

 private:
  Queue queue_;
  std::map<std::string, JobState, std::less<>> queued_;
};

}  // namespace luzia
