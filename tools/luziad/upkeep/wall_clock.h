// The wall clock beside the one that only goes on. A step of it moves the deadlines of jobs, is recorded, and
// is kept in STORE/clock, so that the next daemon sees one that came while none ran. Loop thread.
#pragma once

#include <optional>
#include <string>

#include "engine/core/engine.h"
#include "tools/luziad/base/follower.h"
#include "tools/luziad/upkeep/clock_record.h"
#include "tools/luziad/upkeep/clock_watch.h"

namespace luzia {

class WallClock final : public Follower {
 public:
  /// Both outlive it.
  WallClock(const std::string& store, std::string boot_id, const EventLog& log, Engine& engine);

  /// By how much it has stepped since the last look, 0: no more than drift. The engine has heard of it.
  TimeUs look(TimeUs now, TimeUs monotonic);
  void committed(const std::shared_ptr<const Group>& group) override;
  /// Nothing is written any more.
  void close() override { closed_ = true; }

 private:
  void record();

  ClockRecord record_;
  ClockWatch watch_;
  Engine& engine_;
  int to_record_ = 0;                    // writes that wait until what they count is durable
  std::optional<Position> recorded_at_;  // by this daemon
  bool closed_ = false;
};

}  // namespace luzia
