// A Source that reads the store itself, with or without a running daemon. Events that the stored rows do not
// yet include are folded in memory. Everything is opened at its first use. One thread.
#pragma once

#include <memory>
#include <string>

#include "engine/view/overlay_store.h"
#include "tools/cli/arguments.h"
#include "tools/read/source.h"

namespace luzia {

class StoreSource : public Source {
 public:
  /// If options.offline, a daemon may be running on the store.
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
  Result<std::string> output_from(const std::string& /*job*/, std::uint64_t /*offset*/) override {
    return std::string();
  }
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
  std::unique_ptr<ViewStore> views_;              // as stored; null: there are none
  std::shared_ptr<const ViewReader> stored_;      // the rows of views_
  std::unique_ptr<OverlayStore> overlay_;         // stored_ plus the tail of the log folded in memory
  std::shared_ptr<const ViewReader> rows_;        // current with log_
  std::shared_ptr<const ViewReader> clock_rows_;  // current with log_; null until needed
  PastRows past_;                                 // rows of the last query about the past
};

/// Opens the log of a store for reading. Errors and `hold_files`: see open_rocks_event_log.
Result<std::unique_ptr<EventLog>> open_log_for_reading(const std::string& store, bool hold_files = true);

/// The position at that time. Reads the whole log.
Result<Position> position_by_time(const EventLog& log, TimeUs time);
/// The position of a moment; now: the end of the log. `no_such_position` (usage).
Result<Position> position_of(const EventLog& log, const Moment& at);

}  // namespace luzia
