// A projection: a fold of events to rows. Pure: no clock, no I/O but the rows it is given, no randomness.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/view/view_store.h"

namespace luzia {

/// Core views catch up before the socket opens; report views rebuild in the background while old rows serve.
enum class ViewKind { core, report };

/// Identity of a projection. Keys of its rows begin with {id, version}; a new meaning = a new version.
struct ProjectionInfo {
  std::uint8_t id;
  std::uint8_t version;
  std::string_view name;
  ViewKind kind;
};

std::string row_key(const ProjectionInfo& info, std::string_view key);
/// First key after all rows of the projection.
std::string row_end(const ProjectionInfo& info);

class Projection {
 public:
  virtual ~Projection() = default;
  virtual const ProjectionInfo& info() const = 0;
  /// In order of positions. Must not depend on how events are cut into batches.
  virtual void fold(const schema::Event& event) = 0;
  /// Adds the rows that changed since the last flush.
  virtual void flush(RowBatch& batch) = 0;
};

/// The rows that projections read: always the state after the last flush.
using ViewReaderSource = std::function<const ViewReader&()>;
using ProjectionFactory = std::unique_ptr<Projection> (*)(ViewReaderSource rows);
using ProjectionRegistry = std::vector<ProjectionFactory>;

/// Row cache of one projection and row type: native objects in memory, encoded only when flushed.
/// `Row` is a table of view.fbs. Rows not touched for a while are dropped after a flush (kMaxRows).
template <class Row>
class RowTable {
 public:
  using Native = typename Row::NativeTableType;
  static constexpr std::size_t kMaxRows = 16'384;

  RowTable(ProjectionInfo info, ViewReaderSource rows) : info_(info), rows_(std::move(rows)) {}

  /// The row, or null. Valid until the next flush.
  Native* find(std::string_view key) {
    Slot& slot = load(key);
    return slot.row.get();
  }
  /// The row, made empty if there is none; counted as changed.
  Native& edit(std::string_view key) {
    Slot& slot = load(key);
    if (!slot.row) slot.row = std::make_unique<Native>();
    touch(slot, key);
    return *slot.row;
  }
  /// The row for change if it exists; null and nothing changed otherwise.
  Native* edit_existing(std::string_view key) {
    Slot& slot = load(key);
    if (!slot.row) return nullptr;
    touch(slot, key);
    return slot.row.get();
  }
  void erase(std::string_view key) {
    Slot& slot = load(key);
    if (!slot.row) return;
    slot.row.reset();
    touch(slot, key);
  }
  void flush(RowBatch& batch) {
    for (const std::string& key : changed_) {
      Slot& slot = slots_.find(key)->second;
      slot.changed = false;
      if (slot.row) {
        builder_.Clear();
        builder_.Finish(Row::Pack(builder_, slot.row.get()));
        batch[row_key(info_, key)] = std::string(as_text({builder_.GetBufferPointer(), builder_.GetSize()}));
      } else {
        batch[row_key(info_, key)] = std::nullopt;
      }
    }
    changed_.clear();
    if (slots_.size() > kMaxRows) slots_.clear();
  }

 private:
  struct Slot {
    std::unique_ptr<Native> row;  // null: no such row
    bool changed = false;
  };
  struct TextHash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  Slot& load(std::string_view key) {
    auto it = slots_.find(key);
    if (it != slots_.end()) return it->second;
    Slot& slot = slots_.emplace(std::string(key), Slot{}).first->second;
    if (auto value = rows_().get(row_key(info_, key))) {
      slot.row.reset(flatbuffers::GetRoot<Row>(value->data())->UnPack());
    }
    return slot;
  }
  void touch(Slot& slot, std::string_view key) {
    if (!slot.changed) changed_.emplace_back(key);
    slot.changed = true;
  }

  ProjectionInfo info_;
  ViewReaderSource rows_;
  std::unordered_map<std::string, Slot, TextHash, std::equal_to<>> slots_;
  std::vector<std::string> changed_;
  flatbuffers::FlatBufferBuilder builder_;
};

}  // namespace luzia
