// Whether jobs may start on this machine now: while its load, memory and pressure allow it ([gates]) and its
// disks have room. Without room for more than cancelling, new jobs are refused too. Loop thread.
#pragma once

#include <memory>
#include <string>

#include "adapters/config/config.h"
#include "engine/core/engine.h"
#include "tools/luziad/base/follower.h"
#include "tools/luziad/base/loop.h"
#include "tools/luziad/upkeep/gates.h"
#include "tools/luziad/upkeep/room_watch.h"

namespace luzia {

class Admission final : public Follower {
 public:
  /// All outlive it; `config` may be another one after config_changed().
  Admission(uv_loop_t* loop, const Mailbox& mailbox, const Config& config, const std::string& store,
            Engine& engine);

  /// In each turn of the loop, before the engine's.
  void turn(TimeUs monotonic);
  /// Why nothing new starts for want of room on a disk; empty: there is room.
  const std::string& lack_of_room() const { return room_.lack(); }
  void config_changed() override;
  void close() override;

 private:
  void look_at_room(TimeUs monotonic);
  void look_at_gates();

  const Config& config_;
  const std::string& store_;
  Engine& engine_;
  RoomWatch room_;
  Gates gates_;
  std::string gates_closed_;           // why, or empty
  std::unique_ptr<Timer> gate_timer_;  // runs while jobs are queued and there are gates; null once closed
};

}  // namespace luzia
