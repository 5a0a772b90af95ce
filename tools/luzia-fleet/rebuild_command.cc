// rebuild: replaces the rows of this site in the readable tables. rejoin: goes on after a log was refused.
#include <array>

#include "adapters/config/database_url.h"
#include "engine/base/try.h"
#include "projections/rows/json_object.h"
#include "tools/luzia-fleet/commands.h"
#include "tools/luzia-fleet/daemon_session.h"
#include "tools/luzia-fleet/mirror.h"
#include "tools/luzia-fleet/settings.h"
#include "tools/luzia-fleet/tables.h"

namespace luzia {
namespace {

/// Deletes the site's log and rows, in one transaction.
Status forget_site(Postgres& database, const SiteName& name) {
  const std::array<PostgresValue, 1> site = {PostgresValue{name.site}};
  return database.transaction([&]() -> Status {
    LUZIA_TRY(enter_site(database, name));
    LUZIA_TRY(delete_rows(database, name.site));
    LUZIA_TRY(database.run("SELECT luzia.forget_site($1)", site));
    return {};
  });
}

Result<int> replace_site(Invocation& invocation, const FleetSettings& settings, Postgres& database) {
  if (!invocation.args().has("yes")) {
    return fail(ErrorKind::refused, "needs_yes",
                "rejoin --replace deletes what the database holds of site " + settings.name.site,
                "luzia-fleet rejoin --replace --yes; --as NAME keeps it, and mirrors this log beside it");
  }
  LUZIA_TRY(forget_site(database, settings.name));
  invocation.say("deleted the log and the rows of site " + settings.name.site +
                 "; luzia-fleet mirrors this log anew");
  return 0;
}

/// The log of the old name stays as it is. The new one must be free, and ours to write.
Result<int> rename_site(Invocation& invocation, const FleetSettings& settings, Postgres& database) {
  SiteName other = settings.name;
  other.site = invocation.args().text("as");
  if (!is_site_name(other.site)) {
    return fail(ErrorKind::usage, "bad_site", "--as: '" + other.site + "' cannot be the name of a site",
                "use letters, digits, '.', '_' and '-'");
  }
  const HeldSite held = LUZIA_TRY(enter_site(database, other));
  if (held.position != 0) {
    return fail(ErrorKind::refused, "site_taken",
                "the database holds a log of site " + other.site + " already",
                "choose another name; luzia-fleet status lists those that are taken");
  }
  LUZIA_TRY(note_fault(database, settings.name, ""));
  LUZIA_TRY(invocation.console().write_line("[fleet]\nsite = \"" + other.site + "\""));
  invocation.say("write this into luzia.toml; the daemon's luzia-fleet then mirrors this log as " +
                 other.site);
  return 0;
}

}  // namespace

Result<int> rebuild_fleet(Invocation& invocation) {
  const FleetSettings settings = LUZIA_TRY(fleet_settings(invocation));
  DaemonSession daemon([&invocation] { return invocation.connect(); });
  Mirror mirror(
      daemon, [&] { return connect_database(settings); }, settings.name);
  mirror.rebuild();
  while (mirror.rebuilds()) {
    LUZIA_TRY(mirror.step(0));
    invocation.console().show_progress("mirroring events", mirror.state().position, mirror.state().tip);
  }
  const Position position = mirror.state().rows_position;
  if (!invocation.json()) {
    return invocation.console()
        .write_line("replaced the rows of site " + settings.name.site + ", as of position " +
                    std::to_string(position))
        .map([] { return 0; });
  }
  JsonObject object;
  object.text("site", settings.name.site);
  object.number("rows_position", position);
  LUZIA_TRY(invocation.console().write_line(object.take()));
  return 0;
}

Result<int> rejoin_fleet(Invocation& invocation) {
  const bool replaces = invocation.args().has("replace");
  if (replaces == invocation.args().has("as")) {
    return fail(ErrorKind::usage, "bad_usage", "rejoin takes either --as NAME or --replace",
                "luzia-fleet rejoin --help");
  }
  const FleetSettings settings = LUZIA_TRY(fleet_settings(invocation));
  Postgres database = LUZIA_TRY(connect_database(settings));
  return replaces ? replace_site(invocation, settings, database)
                  : rename_site(invocation, settings, database);
}

}  // namespace luzia
