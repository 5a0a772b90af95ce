// A session with a log in memory instead of a daemon: its groups, and rows that are folded from it.
#pragma once

#include <functional>

#include "adapters/memory/memory_event_log.h"
#include "adapters/memory/memory_view_store.h"
#include "engine/base/try.h"
#include "engine/view/fold.h"
#include "projections/query.h"
#include "projections/registry.h"
#include "tools/luzia-fleet/session.h"

namespace luzia::test {

class LogSession : public FleetSession {
 public:
  explicit LogSession(const EventLog& log) : log_(log) {}

  /// Called before each answer; an error is the answer.
  std::function<Status()> before_answer;
  /// The log begins after this position; 0: at its beginning.
  Position archived = 0;
  std::size_t most_bytes = 64 << 10;
  std::uint32_t wanted_bytes = 0;  // by the last question for groups

  Result<RowPage> query(const wire::QueryT& query) override {
    if (before_answer) LUZIA_TRY(before_answer());
    LUZIA_TRY(catch_up(log_, all_projections(), store_));
    return run_query(*store_.snapshot(), {.log = log_, .may_see = {}, .join_live = {}}, query);
  }

  Result<GroupsRead> groups(Position after, std::uint32_t /*wait_ms*/, std::uint32_t most = 0) override {
    wanted_bytes = most;
    if (before_answer) LUZIA_TRY(before_answer());
    const Position tip = log_.tip().position;
    if (after > tip) return fail(ErrorKind::refused, "no_such_position", "it ends at " + std::to_string(tip));
    if (after < archived) {
      return fail(ErrorKind::refused, "groups_archived",
                  "the log begins after position " + std::to_string(archived));
    }
    Hash previous{};
    std::vector<std::string> values;
    std::vector<SentGroup> sent;
    const auto cursor = log_.read_from(1);
    for (std::size_t bytes = 0; bytes < (most == 0 ? most_bytes : most);) {
      const auto group = LUZIA_TRY(cursor->next());
      if (!group) break;
      if (group->first_position() <= after) {
        if (group->last_position() > after)
          return fail(ErrorKind::refused, "inside_group", "no group ends there");
        previous = group->chain();
        continue;
      }
      const auto count = static_cast<std::uint32_t>(group->events().size());
      values.push_back(Group::encode_header(count, group->chain()).append(as_text(group->frames())));
      sent.push_back({group->first_position(), {}});
      bytes += values.back().size();
    }
    for (std::size_t i = 0; i < sent.size(); ++i) sent[i].value = as_bytes(values[i]);
    return verified_groups(after, previous, sent, tip);
  }

  Result<Position> begins_after() override {
    if (before_answer) LUZIA_TRY(before_answer());
    return archived;
  }

 private:
  const EventLog& log_;
  MemoryViewStore store_;
};

}  // namespace luzia::test
