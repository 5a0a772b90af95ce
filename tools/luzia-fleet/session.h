// What luzia-fleet reads from the daemon: the log as it is stored, and rows. One thread.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "adapters/socket/client.h"
#include "engine/log/group.h"
#include "projections/rows/row_page.h"
#include "tools/read/daemon_source.h"

namespace luzia {

/// Groups in order, whose chain was verified. `previous`: the chain hash before the first one, also if there
/// is none. `tip`: the last durable position of the log.
struct GroupsRead {
  std::vector<Group> groups;
  Hash previous{};
  Position tip = 0;
};

class FleetSession {
 public:
  virtual ~FleetSession() = default;
  /// One page of rows; as run_query().
  virtual Result<RowPage> query(const wire::QueryT& query) = 0;
  /// Groups after this position, up to `most_bytes` (0: 4 MiB), but at least one. If there is none, waits for
  /// the next for up to `wait_ms`. Errors: those of wire::ReadGroups; `log_corrupt` (trouble): the chain does
  /// not hold.
  virtual Result<GroupsRead> groups(Position after, std::uint32_t wait_ms, std::uint32_t most_bytes = 0) = 0;
};

/// As an answer of the daemon says it. `log_corrupt`: as FleetSession::groups().
Result<GroupsRead> verified_groups(Position after, const wire::GroupsT& answer);

/// The position after which the log begins, from the error `groups_archived`; nullopt: it is another error.
std::optional<Position> archived_until(const Error& error);

class DaemonSession : public FleetSession {
 public:
  using Connect = std::function<Result<Client>()>;
  /// Connects at the first use, and again after the daemon has restarted. `stop_fd` readable: a wait for
  /// groups ends with `stopped` (trouble); negative: none.
  explicit DaemonSession(Connect connect, int stop_fd = -1)
      : connect_(std::move(connect)), stop_fd_(stop_fd) {}
  Result<RowPage> query(const wire::QueryT& query) override;
  Result<GroupsRead> groups(Position after, std::uint32_t wait_ms, std::uint32_t most_bytes = 0) override;

 private:
  Connect connect_;
  int stop_fd_;
  std::optional<Client> log_;
  std::optional<DaemonSource> rows_;
};

}  // namespace luzia
