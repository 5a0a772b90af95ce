// What luzia-fleet reads from the daemon: the log as it is stored, and rows. One thread.
#pragma once

#include <span>
#include <vector>

#include "engine/log/group.h"
#include "projections/rows/row_page.h"

namespace luzia {

/// Groups in order, whose chain was verified. `previous`: the chain hash before the first one, also if there
/// is none. `tip`: the last durable position of the log.
struct GroupsRead {
  std::vector<Group> groups;
  Hash previous{};
  Position tip = 0;
};

/// Implemented by DaemonSession, and by tests.
class FleetSession {
 public:
  virtual ~FleetSession() = default;
  /// One page of rows; as run_query().
  virtual Result<RowPage> query(const wire::QueryT& query) = 0;
  /// Groups after this position, up to `most_bytes` (0: 4 MiB), but at least one. If there is none, waits for
  /// the next for up to `wait_ms`. Errors: those of wire::ReadGroups; `groups_archived` (refused): the log
  /// begins later; `log_corrupt` (trouble): the chain does not hold.
  virtual Result<GroupsRead> groups(Position after, std::uint32_t wait_ms, std::uint32_t most_bytes = 0) = 0;
  /// The log begins after this position; 0: nothing of it was archived. Errors: as groups().
  virtual Result<Position> begins_after() = 0;
};

/// A group as it was sent; `value` is as stored.
struct SentGroup {
  Position first_position = 0;
  Bytes value;
};
/// Verifies that the groups follow `after` and that their chain continues the hash `previous`. `log_corrupt`:
/// they do not.
Result<GroupsRead> verified_groups(Position after, Bytes previous, std::span<const SentGroup> groups,
                                   Position tip);

}  // namespace luzia
