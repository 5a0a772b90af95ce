// status: all sites of the fleet as the database has them, and what this machine's luzia-fleet says.
#include "engine/base/counted.h"
#include "engine/base/try.h"
#include "projections/rows/json_object.h"
#include "projections/rows/table.h"
#include "projections/rows/times.h"
#include "tools/luzia-fleet/commands.h"
#include "tools/luzia-fleet/settings.h"
#include "tools/read/mirror_report.h"

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
    if (columns[i].ends_with("position") || columns[i] == "begins_at") {
      object.at(columns[i]).raw(row[i].value_or("null"));
    } else {
      object.text_or_null(columns[i], row[i].value_or(""));
    }
  }
  return object.take();
}

/// What this machine's luzia-fleet last said.
std::string own_text(const FleetSettings& settings, const std::optional<MirrorReport>& report) {
  const std::string who = "this machine, " + settings.name.site + ": ";
  if (!report) return who + "luzia-fleet has not run yet; the daemon starts it";
  std::string text = who + "mirrored up to position " + grouped(report->position) + ", as of " +
                     second_time(report->at) + (report->connected ? "" : ", not connected");
  if (!report->fault) return text;
  text += "\n  " + report->fault->message;
  return report->fault->hint.empty() ? text : text + "\n  " + report->fault->hint;
}

std::string own_json(const std::optional<MirrorReport>& report) {
  if (!report) return "null";
  JsonObject object;
  object.number("position", report->position);
  object.time("at", report->at);
  object.boolean("connected", report->connected);
  object.text_or_null("error", report->fault ? report->fault->message : "");
  return object.take();
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
  const auto report = read_mirror_report(settings.store);
  const auto sites = all_sites(settings);
  Console& console = invocation.console();
  if (invocation.json()) {
    JsonObject object;
    object.text("site", settings.name.site);
    object.text("url_shown", shown_database(settings.url));
    object.at("local").raw(own_json(report));
    if (sites) {
      object.array("sites", sites->rows,
                   [&](const PostgresRow& row) { return site_json(sites->columns, row); });
    } else {
      object.at("sites").null();
    }
    LUZIA_TRY(console.write_line(object.take()));
  } else {
    LUZIA_TRY(console.write_line(own_text(settings, report)));
    if (sites) LUZIA_TRY(console.write(sites_table(*sites, console.style())));
  }
  return sites ? Result<int>(0) : tl::unexpected(sites.error());
}

}  // namespace luzia
