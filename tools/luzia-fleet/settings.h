// What a run of luzia-fleet works with: [fleet] of the configuration, and the store. Any thread.
#pragma once

#include "adapters/postgres/postgres.h"
#include "tools/cli/invocation.h"
#include "tools/luzia-fleet/order_ports.h"
#include "tools/luzia-fleet/site.h"

namespace luzia {

struct FleetSettings {
  std::string url, password_file;
  SiteName name;
  std::string store;  // absolute
  OrderRules orders;
};

/// `no_fleet` (usage): the configuration has no [fleet] url; `bad_site` (usage): the host name, which serves
/// as the site's name, cannot be one. Errors of the configuration.
Result<FleetSettings> fleet_settings(Invocation& invocation);

/// Connects as this machine. `hurry_fd`: as in PostgresOptions.
Result<Postgres> connect_database(const FleetSettings& settings, int hurry_fd = -1);

/// Connects as the people of this machine: to [fleet] people_url, else to its url. `what`: what they do, for
/// the database's list of connections. Errors as above.
Result<Postgres> connect_as_people(Invocation& invocation, std::string_view what);

/// The name of this machine in its network.
std::string host_name();

}  // namespace luzia
