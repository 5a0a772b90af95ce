// The composition root: opens the store, joins log, engine, views, watcher, launcher and socket, and runs the
// loop until it is told to stop.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/base/result.h"

namespace luzia {

struct DaemonOptions {
  std::string store;            // empty: the configuration's
  std::string config_file;      // empty: the usual places
  bool accept_log_end = false;  // a person has decided that the log is good as far as it goes
  std::optional<int> inherited_socket;
  std::optional<int> held_lock;  // of the store, by this process already
  std::string given_limits;      // of attempts: raise_limits()
  std::string runner_program;    // luzia-run
  std::string client_program;    // luzia, which looks after files before attempts; empty: not found
  std::string patterns_folder;   // patterns of known issues that came compiled; empty: not found
};

/// Why the loop ended.
enum class DaemonEnding {
  stopped,                 // in good order
  restart,                 // log or rows failed: start over from what the log proves
  restart_with_new_views,  // they were made beside the old ones: make_new_views()
  restart_without_views,   // they cannot be read: replayed before the socket opens
  store_gone               // somebody has deleted the store, or put it elsewhere
};

class Daemon {
 public:
  /// Everything up to listening. Errors are complete sentences for the person who started it.
  static Result<std::unique_ptr<Daemon>> open(DaemonOptions options);
  ~Daemon();

  DaemonEnding run();
  const std::string& store() const;

 private:
  Daemon();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace luzia
