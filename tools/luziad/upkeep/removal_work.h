// Carries out JobRemoved events once they are durable: removes the job's directory and, after a purge, its
// texts. Each part can safely be repeated, so if a daemon is killed at any point, the next one continues.
//
// STORE/removed holds the log position up to which everything is carried out; removals that the rows list
// after it (visit_removals) are due. Without that file, all removals are checked again. A removal that fails,
// for example because a file is immutable, is reported and retried every hour and at each start. It does not
// delay others. Rejected: an event for each completed removal, of which the log would have one per directory.
//
// Loop thread; files and texts are removed on a worker, one removal at a time.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/core/engine.h"
#include "tools/luziad/base/follower.h"
#include "tools/luziad/base/loop.h"
#include "tools/luziad/base/store.h"

namespace luzia {

class RemovalWork final : public Follower {
 public:
  RemovalWork(const Threads& threads, const Store& store, Engine& engine)
      : threads_(threads), store_(store), engine_(engine), timer_(std::make_unique<Timer>(threads.loop)) {}
  ~RemovalWork() { *closed_ = true; }
  RemovalWork(const RemovalWork&) = delete;
  RemovalWork& operator=(const RemovalWork&) = delete;

  /// Call it at the daemon's start, and when a removal has become durable.
  void look();
  /// What is not carried out, and why, in one line; empty if nothing is left.
  std::string left() const;
  void close() override { timer_.reset(); }

 private:
  struct Round;
  void begin();
  void over(Round& round);
  void submit_rest(const Round& round);

  Threads threads_;
  Store store_;
  Engine& engine_;
  std::unique_ptr<Timer> timer_;  // null once closed
  bool working_ = false;
  bool again_ = false;             // another removal came meanwhile
  std::set<Position> done_;        // by this daemon, after the position in STORE/removed
  std::vector<std::string> left_;  // the reason for each failed removal
  std::shared_ptr<bool> closed_ = std::make_shared<bool>(false);  // shared with work in progress
};

}  // namespace luzia
