// Watches free space on the disks of store and jobs, so that jobs wait in the queue instead of failing for
// lack of it. Loop thread. The jobs' disk may be a network mount that is gone, so a separate thread checks it
// (run_aside). While it does not respond, its last result stays valid.
//
// Checks happen when the loop runs anyway, and every other second while space is lacking. If a disk fills up
// in between, a launch waits too (Attempts).
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

  /// Call it in each turn of the loop. Returns whether lack() or spent() has changed.
  bool turn(TimeUs monotonic);
  /// Why nothing new starts; empty: there is space.
  const std::string& lack() const { return lack_; }
  /// Whether new jobs are refused too.
  bool spent() const { return room_ == DiskRoom::spent; }
  void close() { timer_.reset(); }

 private:
  void look_at_store(TimeUs monotonic);
  void look_at_jobs(TimeUs monotonic);

  const Mailbox& mailbox_;
  const std::string& store_;
  std::function<std::string()> jobs_root_;
  std::unique_ptr<Timer> timer_;  // runs while space is scarce; null once closed
  DiskRoom room_ = DiskRoom::plenty;
  std::string store_lack_, jobs_lack_, lack_;
  TimeUs store_seen_at_ = 0, jobs_seen_at_ = 0;  // monotonic; 0: not yet
  bool looks_at_jobs_ = false;
};

}  // namespace luzia
