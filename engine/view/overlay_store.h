// Rows in memory, alone or on top of a reader: for the unapplied end of the log on a read-only store, and for
// past states.
#pragma once

#include <memory>
#include <mutex>

#include "engine/view/view_store.h"

namespace luzia {

/// write() and clear() never fail and never change the rows below. Snapshots share the rows until the next
/// write.
class OverlayStore : public ViewStore {
 public:
  /// `under`: the rows below; null: none.
  explicit OverlayStore(std::shared_ptr<const ViewReader> under = nullptr);
  std::unique_ptr<ViewReader> snapshot() const override;
  Status write(const RowBatch& rows, const ViewCursor& cursor) override;
  Status clear() override;
  Status status() const override;

 private:
  /// The changes, and how many snapshots use them: with none, they are changed in place. The count has its
  /// own mutex because a snapshot may end on any thread, even after the store.
  struct Rows {
    std::mutex mutex;
    std::size_t readers = 0;  // under mutex
    RowOverlay changes;       // constant while readers > 0
  };
  class HeldRows;

  mutable std::mutex mutex_;
  std::shared_ptr<const ViewReader> under_;  // under mutex_
  std::shared_ptr<Rows> rows_;               // under mutex_
  ViewCursor cursor_;                        // under mutex_
};

}  // namespace luzia
