// rebuild: replaces the rows of this site in the readable tables. rejoin: goes on after a log was refused.
#include "adapters/config/database_url.h"
#include "engine/base/try.h"
#include "projections/rows/json_object.h"
#include "tools/luzia-fleet/commands.h"
#include "tools/luzia-fleet/daemon_session.h"
#include "tools/luzia-fleet/mirror.h"
#include "tools/luzia-fleet/postgres_mirror_store.h"
#include "tools/luzia-fleet/settings.h"

namespace luzia {
namespace {

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
  Mirror mirror(daemon, PostgresMirrorStore::by([&] { return connect_database(settings); }), settings.name);
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
  if (!invocation.args().has("as")) {
    return fail(ErrorKind::usage, "bad_usage", "rejoin needs the new name, --as NAME",
                "luzia-fleet init --url URL --forget SITE deletes what the database holds under the old one");
  }
  const FleetSettings settings = LUZIA_TRY(fleet_settings(invocation));
  Postgres database = LUZIA_TRY(connect_database(settings));
  return rename_site(invocation, settings, database);
}

}  // namespace luzia
