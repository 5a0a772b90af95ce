// Compares the wall clock with the monotonic one. A step moves the deadlines of jobs and is recorded. It is
// also stored in STORE/clock, so that the next daemon detects a step while none ran. Loop thread.
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
  /// Both must outlive this.
  WallClock(const std::string& store, std::string boot_id, const EventLog& log, Engine& engine);

  /// The step since the last call; 0: only drift. Notifies the engine of it.
  TimeUs look(TimeUs now, TimeUs monotonic);
  void committed(const std::shared_ptr<const Group>& group) override;
  /// Writes nothing from now on.
  void close() override { closed_ = true; }

 private:
  void record();

  ClockRecord record_;
  ClockWatch watch_;
  Engine& engine_;
  int to_record_ = 0;                    // writes that wait until the steps they include are durable
  std::optional<Position> recorded_at_;  // by this daemon
  bool closed_ = false;
};

}  // namespace luzia
