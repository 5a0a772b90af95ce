// A temporary store for replayed rows: in memory for a short log, else a RocksDB in its own folder, which is
// removed at the end.
#pragma once

#include <memory>
#include <string>

#include "engine/view/view_store.h"

namespace luzia {

/// Removes what killed programs left in `store`; folders in use by others stay.
void remove_left_scratch(const std::string& store);

class ScratchViews {
 public:
  /// A log of more events is replayed on disk: rows in memory take about 1 KiB each.
  static constexpr Position kEventsInMemory = 200'000;

  /// `store`: where the folder is created; if that fails, below the system's temporary folder. Error
  /// `scratch_failed` (trouble).
  static Result<ScratchViews> open(const std::string& store, Position events);
  ~ScratchViews();
  ScratchViews(ScratchViews&& other) noexcept;
  ScratchViews& operator=(ScratchViews&&) = delete;

  ViewStore& rows() { return *rows_; }
  bool on_disk() const { return !folder_.empty(); }

 private:
  ScratchViews() = default;
  std::unique_ptr<ViewStore> rows_;
  std::string folder_;  // empty: memory
};

}  // namespace luzia
