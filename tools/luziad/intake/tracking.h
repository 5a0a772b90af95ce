// Requests to put an existing process or log file under watch. The process must be the caller's own, and the
// log one that the caller may read: the daemon looks at it with the rights of the account that the caller's
// jobs run as, then and whenever it reads on. Loop thread.
#pragma once

#include <memory>

#include "tools/luziad/base/desk.h"
#include "tools/luziad/intake/intake.h"

namespace luzia {

class Tracking {
 public:
  Tracking(Workers& workers, const Desk& desk, Intake& intake)
      : workers_(workers), desk_(desk), intake_(intake) {}

  /// Errors (usage): `nothing_to_track`, `bad_log`, `bad_title`.
  static Status check(const Caller& caller, const wire::TrackJob& request);
  /// Errors: `no_process`, `no_log` (not found); `user_not_allowed`, `log_unreadable`, `already_tracked`,
  /// `too_many_tracked` (refused); `unknown_project`.
  Status take(const RequestId& to, const Caller& caller, const wire::TrackJob& request);

 private:
  struct Order;
  /// Fills in everything that needs no file system but /proc.
  Status prepare(const Caller& caller, const wire::TrackJobT& request, Order& order) const;
  Status has_room(const schema::JobTrackedT& work) const;
  Status submit(const RequestId& to, Order& order);

  Workers& workers_;
  Desk desk_;
  Intake& intake_;
};

}  // namespace luzia
