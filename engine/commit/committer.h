// Group commit: the loop thread adds encoded events; one commit thread writes everything that has gathered as one
// group, fsyncs it, and tells. No added wait when idle.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "engine/log/event_log.h"

namespace luzia {

/// One group's fate. `group` is null when it failed: then nothing from `first` on is durable, and nothing more
/// will be written by this committer.
struct CommitOutcome {
  Position first = 0;
  std::shared_ptr<const Group> group;
  Error error;
};

class Committer {
 public:
  /// `told` is called on the commit thread, in order of positions, after each group's fsync or once on failure.
  Committer(EventLog& log, std::function<void(CommitOutcome)> told);
  /// Writes what was flushed, then ends the thread.
  ~Committer();

  /// Loop thread: adds one event of the next position. Not handed over before flush().
  void add(Bytes encoded_event);
  void add_blob(Position event, Blob blob);
  Position next_position() const { return open_.next_position(); }
  /// Loop thread: hands what was added to the commit thread. Cheap when nothing was added.
  void flush();

 private:
  void run();

  EventLog& log_;
  std::function<void(CommitOutcome)> told_;
  PendingGroup open_;  // loop thread only
  std::mutex mutex_;
  std::condition_variable wake_;
  std::unique_ptr<PendingGroup> handed_;  // under mutex_
  bool stopping_ = false;                 // under mutex_
  std::thread thread_;
};

}  // namespace luzia
