// Port: where rows are kept, in RocksDB (rocks_view_store.h) or in memory (adapters/memory). Rows are
// disposable: never synced, and rebuilt from the log if their cursor does not match it.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/log/group.h"

namespace luzia {

/// How far the rows have been folded: position and chain hash of the last folded group.
using ViewCursor = Tip;

/// A consistent set of rows. Several threads at once: the two sides of a fold share one snapshot.
class ViewReader {
 public:
  virtual ~ViewReader() = default;
  virtual std::optional<std::string> get(std::string_view key) const = 0;
  using Visit = std::function<bool(std::string_view key, std::string_view value)>;  // false stops
  /// Rows with from <= key < to, ascending.
  virtual void scan(std::string_view from, std::string_view to, const Visit& visit) const = 0;
  /// The same rows, descending.
  virtual void scan_back(std::string_view from, std::string_view to, const Visit& visit) const = 0;
  virtual ViewCursor cursor() const = 0;
  /// An error after a read has failed: from then on a row that was not found may still exist. Callers to whom
  /// a missing row matters must check this after reading.
  virtual Status status() const { return {}; }
  /// False: the rows of this view are being rebuilt, and reading one of them makes status() an error.
  virtual bool has(std::uint8_t view) const {
    (void)view;
    return true;
  }
};

/// Changes of rows: a value, or nullopt to erase. In any order, each key once. All bytes are in one string
/// that is reused after clear(), so small rows need no allocation each.
class RowBatch {
 public:
  struct Change {
    std::string_view key;  // valid until the next add() or clear()
    std::optional<std::string_view> value;
  };

  RowBatch() = default;
  RowBatch(std::initializer_list<Change> changes) {
    for (const Change& change : changes) add(change.key, change.value);
  }
  void add(std::string_view key, std::optional<std::string_view> value) { add({}, key, value); }
  /// The key in two parts that are concatenated.
  void add(std::string_view key_begin, std::string_view key_end, std::optional<std::string_view> value);
  /// Adds all changes of another batch.
  void append(const RowBatch& other);
  std::size_t size() const { return places_.size(); }
  Change operator[](std::size_t i) const;
  void clear();

 private:
  struct Place {
    std::size_t begin, key_size, value_size;
    bool erased;
  };
  std::string bytes_;
  std::vector<Place> places_;
};

class ViewStore {
 public:
  virtual ~ViewStore() = default;
  /// Any thread.
  virtual std::unique_ptr<ViewReader> snapshot() const = 0;
  /// View thread: writes rows and cursor in one atomic batch.
  virtual Status write(const RowBatch& rows, const ViewCursor& cursor) = 0;
  /// View thread: erases all rows and sets the cursor to {0, zeros}.
  virtual Status clear() = 0;
  /// View thread: announces (or ends) the writing of a long history, so that a store may use some 100 MiB
  /// more memory to write faster. Does not change what is read. Initially false. Ending it writes, so it
  /// returns the errors of write().
  virtual Status expect_many([[maybe_unused]] bool many) { return {}; }
  /// Any thread: like status() of its snapshots.
  virtual Status status() const { return {}; }
};

/// Changes, sorted by key.
using RowOverlay = std::map<std::string, std::optional<std::string>, std::less<>>;

/// A reader with changes on top of another one (unapplied end of the log, --at): get and scans see the
/// changes first.
class OverlayReader : public ViewReader {
 public:
  // Both must outlive it.
  OverlayReader(const ViewReader* under, const RowOverlay* changes, ViewCursor cursor);
  std::optional<std::string> get(std::string_view key) const override;
  void scan(std::string_view from, std::string_view to, const Visit& visit) const override;
  void scan_back(std::string_view from, std::string_view to, const Visit& visit) const override;
  ViewCursor cursor() const override;
  Status status() const override;
  bool has(std::uint8_t view) const override { return under_ == nullptr || under_->has(view); }

 private:
  const ViewReader* under_;  // null: no rows
  const RowOverlay* changes_;
  ViewCursor cursor_;
};

}  // namespace luzia
