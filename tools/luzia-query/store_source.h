// Answers from the store itself, opened for reading: works without a daemon, and beside one. What the rows do
// not yet have is folded in memory. Everything is opened at its first use.
#pragma once

#include <memory>
#include <string>

#include "engine/view/overlay_store.h"
#include "tools/read/source.h"

namespace luzia {

class StoreSource : public Source {
 public:
  /// Where it is `offline` a daemon may be at work on the store.
  StoreSource(const SourceOptions& options, std::function<void(std::string)> note, ProgressSink progress)
      : store_(options.store),
        beside_writer_(options.offline),
        now_(options.now),
        flows_ended_since_(options.flows_ended_since),
        note_(std::move(note)),
        progress_(std::move(progress)) {}

  bool is_daemon() const override { return false; }
  Result<Position> end() override;
  Result<RowPage> query(const wire::QueryT& query) override;
  Result<std::string> verify(const ProgressSink& progress) override;
  Result<std::string> rebuild(const ProgressSink& progress) override;
  Result<std::string> backup(const std::string& target, const ProgressSink& progress) override;

 private:
  Status open_log();
  Status open_clock_rows();
  Result<RowPage> query_log(const wire::QueryT& query);
  Result<RowPage> query_rows(const wire::QueryT& query, bool hold_files);
  Status open(bool hold_files);
  Status open_current_rows(bool hold_files);
  void close();
  std::shared_ptr<const ViewReader> open_stored_rows();
  Status fold_tail(std::shared_ptr<const ViewReader> stored);

  std::string store_;
  bool beside_writer_;
  TimeUs now_;
  TimeUs flows_ended_since_;
  std::function<void(std::string)> note_;
  ProgressSink progress_;
  bool opened_ = false;  // rows and log, in this order
  std::unique_ptr<EventLog> log_;
  std::unique_ptr<ViewStore> views_;              // as they lie in the store; null when there are none
  std::shared_ptr<const ViewReader> stored_;      // their rows
  std::unique_ptr<OverlayStore> overlay_;         // the unapplied tail over them
  std::shared_ptr<const ViewReader> rows_;        // current with log_
  std::shared_ptr<const ViewReader> clock_rows_;  // current with log_; null until needed
  PastRows past_;                                 // of the last question about the past
};

/// The log of a store for reading. Errors and `hold_files` as open_rocks_event_log.
Result<std::unique_ptr<EventLog>> open_log_for_reading(const std::string& store, bool hold_files = true);

}  // namespace luzia
