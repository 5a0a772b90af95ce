#include "engine/view/overlay_store.h"

namespace luzia {

/// An overlay reader that keeps the rows it reads alive and unchanged.
class OverlayStore::HeldRows : public OverlayReader {
 public:
  HeldRows(std::shared_ptr<const ViewReader> under, std::shared_ptr<Rows> rows, ViewCursor cursor)
      : OverlayReader(under.get(), &rows->changes, cursor), under_(std::move(under)), rows_(std::move(rows)) {
    const std::lock_guard lock(rows_->mutex);
    ++rows_->readers;
  }
  ~HeldRows() override {
    const std::lock_guard lock(rows_->mutex);
    --rows_->readers;
  }

 private:
  std::shared_ptr<const ViewReader> under_;
  std::shared_ptr<Rows> rows_;
};

OverlayStore::OverlayStore(std::shared_ptr<const ViewReader> under)
    : under_(std::move(under)),
      rows_(std::make_shared<Rows>()),
      cursor_(under_ ? under_->cursor() : ViewCursor{}) {}

std::unique_ptr<ViewReader> OverlayStore::snapshot() const {
  const std::lock_guard lock(mutex_);
  return std::make_unique<HeldRows>(under_, rows_, cursor_);
}

Status OverlayStore::write(const RowBatch& rows, const ViewCursor& cursor) {
  const std::lock_guard lock(mutex_);
  bool read = false;
  {
    const std::lock_guard count_lock(rows_->mutex);
    read = rows_->readers > 0;
  }
  if (read) {
    auto copy = std::make_shared<Rows>();
    copy->changes = rows_->changes;
    rows_ = std::move(copy);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto [key, value] = rows[i];
    if (value || under_) {
      rows_->changes[std::string(key)] = value;
    } else {
      rows_->changes.erase(std::string(key));
    }
  }
  cursor_ = cursor;
  return {};
}

Status OverlayStore::status() const {
  const std::lock_guard lock(mutex_);
  return under_ ? under_->status() : Status();
}

Status OverlayStore::clear() {
  const std::lock_guard lock(mutex_);
  under_.reset();
  rows_ = std::make_shared<Rows>();
  cursor_ = ViewCursor{};
  return {};
}

}  // namespace luzia
