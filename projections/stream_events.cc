#include "projections/stream_events.h"

namespace luzia {
namespace {

/// Up to this distance, reading on reaches the next group sooner than a new seek. An event further away from
/// the others is read alone, because it may be one of a batch of a thousand.
constexpr Position kReadOn = 64;

/// Finds groups by position; remembers the last one.
class GroupFinder {
 public:
  explicit GroupFinder(const EventLog& log) : log_(log) {}

  /// Whether the group that contains `position` is the present one or close after it.
  bool is_near(Position position) const {
    return group_ && group_->first_position() <= position && position <= group_->last_position() + kReadOn;
  }
  /// The group that contains `position`; null: the log does not have it.
  Result<std::shared_ptr<const Group>> find(Position position) {
    if (group_ && group_->first_position() <= position && position <= group_->last_position()) return group_;
    if (!is_near(position)) cursor_ = log_.read_from(position);
    do {
      group_ = LUZIA_TRY(cursor_->next());
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
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const Position position = positions[i];
    const bool next_is_near = i + 1 < positions.size() && positions[i + 1] - position <= kReadOn;
    if (!next_is_near && !finder.is_near(position)) {
      const auto alone = LUZIA_TRY(log.event(position));
      if (alone && !visit(alone->event(), alone->bytes())) break;
      continue;
    }
    const auto group = LUZIA_TRY(finder.find(position));
    if (!group) continue;
    const auto index = static_cast<std::size_t>(position - group->first_position());
    if (!visit(*group->events()[index], group->event_bytes(index))) break;
  }
  return {};
}

}  // namespace luzia
