// Whether jobs can be confined on this machine ([jobs] sandbox). Any thread.
#pragma once

#include <optional>
#include <string>

#include "adapters/config/config.h"

namespace luzia {

/// Where the configuration asks for a sandbox, as "[projects.web]"; nullopt: nowhere.
std::optional<std::string> asks_for_sandbox(const Config& config);

/// Where it names hosts that sandboxes may reach, through luzia-proxy.
std::optional<std::string> asks_for_hosts(const Config& config);

/// The system's reason why this account can make none; empty: it can. Tries it in a process of its own.
/// `network`: with one of its own, as for "none" and for hosts.
std::string why_no_sandbox(bool network);

}  // namespace luzia
