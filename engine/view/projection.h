// A projection: a fold of events to rows. Pure: no clock, no randomness, no I/O except the rows it is given.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/view/view_store.h"

namespace luzia {

/// Core: the live state. Report: what the daemon uses or tells agents, such as ended jobs. Both are available
/// before the socket opens. Statistic: sums that only people ask for; the daemon works without them while
/// they are rebuilt (older_rows.h).
enum class ViewKind { core, report, statistic };

/// Identity of a view. Keys of its rows begin with {id, version}; if rows change their meaning, the version
/// must change. Ids 1 to 254; 0 is for the store's own rows.
struct ProjectionInfo {
  std::uint8_t id;
  std::uint8_t version;
  std::string_view name;
  ViewKind kind;
  /// The oldest version whose rows this program can read and fold on into. Such rows serve until new ones are
  /// built. 0: only `version`.
  std::uint8_t readable_since = 0;
};

std::string row_key(const ProjectionInfo& info, std::string_view key);
/// Adds a change of one of the projection's rows; `value` nullopt: erase.
void add_row(RowBatch& batch, const ProjectionInfo& info, std::string_view key,
             std::optional<std::string_view> value);
/// The first key after all rows of the projection.
std::string row_end(const ProjectionInfo& info);

class Projection {
 public:
  virtual ~Projection() = default;
  /// The views that it writes: one, or several that follow from the same state.
  virtual std::vector<ProjectionInfo> views() const = 0;
  /// Call in order of positions. The result must not depend on how events are divided into batches.
  virtual void fold(const schema::Event& event) = 0;
  /// Adds the rows that changed since the last flush.
  virtual void flush(RowBatch& batch) = 0;
};

/// Returns the rows that projections read: always the state after the last flush.
using ViewReaderSource = std::function<const ViewReader&()>;
using ProjectionFactory = std::unique_ptr<Projection> (*)(ViewReaderSource rows);
using ProjectionRegistry = std::vector<ProjectionFactory>;

/// Name, id and version of every view of a registry, in the order of its keys.
std::vector<ProjectionInfo> list_views(const ProjectionRegistry& registry);

/// Row cache of one view with one row type. Rows are native objects in memory and are encoded only when
/// flushed. `Row` is a table of view.fbs. A flush that leaves more than kMaxRows drops all rows from memory.
template <class Row>
class RowTable {
 public:
  using Native = typename Row::NativeTableType;
  static constexpr std::size_t kMaxRows = 512;  // more would not fit the processor's cache

  RowTable(const ProjectionInfo& info, ViewReaderSource rows) : info_(info), rows_(std::move(rows)) {}

  /// The row, or null. Valid until the next flush.
  Native* find(std::string_view key) { return load(key).second.row.get(); }
  /// The row, created empty if there is none. Counts as changed.
  Native& edit(std::string_view key) {
    Entry& entry = load(key);
    if (!entry.second.row) entry.second.row = std::make_unique<Native>();
    touch(entry);
    return *entry.second.row;
  }
  /// A new, empty row. The caller knows that the store has none, which saves a look-up.
  Native& add(std::string_view key) {
    Entry& entry = *slots_.try_emplace(std::string(key)).first;
    entry.second.row = std::make_unique<Native>();
    touch(entry);
    return *entry.second.row;
  }
  /// A new, empty row that replaces any existing one, without a look-up.
  Native& overwrite(std::string_view key) {
    Native& row = add(key);
    slots_.find(key)->second.stored = true;
    return row;
  }
  /// The row for changing, if it exists. Otherwise null, and nothing is changed.
  Native* edit_existing(std::string_view key) {
    Entry& entry = load(key);
    if (!entry.second.row) return nullptr;
    touch(entry);
    return entry.second.row.get();
  }
  /// Replaces any existing row.
  void put(std::string_view key, std::unique_ptr<Native> row) {
    Entry& entry = load(key);
    entry.second.row = std::move(row);
    touch(entry);
  }
  void erase(std::string_view key) { take(key); }
  /// Erases a row that the caller knows to exist, without reading it.
  void erase_unread(std::string_view key) {
    const auto [entry, is_new] = slots_.try_emplace(std::string(key));
    entry->second.row.reset();
    if (is_new) entry->second.stored = true;
    touch(*entry);
  }
  /// Erases the row and returns it; null: there is none.
  std::unique_ptr<Native> take(std::string_view key) {
    Entry& entry = load(key);
    if (!entry.second.row) return nullptr;
    touch(entry);
    return std::move(entry.second.row);
  }
  /// The first `most` keys with from <= key < to in ascending order, as of the last flush.
  std::vector<std::string> stored_keys(std::string_view from, std::string_view to, std::size_t most) const {
    std::vector<std::string> keys;
    rows_().scan(row_key(info_, from), row_key(info_, to), [&](std::string_view key, std::string_view) {
      keys.emplace_back(key.substr(2));
      return keys.size() < most;
    });
    return keys;
  }
  /// Keys with from <= key < to in ascending order, of rows that were changed since the last flush and not
  /// erased.
  std::vector<std::string> changed_keys(std::string_view from, std::string_view to) const {
    std::vector<std::string> keys;
    for (const Entry* entry : changed_) {
      if (entry->second.row && entry->first >= from && entry->first < to) keys.push_back(entry->first);
    }
    std::sort(keys.begin(), keys.end());
    return keys;
  }
  /// Keys of all rows with from <= key < to, flushed or not.
  std::set<std::string> keys(std::string_view from, std::string_view to) const {
    std::set<std::string> keys;
    rows_().scan(row_key(info_, from), row_key(info_, to), [&](std::string_view key, std::string_view) {
      keys.emplace(key.substr(2));
      return true;
    });
    for (const Entry* entry : changed_) {
      if (entry->first < from || entry->first >= to) continue;
      if (entry->second.row) {
        keys.insert(entry->first);
      } else {
        keys.erase(entry->first);
      }
    }
    return keys;
  }
  /// Erases all rows with from <= key < to, flushed or not.
  void erase_range(std::string_view from, std::string_view to) {
    for (const std::string& key : keys(from, to)) erase(key);
  }
  void flush(RowBatch& batch) {
    for (Entry* entry : changed_) {
      Slot& slot = entry->second;
      slot.changed = false;
      if (slot.row) {
        builder_.Clear();
        builder_.Finish(Row::Pack(builder_, slot.row.get()));
        add_row(batch, info_, entry->first, as_text({builder_.GetBufferPointer(), builder_.GetSize()}));
      } else if (slot.stored) {
        add_row(batch, info_, entry->first, std::nullopt);
      }
      slot.stored = slot.row != nullptr;
    }
    changed_.clear();
    if (slots_.size() > kMaxRows) slots_.clear();
  }

