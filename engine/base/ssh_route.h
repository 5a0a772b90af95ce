// Where a machine is that SSH reaches, as people write it. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace luzia {

struct SshRoute {
  std::string name;         // of the machine in the configuration; empty: it was named by its address
  std::string destination;  // "host" or "user@host", as ssh takes it; never begins with '-'
  std::uint16_t port = 0;   // 0: as ssh's own configuration says
  std::string store;        // absolute, on that machine; empty: its default store

  /// For messages: the name, else the destination.
  const std::string& shown() const { return name.empty() ? destination : name; }
};

inline constexpr std::string_view kSshScheme = "ssh://";

/// Parses "[user@]host" or "ssh://[user@]host[:port][/store]"; an IPv6 address only in the second form, in
/// brackets. Host and user are letters, digits and a few marks: ssh's own configuration may hand them to a
/// shell. `bad_destination` (usage) says what is wrong.
Result<SshRoute> parse_ssh_route(std::string_view text);

}  // namespace luzia
