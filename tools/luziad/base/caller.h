// The account at the other end of a connection, and the projects that it may use. Loop thread: it queries the
// user database.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/config/config.h"
#include "adapters/socket/server.h"
#include "tools/luziad/base/attempt_rights.h"

namespace luzia {

/// The paired device for which a program of the daemon's user speaks.
struct CallerDevice {
  std::string id, name;
  schema::DeviceRole role = schema::DeviceRole::viewer;
  std::vector<std::string> projects = {};  // the only ones that it may use; empty: all
};

/// A client as the kernel identifies it.
struct Caller {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::string name;
  bool trusted = false;  // root or the daemon's own user, outside of a sandbox: may see and do everything
  /// False: it connected through a socket for attempts, where its account grants no rights.
  bool admitted = true;
  /// The attempt that its credential proves; empty: none. Each request checks whether that attempt still
  /// lives.
  std::string job;
  std::uint32_t attempt = 0;
  /// Set for a request that the attempt may make: what it belongs to.
  std::optional<AttemptScope> scope;
  std::string person;                  // for whom a program of the daemon's user speaks; empty: the account
  std::optional<CallerDevice> device;  // with projects: the caller is not trusted
  bool speaks_for(std::string_view other) const { return scope && scope->job == other; }
};
Caller identify(const Peer& peer);
/// For what the daemon does by itself.
Caller daemon_itself();

/// Whether the caller may see and use the project: through its `users` and `groups`, or as one of its
/// attempts.
bool may_use(const Config& config, const Caller& caller, std::string_view project);
bool may_use_any(const Config& config, const Caller& caller);

}  // namespace luzia
