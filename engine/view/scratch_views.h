// A place for replayed rows that are thrown away: memory for a short log, else a RocksDB in a folder of its
// own that is removed at the end.
#pragma once

#include <memory>
#include <string>

#include "engine/view/view_store.h"

namespace luzia {

/// Removes what programs that were killed have left in `store`; what others use now stays.
void remove_left_scratch(const std::string& store);

class ScratchViews {
 public:
  /// A log of more events than this wants a disk: rows in memory take about a KiB each.
  static constexpr Position kEventsInMemory = 200'000;

  /// `store`: where the folder is made, else under the system's folder for temporary files.
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