 private:
  struct Slot {
    std::unique_ptr<Native> row;  // null: no such row
    bool changed = false;
    bool stored = false;  // the store has a row since the last flush
  };
  struct TextHash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  using Slots = std::unordered_map<std::string, Slot, TextHash, std::equal_to<>>;
  using Entry = typename Slots::value_type;

  Entry& load(std::string_view key) {
    auto it = slots_.find(key);
    if (it != slots_.end()) return *it;
    Entry& entry = *slots_.emplace(std::string(key), Slot{}).first;
    if (auto value = rows_().get(row_key(info_, key))) {
      entry.second.row.reset(flatbuffers::GetRoot<Row>(value->data())->UnPack());
      entry.second.stored = true;
    }
    return entry;
  }
  void touch(Entry& entry) {
    if (!entry.second.changed) changed_.push_back(&entry);
    entry.second.changed = true;
  }

  ProjectionInfo info_;
  ViewReaderSource rows_;
  Slots slots_;
  std::vector<Entry*> changed_;
  flatbuffers::FlatBufferBuilder builder_;
};

/// A projection, or a part of one, that writes a single view with one type of rows.
template <class Interface, class Row, const ProjectionInfo& kInfo>
class OneView : public Interface {
 public:
  explicit OneView(ViewReaderSource rows) : rows_(kInfo, std::move(rows)) {}
  std::vector<ProjectionInfo> views() const override { return {kInfo}; }
  void flush(RowBatch& batch) override { rows_.flush(batch); }

 protected:
  RowTable<Row> rows_;
};

/// Names as one key, with 0x00 in between.
std::string joined_key(std::initializer_list<std::string_view> names);
/// The end of the range of keys that begin with `prefix`, whose last byte must be 0.
std::string after_prefix(std::string prefix);

/// Big-endian bytes, so that keys sort like numbers.
std::string big_endian_32(std::uint32_t number);
std::string big_endian_64(std::uint64_t number);
std::uint64_t number_from_big_endian(std::string_view bytes);

/// A row read from the store. Copies the bytes, because those of a scan may be misaligned.
template <class Row>
class StoredRow {
 public:
  explicit StoredRow(std::string_view value) : bytes_(value) {}
  const Row& operator*() const { return *flatbuffers::GetRoot<Row>(bytes_.data()); }
  const Row* operator->() const { return flatbuffers::GetRoot<Row>(bytes_.data()); }
  const std::string& bytes() const { return bytes_; }
  typename Row::NativeTableType native() const {
    typename Row::NativeTableType result;
    (**this).UnPackTo(&result);
    return result;
  }

 private:
  std::string bytes_;
};

/// All rows of a view with one type of rows, by key.
template <class Row>
std::vector<typename Row::NativeTableType> all_rows(const ViewReader& rows, const ProjectionInfo& info) {
  std::vector<typename Row::NativeTableType> all;
  rows.scan(row_key(info, ""), row_end(info), [&](std::string_view, std::string_view value) {
    all.push_back(StoredRow<Row>(value).native());
    return true;
  });
  return all;
}

/// The row under `key` of a view, or nullopt.
template <class Row>
std::optional<StoredRow<Row>> read_row(const ViewReader& rows, const ProjectionInfo& info,
                                       std::string_view key) {
  auto value = rows.get(row_key(info, key));
  if (!value) return std::nullopt;
  return StoredRow<Row>(*value);
}

}  // namespace luzia
