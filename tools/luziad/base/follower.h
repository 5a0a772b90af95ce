// Notifications that parts of the daemon may receive besides requests. The daemon keeps all followers in one
// list and notifies them in order; a part overrides what it needs. Loop thread.
#pragma once

#include <memory>

#include "engine/base/time.h"
#include "engine/job/job.h"
#include "engine/log/group.h"

namespace luzia {

class Follower {
 public:
  virtual ~Follower() = default;
  /// The job's state changed durably. Not called for a removed job.
  virtual void job_changed(const JobState& /*job*/) {}
  /// A group is on disk, and the engine has carried out its consequences. Called in order, once per group.
  virtual void committed(const std::shared_ptr<const Group>& /*group*/) {}
  /// The configuration was read again.
  virtual void config_changed() {}
  /// The wall clock was set forward by `step` (negative: back). Deadlines of jobs have already moved.
  virtual void clock_stepped(TimeUs /*step*/) {}
  /// The daemon is stopping: begin nothing new, and leave no open handle on the loop.
  virtual void close() {}
};

}  // namespace luzia
