// The SQL of `luzia-fleet init`: schema, readable tables, and login roles. Pure, except where it says
// otherwise.
#pragma once

#include <string>
#include <vector>

#include "adapters/postgres/postgres.h"

namespace luzia {

/// A login role to make, or to give its rights again.
struct FleetRole {
  std::string role;
  std::string site = {};                   // of a machine
  std::vector<std::string> projects = {};  // of a reader; "*" is all
  bool orders = false;                     // a reader that may also place orders in these projects
  bool is_machine() const { return !site.empty(); }
};

/// The role of the machine with this site: luzia-SITE.
FleetRole machine_role(const std::string& site);
/// Its rights. Repeating it changes nothing; the projects of a reader or an operator replace those before.
std::string rights_sql(const FleetRole& role);
/// Everything as a script for psql. Roles get no password.
std::string init_script(const std::vector<FleetRole>& roles);

struct MadeRole {
  FleetRole role;
  std::string password = {};  // empty: the role was there before, and its password is the same as before
};
/// Does it, in one transaction. A new role gets a password of its own: `password`, or if that is empty a
/// random one. An old role gets `password`, if that is not empty. Errors: those of Postgres.
Result<std::vector<MadeRole>> init_database(Postgres& database, const std::vector<FleetRole>& roles,
                                            const std::string& password);

/// Deletes the log and the rows of a site, in one transaction. For the owner of the schema. `no_such_site`
/// (not_found).
Status forget_site(Postgres& database, const std::string& site);

}  // namespace luzia
