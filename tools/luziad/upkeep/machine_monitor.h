// Watches the machine while there are jobs: memory, its pressure, load, the store's disk. Decides by
// engine/alert/alert.h and stages the resulting facts on stream "system". Loop thread.
//
// One timer samples while jobs run or are queued. Without jobs it does not wake the daemon. An alert still
// open then is checked whenever something else wakes the loop, so that queries show its true state.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "adapters/config/config.h"
#include "engine/alert/alert.h"
#include "engine/view/view_store.h"
#include "tools/luziad/base/follower.h"
#include "tools/luziad/base/loop.h"

namespace luzia {

/// The limits that [monitor] sets.
AlertLimits alert_limits(const Config& config);

/// The kernel's current values; `proc` and `store` are where to read.
MachineReading read_machine(const std::string& store, const std::string& proc = "/proc");

class MachineMonitor final : public Follower {
 public:
  using Stage = std::function<void(schema::AlertFactUnion)>;

  MachineMonitor(uv_loop_t* loop, const Config& config, const std::string& store, Stage stage)
      : config_(config), store_(store), stage_(std::move(stage)), timer_(std::make_unique<Timer>(loop)) {}

  /// At the start: loads the alerts that are open in the log. Those whose condition is gone end with the
  /// first turn.
  void load(const ViewReader& rows);
  /// Call it in each turn of the loop. `busy`: jobs run or are queued.
  void turn(TimeUs monotonic, bool busy);
  /// The configuration was reloaded: the next turn samples at once.
  void config_changed() override { last_ = 0; }
  void close() override { timer_.reset(); }

 private:
  const Config& config_;
  const std::string& store_;
  Stage stage_;
  AlertWatch watch_;
  TimeUs last_ = 0;               // monotonic, of the last sample; 0: none yet
  std::unique_ptr<Timer> timer_;  // null once closed
};

}  // namespace luzia
