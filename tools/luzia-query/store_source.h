// Answers from the store itself, opened for reading: works without a daemon, and beside one. What the rows do
// not yet have is folded in memory. Everything is opened at its first use.
#pragma once

#include <memory>
#include <string>

#include "engine/view/overlay_store.h"
#include "tools/luzia-query/source.h"

namespace luzia {

class StoreSource : public Source {
 public:
  StoreSource(std::string store, std::function<void(std::string)> note, ProgressSink progress)
      : store_(std::move(store)), note_(std::move(note)), progress_(std::move(progress)) {}

  Result<RowPage> query(const wire::QueryT& query) override;
  Result<std::string> verify(const ProgressSink& progress) override;
  Result<std::string> rebuild(const ProgressSink& progress) override;
  Result<std::string> backup(const std::string& target, const ProgressSink& progress) override;

 private:
  Status open();
  Status open_current_rows();
  std::shared_ptr<const ViewReader> open_stored_rows();
  Status fold_tail(std::shared_ptr<const ViewReader> stored);

  std::string store_;
  std::function<void(std::string)> note_;
  ProgressSink progress_;
  std::unique_ptr<EventLog> log_;
  std::unique_ptr<ViewStore> views_;          // as they lie in the store; null when there are none
  std::shared_ptr<const ViewReader> stored_;  // their rows
  std::unique_ptr<OverlayStore> overlay_;     // the unapplied tail over them
  std::shared_ptr<const ViewReader> rows_;    // current with log_
};

/// The log of a store for reading. Errors as open_rocks_event_log.
Result<std::unique_ptr<EventLog>> open_log_for_reading(const std::string& store);

}  // namespace luzia
