// Port: where rows are kept. RocksDB (rocks_view_store.h) and memory (adapters/memory). Rows are disposable:
// never synced, rebuilt from the log whenever the cursor does not match it.
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

/// How far the rows have been folded: position and chain hash of the group that ends there.
using ViewCursor = Tip;

/// A consistent set of rows. Any threads, at once too: the two sides of a fold read the rows of one snapshot.
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
  /// An error once a read has failed: since then a row that was not found may be there. Whoever acts on
  /// absence asks after reading.
  virtual Status status() const { return {}; }
  /// False: the rows of this view are being rebuilt, and reading one of them makes status() an error.
  virtual bool has(std::uint8_t view) const {
    (void)view;
    return true;
  }
};

/// Changes of rows: a value or nullopt = erase. In any order, each key once. All bytes lie in one string that
/// is used again after clear(): a batch of many small rows costs no allocation for each.
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
  /// The key in two parts, one behind the other.
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
  /// View thread: rows and cursor in one atomic batch.
  virtual Status write(const RowBatch& rows, const ViewCursor& cursor) = 0;
  /// View thread: no rows, cursor {0, zeros}.
  virtual Status clear() = 0;
  /// View thread: whether the rows of a long history are about to be written, so that a store may take some
  /// 100 MiB more of memory to write them faster. Of no effect on what is read. False at first. The errors of
  /// write(): at the end it writes.
  virtual Status expect_many([[maybe_unused]] bool many) { return {}; }
  /// Any thread: the same as that of its snapshots.
  virtual Status status() const { return {}; }
};

/// Changes in the order of keys.
using RowOverlay = std::map<std::string, std::optional<std::string>, std::less<>>;

/// A reader with changes laid over another one (unapplied tail, --at): get and scans see the changes first.
class OverlayReader : public ViewReader {
 public:
  OverlayReader(const ViewReader* under, const RowOverlay* changes, ViewCursor cursor);  // both outlive it
  std::optional<std::string> get(std::string_view key) const override;
  void scan(std::string_view from, std::string_view to, const Visit& visit) const override;
  void scan_back(std::string_view from, std::string_view to, const Visit& visit) const override;
  ViewCursor cursor() const override;
  Status status() const override;
  bool has(std::uint8_t view) const override { return under_ == nullptr || under_->has(view); }

 private:
  const ViewReader* under_;  // may be null: empty
  const RowOverlay* changes_;
  ViewCursor cursor_;
};

}  // namespace luzia
