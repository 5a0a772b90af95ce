#include "engine/log/rocks_group_cursor.h"

#include <algorithm>

namespace luzia {

RocksGroupCursor::RocksGroupCursor(const RocksLogDb& db, std::function<Position()> tip, Position first)
    : db_(db), tip_(std::move(tip)), next_(std::max<Position>(first, 1)) {}

Result<std::shared_ptr<const Group>> RocksGroupCursor::next() {
  if (next_ > tip_()) {
    at_.reset();
    return nullptr;
  }
  auto group = advance();
  if (!group) return group;
  if (!*group || (continues_ ? (*group)->first_position() != next_ : (*group)->first_position() > next_)) {
    return no_group_for(next_);
  }
  next_ = (*group)->last_position() + 1;
  continues_ = true;
  return group;
}

Result<std::shared_ptr<const Group>> RocksGroupCursor::advance() {
  if (at_) {
    at_->Next();
    auto group = db_.read(*at_);
    if (!group || *group) return group;
  }
  // The iterator shows the log as of its creation, and there is more now.
  at_.reset(db_.db().NewIterator({}, db_.groups()));
  return db_.seek(*at_, next_);
}

}  // namespace luzia
