// Watches the machine while there are jobs: memory, its pressure, load, the store's disk. Decides by
// engine/alert/alert.h and stages what follows on stream "system". Loop thread.
//
// One timer samples while jobs run or are queued. Without any it does not wake the daemon; an alert that is
// still open then is looked at whenever something else does, so that who asks is told the truth.
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

/// As the kernel tells now; `proc` and `store` are where to look.
MachineReading read_machine(const std::string& store, const std::string& proc = "/proc");

class MachineMonitor final : public Follower {
 public:
  using Stage = std::function<void(schema::AlertFactUnion)>;

  MachineMonitor(uv_loop_t* loop, const Config& config, const std::string& store, Stage stage)
      : config_(config), store_(store), stage_(std::move(stage)), timer_(std::make_unique<Timer>(loop)) {}

  /// Start: the alerts that the log says are open; those whose condition is gone end with the first turn.
  void load(const ViewReader& rows);
  /// In each turn of the loop. `busy`: jobs run or are queued.
  void turn(TimeUs monotonic, bool busy);
  /// The configuration was read again: the next turn looks at once.
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
