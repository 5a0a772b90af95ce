// A daemon's core on a disk that can fail: log, views, committer and engine, stepped in one thread. It runs a
// fixed script of commands and keeps what each client was told, for comparison with the log afterwards.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "engine/core/engine.h"
#include "engine/view/rocks_view_store.h"
#include "projections/store_history.h"
#include "tests/crash/fragile_disk.h"

namespace luzia::test {

/// The last reply to the client of command number i.
struct Heard {
  bool acknowledged = false, repeated = false;
  std::string error;  // its error code
};

class FaultyLife {
 public:
  static constexpr int kCommands = 10;

  /// Opens the store, catches up the views and loads the engine. Returns the error that the daemon would
  /// show.
  static Result<std::unique_ptr<FaultyLife>> start(const std::string& store, rocksdb::Env* env);

  /// Sends command i: queue job i with a prompt, under the command id of i. Returns whether the client got a
  /// reply; heard() holds the reply.
  void send(int i);
  /// Does the script's other work: syncs the watermark, flushes the log, writes rows. Failures stay inside
  /// log and views.
  void upkeep();

  const Heard& heard(int i) const { return heard_.at(i); }
  bool stopped() const { return engine_->failed(); }
  const EventLog& log() const { return *log_; }
  EventLog& log() { return *log_; }
  const ViewStore& views() const { return *views_; }

  static std::string command_id(int i) { return "command-" + std::to_string(i); }
  static std::string job_of(int i) { return "job" + std::to_string(i); }
  static std::string prompt_of(int i) { return std::string(1'000, static_cast<char>('a' + i % 26)); }

 private:
  FaultyLife() = default;

  std::unique_ptr<EventLog> log_;
  std::unique_ptr<ViewStore> views_;
  std::unique_ptr<StoreHistory> history_;
  std::unique_ptr<Committer> committer_;
  std::unique_ptr<Engine> engine_;
  std::map<int, Heard> heard_;
  TimeUs now_ = 1'767'225'600'000'000;
};

}  // namespace luzia::test
