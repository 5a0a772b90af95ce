#include "tools/luzia-fleet/settings.h"

#include <unistd.h>

#include <array>
#include <climits>

#include "adapters/config/database_url.h"
#include "engine/base/try.h"

namespace luzia {

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

namespace {

tl::unexpected<Error> no_fleet() {
  return fail(ErrorKind::usage, "no_fleet",
              "this machine belongs to no fleet: the configuration has no [fleet] url",
              "luzia-fleet init prepares a database and says what to write into luzia.toml");
}

}  // namespace

Result<FleetSettings> fleet_settings(Invocation& invocation) {
  const Config* const config = LUZIA_TRY(invocation.config());
  if (config->fleet.url.empty()) return no_fleet();
  const std::string host = host_name();
  FleetSettings settings;
  settings.url = config->fleet.url;
  settings.password_file = config->fleet.password_file;
  settings.orders = {config->fleet.orders, config->fleet.labels, slots_of(*config)};
  settings.name = {.site = config->fleet.site.empty() ? host : config->fleet.site, .host = host};
  if (!is_site_name(settings.name.site)) {
    return fail(ErrorKind::usage, "bad_site",
                "the host name '" + settings.name.site + "' cannot be the name of a site",
                "set [fleet] site: letters, digits, '.', '_' and '-'");
  }
  const Place place = LUZIA_TRY(invocation.place());
  settings.store = place.store.empty() ? absolute_path(default_store(*config)) : place.store;
  return settings;
}

Result<Postgres> connect_database(const FleetSettings& settings, int hurry_fd) {
  Postgres database = LUZIA_TRY(Postgres::connect({.url = settings.url,
                                                   .password_file = settings.password_file,
                                                   .application_name = "luzia-fleet " + settings.name.site,
                                                   .hurry_fd = hurry_fd}));
  // The check of new groups keeps them in memory.
  LUZIA_TRY(database.script("SET search_path = luzia; SET work_mem = '32MB'"));
  return database;
}

Result<Postgres> connect_as_people(Invocation& invocation, std::string_view what) {
  const FleetConfig& fleet = LUZIA_TRY(invocation.config())->fleet;
  const bool has_own = !fleet.people_url.empty();
  if (!has_own && fleet.url.empty()) return no_fleet();
  return Postgres::connect({.url = has_own ? fleet.people_url : fleet.url,
                            .password_file = has_own ? fleet.people_password_file : fleet.password_file,
                            .application_name = "luzia-fleet " + std::string(what)});
}

}  // namespace luzia
