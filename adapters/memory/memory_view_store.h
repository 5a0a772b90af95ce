// Rows in memory; used by tests and for the state as it was (--at).
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "engine/view/view_store.h"

namespace luzia {

class MemoryViewStore : public ViewStore {
 public:
  std::unique_ptr<ViewReader> snapshot() const override;
  Status write(const RowBatch& rows, const ViewCursor& cursor) override;
  Status clear() override;

 private:
  using Rows = std::map<std::string, std::string, std::less<>>;
  mutable std::mutex mutex_;
  Rows rows_;             // under mutex_; a snapshot copies, so keep it for small sets or one reader
  ViewCursor cursor_;     // under mutex_
};

}  // namespace luzia
