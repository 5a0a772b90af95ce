// Past states: rows folded from the log up to a position, in memory.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/view/fold.h"
#include "engine/view/overlay_store.h"
#include "projections/query.h"

namespace luzia {

/// Rows as they were after the event `position`. One thread at a time; owns its memory.
class PastViews {
 public:
  /// Folds the whole log up to `at`. `cancelled` if a stop is requested meanwhile.
  static Result<PastViews> fold_all(const EventLog& log, Position at, const std::stop_token& stop = {},
                                    FoldThreads threads = FoldThreads::several);
  /// The same, starting with all rows as they were at or before `at`.
  static Result<PastViews> fold_on(const EventLog& log, std::shared_ptr<const ViewReader> earlier,
                                   Position at, const std::stop_token& stop = {},
                                   FoldThreads threads = FoldThreads::several);
  /// Folds only the streams of `jobs`, whose positions come from the present rows. Exact for rows of these
  /// jobs; has no others.
  static Result<PastViews> fold_jobs(const EventLog& log, const ViewReader& present,
                                     const std::vector<std::string>& jobs, Position at);

  /// Folds the flow and the jobs of its steps.
  static Result<PastViews> fold_flow(const EventLog& log, const ViewReader& present, const std::string& flow,
                                     Position at);

  const ViewReader& rows() const { return *rows_; }

 private:
  PastViews() = default;
  static Result<PastViews> fold_streams(const EventLog& log, const ViewReader& present,
                                        const std::vector<std::string>& streams, Position at);
  std::unique_ptr<OverlayStore> store_;
  std::unique_ptr<ViewReader> rows_;
};

/// Returns all rows as they were at or before a position; null: there are none.
using EarlierRows = std::function<std::shared_ptr<const ViewReader>(Position at)>;

/// Fills `past` for a query that needs all past rows, starting from earlier rows if there are any. Otherwise
/// leaves `past` unchanged, and the query folds the whole log.
Status prepare_past(PastRows& past, const EventLog& log, const ViewReader& present, const wire::QueryT& query,
                    const EarlierRows& earlier, const std::stop_token& stop = {},
                    FoldThreads threads = FoldThreads::several);

/// Verifies the live rows: replays the log up to their cursor and compares byte by byte. Empty result: equal.
/// `scratch`: where replayed rows go; null: memory. For a large log, pass a RocksDB store in a scratch
/// folder.
Result<std::vector<std::string>> verify_views(const EventLog& log, const ProjectionRegistry& registry,
                                              const ViewReader& live, ViewStore* scratch = nullptr,
                                              const std::function<void(FoldProgress)>& progress = {},
                                              const std::stop_token& stop = {});

}  // namespace luzia
