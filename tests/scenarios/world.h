// A small world around the engine for tests: log in memory, a clock that the test sets, effects that are only
// noted.
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

  /// Submits, lets the engine take its turn, and waits until everything is durable (or has failed).
  Result<Outcome> order(const std::string& job, JobCommand command, const std::string& command_id = {});
  Result<Outcome> submit(CommandMeta meta, Command command);
  /// As the daemon itself orders it.
  Result<Outcome> monitor(const std::string& job, JobCommand command);
  /// Without waiting: the reply appears in `reply` when it is given.
  void submit_only(CommandMeta meta, Command command, std::optional<Result<Outcome>>& reply);
  /// Takes the turn and brings all outcomes to the engine.
  void settle();
  /// As settle(), for a group that is known to fail.
  void settle_failure();
  /// Hands over without bringing outcomes back.
  void turn() { engine_->turn(now); }
  /// Ends the engine and starts another from the log alone.
  void restart();

  /// Events since the last call, and effects named since the last call.
  std::vector<std::string> take_events();
  std::vector<Effect> take_effects();
  /// "FLOW STEP" of steps named to be handed over since the last call.
  std::vector<std::string> take_ready_steps() { return std::exchange(ready_steps_, {}); }
  /// Jobs told as changed while terminal since the last call.
  std::vector<std::string> take_ended() { return std::exchange(ended_, {}); }

 private:
  void open();
  bool bring_outcomes();

  MemoryEventLog log_;
  MemoryHistory history_{log_};
  std::mutex mutex_;
  std::condition_variable told_;
  std::vector<CommitOutcome> outcomes_;  // under mutex_
  std::unique_ptr<Committer> committer_;
  std::unique_ptr<Engine> engine_;
  std::vector<Effect> effects_;
  std::vector<std::string> ended_;
  std::vector<std::string> ready_steps_;
  Position seen_ = 0;
};

/// A queue order with the least that a job needs.
QueueJob simple_job(const std::string& id);

}  // namespace luzia
