#include "tools/luzia-fleet/init.h"

#include <array>

#include "engine/base/base64url.h"
#include "engine/base/hash.h"
#include "engine/base/try.h"
#include "tools/luzia-fleet/schema_sql.h"
#include "tools/luzia-fleet/tables.h"

namespace luzia {
namespace {

constexpr std::size_t kPasswordBytes = 24;
// Of a machine or an operator, so that it leaves some to the others. A machine needs two, its commands one
// each; those that a cut line has left behind end within a minute.
constexpr const char* kMostConnections = "16";

Result<bool> has_role(Postgres& database, const std::string& role) {
  const std::array<PostgresValue, 1> values = {PostgresValue{role}};
  const auto found = LUZIA_TRY(database.run("SELECT FROM pg_roles WHERE rolname = $1", values));
  return !found.rows.empty();
}

Result<MadeRole> make_role(Postgres& database, const FleetRole& role, const std::string& password) {
  MadeRole made{role, password};
  const bool exists = LUZIA_TRY(has_role(database, role.role));
  if (!exists && password.empty()) made.password = base64url(random_bytes(kPasswordBytes));
  if (!made.password.empty()) {
    const std::string encrypted = LUZIA_TRY(database.encrypted_password(role.role, made.password));
    LUZIA_TRY(database.script((exists ? "ALTER" : "CREATE") + (" ROLE " + pg_name(role.role)) +
                              " LOGIN PASSWORD " + pg_text(encrypted)));
  }
  LUZIA_TRY(database.script(rights_sql(role)));
  return made;
}

std::string projects_sql(const FleetRole& role, const std::string& group, const std::string& table) {
  const std::string text = pg_text(role.role);
  std::string sql = "GRANT " + group + " TO " + pg_name(role.role) + ";\nDELETE FROM " + table +
                    " WHERE role = " + text + ";\n";
  for (const std::string& project : role.projects) {
    sql +=
        "INSERT INTO " + table + " VALUES (" + text + ", " + pg_text(project) + ") ON CONFLICT DO NOTHING;\n";
  }
  return sql;
}

}  // namespace

FleetRole machine_role(const std::string& site) {
  return {.role = "luzia-" + site, .site = site};
}

std::string rights_sql(const FleetRole& role) {
  const std::string name = pg_name(role.role), text = pg_text(role.role);
  if (role.is_machine()) {
    return "ALTER ROLE " + name + " CONNECTION LIMIT " + kMostConnections + ";\nGRANT luzia_machine TO " +
           name + ";\nINSERT INTO luzia.machine_roles VALUES (" + text + ", " + pg_text(role.site) +
           ") ON CONFLICT (role) DO UPDATE SET site = EXCLUDED.site;\n" + "SELECT luzia.make_partition(" +
           pg_text(role.site) + ");\n";
  }
  std::string sql = projects_sql(role, "luzia_reader", "luzia.reader_projects");
  if (!role.orders) return sql;
  return sql + projects_sql(role, "luzia_operator", "luzia.operator_projects") + "ALTER ROLE " + name +
         " CONNECTION LIMIT " + kMostConnections + ";\nALTER ROLE " + name +
         " SET statement_timeout = '60s';\nALTER ROLE " + name +
         " SET idle_in_transaction_session_timeout = '60s';\nALTER ROLE " + name +
         " SET idle_session_timeout = '10min';\n";
}

std::string init_script(const std::vector<FleetRole>& roles) {
  std::string script = "BEGIN;\n" + std::string(schema_sql()) + "\n" + tables_sql();
  for (const FleetRole& role : roles) {
    script += "\n-- In psql, \\password sets the password of " + role.role + ".\nDO $do$\nBEGIN\n" +
              "  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = " + pg_text(role.role) +
              ") THEN CREATE ROLE " + pg_name(role.role) + " LOGIN; END IF;\nEND\n$do$;\n" + rights_sql(role);
  }
  return script + "COMMIT;\n";
}

Result<std::vector<MadeRole>> init_database(Postgres& database, const std::vector<FleetRole>& roles,
                                            const std::string& password) {
  std::vector<MadeRole> made;
  LUZIA_TRY(database.transaction([&]() -> Status {
    LUZIA_TRY(database.script(std::string(schema_sql())));
    LUZIA_TRY(database.script(tables_sql()));
    for (const FleetRole& role : roles) made.push_back(LUZIA_TRY(make_role(database, role, password)));
    return {};
  }));
  return made;
}

Status forget_site(Postgres& database, const std::string& site) {
  const std::array<PostgresValue, 1> name = {PostgresValue{site}};
  return database.transaction([&]() -> Status {
    const auto held = LUZIA_TRY(database.run("SELECT FROM luzia.sites WHERE site = $1 FOR UPDATE", name));
    if (held.rows.empty()) {
      return fail(ErrorKind::not_found, "no_such_site", "the database holds no site '" + site + "'",
                  "luzia-fleet status lists them");
    }
    LUZIA_TRY(delete_rows(database, site));
    LUZIA_TRY(database.run("SELECT luzia.forget_site($1)", name));
    return {};
  });
}

}  // namespace luzia
