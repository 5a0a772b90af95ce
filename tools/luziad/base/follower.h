// What a part of the daemon may hear of beside its own requests. The daemon holds those that listen in one
// list, and tells each in turn; a part overrides what concerns it. Loop thread.
#pragma once

#include <memory>

#include "engine/base/time.h"
#include "engine/job/job.h"
#include "engine/log/group.h"

namespace luzia {

class Follower {
 public:
  virtual ~Follower() = default;
  /// The job's state changed durably. Not of a removed job.
  virtual void job_changed(const JobState& /*job*/) {}
  /// A group is on disk, and the engine has carried out what follows from it. In order, each once.
  virtual void committed(const std::shared_ptr<const Group>& /*group*/) {}
  /// The configuration was read again.
  virtual void config_changed() {}
  /// The wall clock was set forward by so much (back: less than 0); deadlines of jobs have moved already.
  virtual void clock_stepped(TimeUs /*step*/) {}
  /// The daemon ends: nothing is begun any more, and no handle on the loop stays open.
  virtual void close() {}
};

}  // namespace luzia
