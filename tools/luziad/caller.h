// Whoever is at the other end of a connection, and which projects that is good for. Loop thread: the user
// database is asked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/config/config.h"
#include "adapters/socket/server.h"

namespace luzia {

/// A client as the kernel names it.
struct Caller {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::string name;
  bool trusted = false;  // root or the daemon's own user: may see and do everything
};
Caller identify(const Peer& peer);

/// Whether the caller may see and use the project (its `users` and `groups`).
bool may_use(const Config& config, const Caller& caller, std::string_view project);

}  // namespace luzia
