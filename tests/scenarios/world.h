// A small world around the engine: an in-memory log, a clock that the test sets, and effects that are only
// recorded.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "adapters/memory/memory_event_log.h"
#include "adapters/memory/memory_history.h"
#include "engine/core/engine.h"

namespace luzia {

class World {
 public:
  World();
  ~World();

  MemoryEventLog& log() { return log_; }
  Engine& engine() { return *engine_; }
  TimeUs now = kSecondUs;
  Capacity capacity{4};
  std::string boot_id = "boot-1";

  /// Submits a command, gives the engine its turn, and waits until everything is durable or has failed.
  Result<Outcome> order(const std::string& job, JobCommand command, const std::string& command_id = {});
  Result<Outcome> submit(CommandMeta meta, Command command);
  /// Submits a command of the daemon itself.
  Result<Outcome> monitor(const std::string& job, JobCommand command);
  /// Submits without waiting. The reply is stored in `reply`, which must outlive it.
  void submit_only(CommandMeta meta, Command command, std::optional<Result<Outcome>>& reply);
  /// Gives the engine its turn and delivers all commit outcomes to it.
  void settle();
  /// As settle(), for a group that is expected to fail.
  void settle_failure();
  /// Gives the engine its turn but delivers no outcomes.
  void turn() { engine_->turn(now); }
  /// Ends the engine and starts a new one from the log alone.
  void restart();

  /// Events, and effects requested, since the last call.
  std::vector<std::string> take_events();
  std::vector<Effect> take_effects();
  /// "FLOW STEP" for each step that became ready to dispatch since the last call.
  std::vector<std::string> take_ready_steps() { return std::exchange(ready_steps_, {}); }
  /// Jobs reported as ended since the last call.
  std::vector<std::string> take_ended() { return std::exchange(ended_, {}); }

 private:
  void open();
  bool bring_outcomes();

  MemoryEventLog log_;
  MemoryHistory history_{log_};
  std::mutex mutex_;
  std::condition_variable told_;
  std::vector<CommitOutcome> outcomes_;  // guarded by mutex_
  std::unique_ptr<Committer> committer_;
  std::unique_ptr<Engine> engine_;
  std::vector<Effect> effects_;
  std::vector<std::string> ended_;
  std::vector<std::string> ready_steps_;
  Position seen_ = 0;
};

/// A QueueJob command with only its required fields.
QueueJob simple_job(const std::string& id);

}  // namespace luzia
