// Watches the room on the disks of store and jobs, so that nothing starts where it would fail for want of it:
// queued jobs wait. Loop thread; the jobs' disk, which may be a network mount that is gone, is looked at
// aside (run_aside): while it does not answer, what it said last holds.
//
// It looks when the daemon does something anyway, and every other second while room is missing. What starts
// on a disk that fills up in between waits too (Attempts).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tools/luziad/base/loop.h"
#include "tools/luziad/upkeep/disk_room.h"

namespace luzia {

class RoomWatch {
 public:
  RoomWatch(uv_loop_t* loop, const Mailbox& mailbox, const std::string& store,
            std::function<std::string()> jobs_root)
      : mailbox_(mailbox),
        store_(store),
        jobs_root_(std::move(jobs_root)),
        timer_(std::make_unique<Timer>(loop)) {}

  /// In each turn of the loop. Whether lack() or spent() has changed.
  bool turn(TimeUs monotonic);
  /// Why nothing new starts; empty: there is room.
  const std::string& lack() const { return lack_; }
  /// Nor is anything new taken.
  bool spent() const { return room_ == DiskRoom::spent; }
  void close() { timer_.reset(); }

 private:
  void look_at_store(TimeUs monotonic);
  void look_at_jobs(TimeUs monotonic);

  const Mailbox& mailbox_;
  const std::string& store_;
  std::function<std::string()> jobs_root_;
  std::unique_ptr<Timer> timer_;  // runs while there is not plenty; null once closed
  DiskRoom room_ = DiskRoom::plenty;
  std::string store_lack_, jobs_lack_, lack_;
  TimeUs store_seen_at_ = 0, jobs_seen_at_ = 0;  // monotonic; 0: not yet
  bool looks_at_jobs_ = false;
};

}  // namespace luzia
