// status: all sites of the fleet as the database has them, and what this machine's luzia-fleet says.
#include "engine/base/try.h"
#include "projections/rows/json_object.h"
#include "projections/rows/table.h"
#include "tools/cli/json_text.h"
#include "tools/luzia-fleet/commands.h"
#include "tools/luzia-fleet/fleet_status.h"
#include "tools/luzia-fleet/settings.h"

namespace luzia {
namespace {

/// The order of the columns below, in JSON and in the table.
constexpr const char* kSitesQuery =
    "SELECT site, host, version, begins_at, position, rows_position, "
    "to_char(last_seen AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') AS last_seen, fault, "
    "to_char(fault_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') AS fault_at "
    "FROM luzia.sites ORDER BY site";

Result<PostgresRows> all_sites(const FleetSettings& settings) {
  Postgres database = LUZIA_TRY(connect_database(settings));
  auto sites = database.run(kSitesQuery);
  if (!sites) return tl::unexpected(with_schema_hint(sites.error(), database.last_sqlstate()));
  return sites;
}

std::string site_json(const std::vector<std::string>& columns, const PostgresRow& row) {
  JsonObject object;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] == "position" || columns[i].ends_with("s_at") || columns[i] == "rows_position") {
      object.at(columns[i]).raw(row[i].value_or("null"));
    } else {
      object.text_or_null(columns[i], row[i].value_or(""));
    }
  }
  return object.take();
}

/// What this machine's luzia-fleet last said, in one line.
std::string own_line(const FleetSettings& settings, const std::string& said) {
  const std::string who = "this machine, " + settings.name.site + ": ";
  const Json status = Json::parse(said, nullptr, false);
  if (!status.is_object()) return who + "luzia-fleet has not run yet; the daemon starts it";
  const auto number = [&status](const char* name) {
    const auto it = status.find(name);
    return it != status.end() && it->is_number_unsigned() ? it->get<std::uint64_t>() : 0;
  };
  std::string line = who + "mirrored up to position " + std::to_string(number("position")) + ", " +
                     std::to_string(number("behind_events")) + " events behind, as of " +
                     text_of(status, "at");
  const auto error = status.find("error");
  if (error == status.end() || !error->is_object()) return line;
  line += "\n" + text_of(*error, "message");
  const std::string hint = text_of(*error, "hint");
  return hint.empty() ? line : line + "\n  " + hint;
}

std::string sites_table(const PostgresRows& sites, const TableStyle& style) {
  Table table({{.title = "SITE"},
               {.title = "HOST", .shrinks = true, .drops = 2},
               {.title = "POSITION", .align = Align::right},
               {.title = "ROWS AS OF", .align = Align::right, .drops = 3},
               {.title = "LAST SEEN"},
               {.title = "VERSION", .drops = 1},
               {.title = "FAULT", .shrinks = true}});
  for (const PostgresRow& row : sites.rows) {
    const auto cell = [&row](std::size_t column) { return Cell{row[column].value_or("")}; };
    table.add({cell(0), cell(1), cell(4), cell(5), cell(6), cell(2), {row[7].value_or(""), Colour::red}});
  }
  return table.text(style);
}

}  // namespace

Result<int> show_fleet(Invocation& invocation) {
  const FleetSettings settings = LUZIA_TRY(fleet_settings(invocation));
  const std::string said = read_fleet_status(settings.store);
  const auto sites = all_sites(settings);
  Console& console = invocation.console();
  if (invocation.json()) {
    JsonObject object;
    object.text("site", settings.name.site);
    object.text("url_shown", shown_database(settings.url));
    object.at("local").raw(said);
    if (sites) {
      object.array("sites", sites->rows,
                   [&](const PostgresRow& row) { return site_json(sites->columns, row); });
    } else {
      object.at("sites").null();
    }
    LUZIA_TRY(console.write_line(object.take()));
  } else {
    LUZIA_TRY(console.write_line(own_line(settings, said)));
    if (sites) LUZIA_TRY(console.write(sites_table(*sites, console.style())));
  }
  return sites ? Result<int>(0) : tl::unexpected(sites.error());
}

}  // namespace luzia
