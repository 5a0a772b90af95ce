// Why queued jobs do not start, in rows: as the scheduler (engine/queue/scheduler.h) says, asked directly or
// set up from rows. There is no second copy of its rules.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "engine/queue/scheduler.h"
#include "engine/view/view_store.h"
#include "view.fb.h"

namespace luzia {

/// Without an estimate. `subjects`: of a limit its name, then the jobs that hold its slots while they wait
/// for a person.
view::WaitingT waiting_row(const std::string& job, const Waiting& waiting);

/// Fills `blocked_by` and `blocked_why`. `waiting` nullopt: it is not queued any more.
void tell_reason(view::QueueEntryT& entry, const std::optional<Waiting>& waiting, TimeUs now);

/// The scheduler as it stood when the rows were written, as far as rows tell: limits of the configuration and
/// gates of the machine are not in the log.
class RowsQueue {
 public:
  explicit RowsQueue(const ViewReader& rows);
  void tell_reason(view::QueueEntryT& entry, TimeUs now) const;

 private:
  Queue queue_;
  std::map<std::string, JobState, std::less<>> queued_;
};

}  // namespace luzia
