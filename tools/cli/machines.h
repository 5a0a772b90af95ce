// The other machines that the configuration names, and the way to their daemons: ssh runs `luzia proxy`
// there. Any thread; a connection belongs to one thread at a time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "adapters/config/config.h"
#include "adapters/socket/ssh_client.h"
#include "engine/base/ssh_route.h"

namespace luzia {

struct Machine : SshRoute {
  std::vector<std::string> labels;
  std::uint32_t max_running = 0;  // 0: as it says itself
  std::string fleet = {};  // of "fleet:NAME": the name; orders go through the fleet's database, not ssh
};

/// Where it is: the same text as long as it is the same machine.
std::string place_text(const Machine& machine);

/// The machines of [machines.NAME], by name.
std::vector<Machine> configured_machines(const Config& config);
/// One of them; `no_such_machine` (not_found), with the nearest name.
Result<Machine> machine_named(const Config& config, const std::string& name);
/// Those with that label; all of them for "any".
std::vector<Machine> machines_with(const Config& config, std::string_view label);
/// Machines of a fleet: "fleet:SITE", "fleet:LABEL", "fleet:any". `bad_usage` (usage).
Result<Machine> machine_of_fleet(const std::string& words);
/// A machine that is named by its address: "ssh://user@host:port/store".
Result<Machine> machine_at(std::string_view address);

}  // namespace luzia
