#include "tools/cli/machines.h"

#include <algorithm>

#include "adapters/config/database_url.h"
#include "adapters/config/nearest.h"
#include "adapters/socket/fleet_client.h"
#include "engine/base/try.h"

namespace luzia {
namespace {

/// The configuration has been checked.
Machine machine_of(const std::string& name, const MachineConfig& config) {
  Machine machine;
  if (auto route = parse_ssh_route(config.ssh)) static_cast<SshRoute&>(machine) = std::move(*route);
  machine.name = name;
  if (!config.store.empty()) machine.store = config.store;
  machine.labels = config.labels;
  machine.max_running = config.max_running;
  return machine;
}

}  // namespace

std::string place_text(const Machine& machine) {
  return machine.destination + ":" + std::to_string(machine.port) + machine.store;
}

std::vector<Machine> configured_machines(const Config& config) {
  return machines_with(config, kAnyMachine);
}

Result<Machine> machine_named(const Config& config, const std::string& name) {
  if (const auto found = config.machines.find(name); found != config.machines.end()) {
    return machine_of(name, found->second);
  }
  std::vector<std::string> known;
  for (const auto& [each, machine] : config.machines) known.push_back(each);
  const std::string near = nearest_name(name, known);
  return fail(ErrorKind::not_found, "no_such_machine", "there is no machine '" + name + "'",
              !near.empty() ? "did you mean " + near + "?"
                            : "luzia machine list shows them; luzia machine add NAME user@host adds one");
}

std::vector<Machine> machines_with(const Config& config, std::string_view label) {
  std::vector<Machine> found;
  for (const auto& [name, machine] : config.machines) {
    const bool has_label = std::ranges::find(machine.labels, label) != machine.labels.end();
    if (label == kAnyMachine || has_label) found.push_back(machine_of(name, machine));
  }
  return found;
}

Result<Machine> machine_of_fleet(const std::string& words) {
  Machine machine;
  machine.name = words;
  machine.fleet = words.substr(kFleetScheme.size());
  if (is_site_name(machine.fleet)) return machine;
  return fail(ErrorKind::usage, "bad_usage",
              "'" + words + "' names no machine of a fleet: " +
                  (machine.fleet.empty() ? "the name is missing" : "no site or label is called so"),
              "--on fleet:build1, --on fleet:LABEL or --on fleet:any");
}

Result<Machine> machine_at(std::string_view address) {
  auto route = LUZIA_TRY(parse_ssh_route(address));
  Machine machine;
  static_cast<SshRoute&>(machine) = std::move(route);
  return machine;
}

}  // namespace luzia
