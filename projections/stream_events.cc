#include "projections/stream_events.h"

namespace luzia {
namespace {

/// Up to this distance the next group is reached sooner by reading on than by a new seek.
constexpr Position kReadOn = 64;

/// Finds groups by position; remembers where it stands.
class GroupFinder {
 public:
  explicit GroupFinder(const EventLog& log) : log_(log) {}

  /// The group that contains `position`, or null when the log does not have it.
  Result<std::shared_ptr<const Group>> find(Position position) {
    if (group_ && group_->first_position() <= position && position <= group_->last_position()) return group_;
    const bool near =
        group_ && position > group_->last_position() && position - group_->last_position() <= kReadOn;
    if (!near) cursor_ = log_.read_from(position);
    do {
      auto next = cursor_->next();
      if (!next) return tl::unexpected(next.error());
      group_ = *next;
    } while (group_ && group_->last_position() < position);
    if (group_ && group_->first_position() > position) return std::shared_ptr<const Group>();
    return group_;
  }

 private:
  const EventLog& log_;
  std::unique_ptr<GroupCursor> cursor_;
  std::shared_ptr<const Group> group_;
};

}  // namespace

Status visit_events(const EventLog& log, const std::vector<Position>& positions,
                    const std::function<bool(const schema::Event& event, Bytes encoded)>& visit) {
  GroupFinder finder(log);
  for (const Position position : positions) {
    const auto group = finder.find(position);
    if (!group) return tl::unexpected(group.error());
    if (!*group) continue;
    const auto index = static_cast<std::size_t>(position - (*group)->first_position());
    if (!visit(*(*group)->events()[index], (*group)->event_bytes(index))) break;
  }
  return {};
}

}  // namespace luzia
