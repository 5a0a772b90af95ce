#include "adapters/memory/memory_event_log.h"

#include <algorithm>

#include "engine/log/blob_row.h"

namespace luzia {

/// Stores only a position, so a cursor at the end continues when new groups arrive.
class MemoryGroupCursor : public GroupCursor {
 public:
  MemoryGroupCursor(const MemoryEventLog& log, Position first) : log_(log), next_(first) {}

  Result<std::shared_ptr<const Group>> next() override {
    std::lock_guard lock(log_.mutex_);
    auto group = log_.groups_.upper_bound(next_);
    if (group != log_.groups_.begin() && std::prev(group)->second->last_position() >= next_) --group;
    if (group == log_.groups_.end()) return nullptr;
    next_ = group->second->last_position() + 1;
    return group->second;
  }

 private:
  const MemoryEventLog& log_;
  Position next_;
};

Tip MemoryEventLog::tip() const {
  std::lock_guard lock(mutex_);
  return tip_;
}

Tip MemoryEventLog::base() const {
  return {};
}

Result<std::shared_ptr<const Group>> MemoryEventLog::append(const PendingGroup& group) {
  std::lock_guard lock(mutex_);
  if (broken_) {
    return fail(ErrorKind::trouble, "log_broken", "cannot append to the log: an earlier write failed",
                "open the log again");
  }
  LUZIA_TRY(check_appendable(group, tip_));
  if (failure_) {
    broken_ = true;
    return tl::unexpected(*failure_);
  }
  const Hash chain = chain_hash(tip_.chain, group.first_position(), group.count(), group.frames());
  auto stored = std::make_shared<const Group>(Group::stored(group, chain));
  if (!group.blobs().empty()) text_rows_[group.first_position()] = encode_blob_row(group.blobs());
  groups_.emplace(group.first_position(), stored);
  tip_ = {stored->last_position(), chain};
  return stored;
}

std::unique_ptr<GroupCursor> MemoryEventLog::read_from(Position first) const {
  return std::make_unique<MemoryGroupCursor>(*this, first);
}

Result<std::optional<StoredEvent>> MemoryEventLog::event(Position position) const {
  std::lock_guard lock(mutex_);
  if (position == 0 || position > tip_.position) return std::nullopt;
  const auto behind = groups_.upper_bound(position);
  if (behind == groups_.begin() || std::prev(behind)->second->last_position() < position)
    return no_group_for(position);
  const Group& group = *std::prev(behind)->second;
  return std::optional(StoredEvent::copy(group, position - group.first_position()));
}

Status MemoryEventLog::visit_text_row(Position event,
                                      const std::function<void(std::string_view)>& visit) const {
  std::lock_guard lock(mutex_);
  const auto behind = text_rows_.upper_bound(event);
  if (behind != text_rows_.begin()) visit(std::prev(behind)->second);
  return {};
}

Status MemoryEventLog::erase_blob(Position event, std::uint32_t index) {
  std::lock_guard lock(mutex_);
  const auto behind = text_rows_.upper_bound(event);
  if (behind == text_rows_.begin()) return no_such_blob(event, index);
  std::string& row = std::prev(behind)->second;
  auto entries = decode_blob_row(row);
  if (!entries) return damaged_blobs(event);
  const auto entry = std::ranges::find_if(
      *entries, [&](const BlobEntry& each) { return each.event == event && each.index == index; });
  if (entry == entries->end()) return no_such_blob(event, index);
  entry->state = BlobState::erased;
  row = encode_blob_row(*entries);
  return {};
}

Status MemoryEventLog::drop_erased() {
  return {};
}

Status MemoryEventLog::sync_watermark() {
  return {};
}

void MemoryEventLog::fail_next_append(Error error) {
  std::lock_guard lock(mutex_);
  failure_ = std::move(error);
}

void MemoryEventLog::open_again() {
  std::lock_guard lock(mutex_);
  failure_.reset();
  broken_ = false;
}

}  // namespace luzia
