// Where answers come from: the daemon that runs on the store, or the store itself, opened for reading.
// Commands do not know which. One thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "adapters/socket/vigil.h"
#include "projections/query.h"
#include "tools/cli/command.h"

namespace luzia {

class Source {
 public:
  virtual ~Source() = default;

  /// Whether a daemon answers, which knows of what happens now.
  virtual bool is_daemon() const = 0;

  /// Where the log that is read ends. 0 of a daemon, whose log goes on.
  virtual Result<Position> end() = 0;

  /// One page, as run_query gives it.
  virtual Result<RowPage> query(const wire::QueryT& query) = 0;

  /// Walks the hash chain and compares the rows with a replay. The sentence to show, or what is wrong and
  /// where (see is_finding()).
  virtual Result<std::string> verify(const ProgressSink& progress) = 0;
  /// Drops the rows and replays the log into new ones. Returns when they answer again.
  virtual Result<std::string> rebuild(const ProgressSink& progress) = 0;
  /// Copies the log to `target`, an absolute path, and verifies the copy.
  virtual Result<std::string> backup(const std::string& target, const ProgressSink& progress) = 0;
};

/// Whether an error of verify() says that the store is not what it should be, in contrast to one that kept
/// us from looking.
bool is_finding(const Error& error);

struct SourceOptions {
  std::string store;             // absolute; empty: unknown, only `socket` is
  std::string socket;            // of the daemon; empty: the store's
  bool offline = false;          // do not ask the daemon even if there is one
  TimeUs now = 0;                // as of QuerySources, where the store itself is read
  TimeUs flows_ended_since = 0;  // likewise
  SilenceLimit silence = {};     // of the daemon
};

/// `no_store` (trouble) when `store` is unknown.
Status need_store(const std::string& store);

}  // namespace luzia
