// The composition root: opens the store, connects log, engine, views, watcher, launcher and socket, and runs
// the loop until it is told to stop.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/base/result.h"

namespace luzia {

struct DaemonOptions {
  std::string store;            // empty: the configuration's
  std::string config_file;      // empty: the default places
  bool accept_log_end = false;  // a person accepted the log up to the point where it is intact
  std::optional<int> inherited_socket;
  std::optional<int> held_lock;  // of the store, held by this process already
  std::string given_limits;      // for attempts: raise_limits()
  std::string runner_program;    // luzia-run
  std::string client_program;    // luzia, which prepares files before attempts; empty: not found
  std::string patterns_folder;   // precompiled patterns of known issues; empty: not found
};

/// Why the loop ended.
enum class DaemonEnding {
  stopped,                 // in an orderly way
  restart,                 // log or rows failed: restart from what the log contains
  restart_with_new_views,  // new views were built beside the old ones: make_new_views()
  restart_without_views,   // they cannot be read: replay the log before the socket opens
  store_gone,              // the store was deleted or moved
  socket_gone,             // its socket was deleted: start over to bind another
  socket_taken             // whoever listens there now starts the next daemon
};

class Daemon {
 public:
  /// Starts everything, including listening. Errors are complete sentences for the person who started it.
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
