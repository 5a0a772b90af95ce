// init: prepares a database for a fleet.
#include "adapters/config/database_url.h"
#include "engine/base/try.h"
#include "projections/rows/json_object.h"
#include "tools/luzia-fleet/commands.h"
#include "tools/luzia-fleet/init.h"
#include "tools/luzia-fleet/settings.h"

namespace luzia {
namespace {

constexpr std::size_t kMostSiteBytes = 57;  // the role is called luzia-SITE, and names have at most 63

Result<std::vector<FleetRole>> wanted_roles(const Arguments& args) {
  std::vector<FleetRole> roles;
  for (const std::string& site : args.texts("machine")) {
    if (!is_site_name(site) || site.size() > kMostSiteBytes) {
      return fail(ErrorKind::usage, "bad_site", "--machine: '" + site + "' cannot be the name of a site",
                  "use letters, digits, '.', '_' and '-', at most " + std::to_string(kMostSiteBytes));
    }
    roles.push_back(machine_role(site));
  }
  const std::string reader = args.text("reader"), person = args.text("operator");
  const auto projects = args.list("projects");
  if ((reader.empty() && person.empty()) != projects.empty() || (!reader.empty() && !person.empty())) {
    return fail(ErrorKind::usage, "bad_usage", "--reader or --operator, and --projects belong together",
                "luzia-fleet init --url URL --reader ana --projects web,shop (or '*' for all)");
  }
  if (projects.empty()) return roles;
  const std::string& name = reader.empty() ? person : reader;
  if (!is_site_name(name)) {
    return fail(ErrorKind::usage, "bad_value",
                (reader.empty() ? "--operator: '" : "--reader: '") + name + "' cannot be the name of a role",
                "use letters, digits, '.', '_' and '-'");
  }
  roles.push_back({.role = name, .projects = projects, .orders = reader.empty()});
  return roles;
}

Result<std::string> password_for(const Arguments& args, std::size_t roles) {
  if (!args.has("password-file")) return std::string();
  if (roles == 1) return read_password_file(args.text("password-file"));
  return fail(ErrorKind::usage, "bad_usage",
              "--password-file is the password of one role, not of " + std::to_string(roles),
              "run luzia-fleet init once for each --machine, --reader or --operator");
}

std::string roles_json(const std::string& url, const std::vector<MadeRole>& made) {
  JsonObject object;
  object.text("url_shown", shown_database(url));
  object.objects("roles", made, [](JsonObject& to, const MadeRole& each) {
    to.text("role", each.role.role);
    to.text_or_null("site", each.role.site);
    to.strings("projects", each.role.projects);
    to.text_or_null("password", each.password);
  });
  return object.take();
}

/// What people have to write where.
std::string role_text(const std::string& url, const MadeRole& made, bool chosen) {
  const FleetRole& role = made.role;
  const std::string who = role.orders ? "operator " : "reader ";
  std::string text = (role.is_machine() ? "machine " + role.site : who + role.role) + ": role " + role.role;
  if (made.password.empty()) {
    text += ", which keeps its password\n";
  } else {
    text += chosen ? ", with the password given\n" : ", password " + made.password + " (shown only now)\n";
  }
  if (role.orders) {
    text += "  [fleet]\n  people_url = \"" + shown_database(url, role.role) + "\"   # password: ~/.pgpass\n";
  }
  if (!role.is_machine()) return text;
  return text + "  [fleet]\n  url = \"" + shown_database(url, role.role) + "\"\n  site = \"" + role.site +
         "\"\n  password_file = \"FILE\"   # of mode 600, with the password; or ~/.pgpass\n";
}

/// Instead of preparing the database.
Result<int> forget_one(Invocation& invocation, const std::string& url) {
  const std::string site = invocation.args().text("forget");
  if (invocation.args().has("machine") || invocation.args().has("reader")) {
    return fail(ErrorKind::usage, "bad_usage", "--forget stands alone",
                "give --machine or --reader in another run");
  }
  if (!invocation.args().has("yes")) {
    return fail(
        ErrorKind::refused, "needs_yes", "--forget deletes the log and the rows of site " + site,
        "add --yes; luzia-fleet rejoin --as NAME keeps them, and mirrors the machine's log beside them");
  }
  Postgres database = LUZIA_TRY(Postgres::connect({.url = url, .application_name = "luzia-fleet init"}));
  LUZIA_TRY(forget_site(database, site));
  invocation.say("deleted the log and the rows of site " + site + "; its machine mirrors its log anew");
  return 0;
}

}  // namespace

Result<int> init_fleet(Invocation& invocation) {
  const Arguments& args = invocation.args();
  const auto roles = LUZIA_TRY(wanted_roles(args));
  Console& console = invocation.console();
  if (args.has("dry-run")) {
    LUZIA_TRY(console.write(init_script(roles)));
    return 0;
  }
  const std::string url = args.text("url");
  if (url.empty()) {
    return fail(ErrorKind::usage, "bad_usage",
                "init needs --url, with a role that may create schemas and roles",
                "luzia-fleet init --url postgresql://postgres@HOST/DATABASE; --dry-run prints the SQL");
  }
  if (args.has("forget")) return forget_one(invocation, url);
  const std::string password = LUZIA_TRY(password_for(args, roles.size()));
  Postgres database = LUZIA_TRY(Postgres::connect({.url = url, .application_name = "luzia-fleet init"}));
  const auto made = LUZIA_TRY(init_database(database, roles, password));
  if (invocation.json()) {
    LUZIA_TRY(console.write_line(roles_json(url, made)));
    return 0;
  }
  LUZIA_TRY(console.write_line("the schema luzia is ready in " + shown_database(url)));
  for (const MadeRole& each : made) LUZIA_TRY(console.write(role_text(url, each, !password.empty())));
  if (made.empty()) invocation.say("next: luzia-fleet init --url URL --machine NAME, once for each machine");
  return 0;
}

}  // namespace luzia
