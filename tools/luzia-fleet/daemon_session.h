// The session with the daemon of a store. One thread.
#pragma once

#include <functional>
#include <optional>

#include "adapters/socket/client.h"
#include "tools/luzia-fleet/session.h"
#include "tools/read/daemon_source.h"

namespace luzia {

class DaemonSession : public FleetSession {
 public:
  using Connect = std::function<Result<Client>()>;
  /// Connects at the first use, and again after the daemon has restarted. `stop_fd` readable: a wait for
  /// groups ends with `stopped` (trouble); negative: none.
  explicit DaemonSession(Connect connect, int stop_fd = -1)
      : connect_(std::move(connect)), stop_fd_(stop_fd) {}
  Result<RowPage> query(const wire::QueryT& query) override;
  Result<GroupsRead> groups(Position after, std::uint32_t wait_ms, std::uint32_t most_bytes = 0) override;
  Result<Position> begins_after() override;

 private:
  Result<wire::GroupsT> ask_groups(Position after, std::uint32_t wait_ms, std::uint32_t most_bytes);

  Connect connect_;
  int stop_fd_;
  std::optional<Client> log_;
  std::optional<DaemonSource> rows_;
};

}  // namespace luzia
