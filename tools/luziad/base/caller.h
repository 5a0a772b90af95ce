// Whoever is at the other end of a connection, and which projects that is good for. Loop thread: the user
// database is asked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/config/config.h"
#include "adapters/socket/server.h"
#include "tools/luziad/base/attempt_rights.h"

namespace luzia {

/// A client as the kernel names it.
struct Caller {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::string name;
  bool trusted = false;  // root or the daemon's own user: may see and do everything
  /// False: it came by the door for attempts, and its account counts for nothing there.
  bool admitted = true;
  /// The attempt that its credential proves; empty: none. Whether that lives is asked with each request.
  std::string job;
  std::uint32_t attempt = 0;
  /// Of a request that this attempt may make: what it belongs to.
  std::optional<AttemptScope> scope;
  bool speaks_for(std::string_view other) const { return scope && scope->job == other; }
};
Caller identify(const Peer& peer);

/// Whether the caller may see and use the project: by its `users` and `groups`, or by an attempt of its.
bool may_use(const Config& config, const Caller& caller, std::string_view project);
/// Whether there is a project that the caller may use.
bool may_use_any(const Config& config, const Caller& caller);

}  // namespace luzia
