// Decides whether jobs may start on this machine now: load, memory and pressure allow it (the gates of
// [queue]), and its disks have space. If the space suffices only for canceling, new jobs are refused too.
// Loop thread.
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
  /// All must outlive this; the content of `config` may change before config_changed().
  Admission(uv_loop_t* loop, const Mailbox& mailbox, const Config& config, const std::string& store,
            Engine& engine);

  /// Call it in each turn of the loop, before the engine's.
  void turn(TimeUs monotonic);
  /// Why nothing starts for lack of disk space; empty: there is enough.
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
  std::string gates_closed_;           // the reason, or empty
  std::unique_ptr<Timer> gate_timer_;  // runs while jobs are queued and gates set; null once closed
};

}  // namespace luzia
