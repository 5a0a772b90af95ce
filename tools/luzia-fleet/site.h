// One site of the fleet's database: how far its log is mirrored there, and whether the daemon's log continues
// it. One thread.
#pragma once

#include <optional>
#include <string>

#include "adapters/postgres/postgres.h"
#include "tools/luzia-fleet/session.h"

namespace luzia {

/// What the database calls this machine and its log.
struct SiteName {
  std::string site;
  std::string host = {};
  std::string version = LUZIA_VERSION;
};

/// A row of luzia.sites. Before the first group all is 0.
struct HeldSite {
  Position begins_at = 0, position = 0, rows_position = 0;
  Hash genesis{}, chain{};
  bool has_fault = false;
};

/// Locks the site until the end of the transaction; makes it if it is new. Errors: those of Postgres::run();
/// `no_fleet_schema` (refused): nobody has run luzia-fleet init, or only that of an older version.
Result<HeldSite> enter_site(Postgres& database, const SiteName& name);

/// The same without a lock, and without making it.
Result<HeldSite> find_site(Postgres& database, const std::string& site);

/// Compares the site with the daemon's log. Errors, all refused: the log is another one, and is not mirrored:
/// - `site_taken` (LZ002): the site's log is that of another machine or store.
/// - `site_went_back` (LZ003): the log lacks what is mirrored, as after the restore of a backup.
/// - `groups_archived`: the log begins after what is mirrored.
/// Other errors: those of FleetSession::groups().
Status check_continues(FleetSession& daemon, const SiteName& name, const HeldSite& held);

/// The error of a write that the database refused, as check_continues() names it; others stay as they are.
Error refusal_of(const SiteName& name, const Error& error, const std::string& sqlstate);
/// The SQLSTATE of such a refusal; empty: it is another error.
std::string fault_code(const Error& error);
/// Notes in luzia.sites why the log is refused. An empty fault says that it is not.
Status note_fault(Postgres& database, const SiteName& name, const std::string& fault);

/// Writes groups with COPY in binary form, as a part of the caller's transaction.
Status copy_groups(Postgres& database, const std::string& site, const GroupsRead& read);

/// The error says that tables or functions are missing: with a hint to init.
Error with_schema_hint(Error error, const std::string& sqlstate);

}  // namespace luzia
