// The port that read commands query: the daemon that runs on the store, or the store itself, opened for
// reading. Commands do not know which. One thread.
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

  /// Whether a daemon answers, so that the rows are kept up to date.
  virtual bool is_daemon() const = 0;

  /// The last position of the log that is read. 0 for a daemon, whose log keeps growing.
  virtual Result<Position> end() = 0;

  /// One page of rows; as run_query().
  virtual Result<RowPage> query(const wire::QueryT& query) = 0;
  /// The rows of all pages, at most `limit` (0: all), as collect_pages() says.
  virtual Result<RowPage> collect(const wire::QueryT& query, std::size_t limit);

  /// A job's output from `offset` on; empty from the store itself, which holds no output.
  virtual Result<std::string> output_from(const std::string& job, std::uint64_t offset) = 0;

  /// Verifies the hash chain and compares the rows with a replay. Returns the sentence to show, or an error
  /// that says what is wrong and where (see is_finding()).
  virtual Result<std::string> verify(const ProgressSink& progress) = 0;
  /// Rebuilds the rows by replaying the log. Returns when queries are answered again.
  virtual Result<std::string> rebuild(const ProgressSink& progress) = 0;
  /// Copies the log to `target`, an absolute path, and verifies the copy.
  virtual Result<std::string> backup(const std::string& target, const ProgressSink& progress) = 0;
};

/// Whether an error of verify() is a fault of the store; false: verification itself was not possible.
bool is_finding(const Error& error);

/// A query of a view; without a filter it takes all that is not hidden.
inline wire::QueryT view_query(wire::View view,
                               std::unique_ptr<wire::FilterT> filter = std::make_unique<wire::FilterT>()) {
  wire::QueryT query;
  query.view = view;
  query.filter = std::move(filter);
  return query;
}

struct SourceOptions {
  std::string store;             // absolute; empty: unknown, only `socket` is known
  std::string socket;            // of the daemon; empty: derive it from `store`
  bool offline = false;          // read the store even if a daemon runs
  TimeUs now = 0;                // for reading the store itself: as in QuerySources
  TimeUs flows_ended_since = 0;  // likewise
  SilenceLimit silence = {};     // how long the daemon may stay silent
};

/// `no_store` (trouble): `store` is unknown.
Status need_store(const std::string& store);

}  // namespace luzia
