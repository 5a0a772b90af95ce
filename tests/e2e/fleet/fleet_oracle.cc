// How a database differs from the machine that it mirrors: the log group by group, and rows column by column.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "adapters/socket/client.h"
#include "projections/rows/export_table.h"
#include "tests/e2e/fleet/fleet_machine.h"
#include "tools/luzia-fleet/daemon_session.h"

namespace luzia {
namespace {

constexpr int kOracleTries = 5;
/// By the values of the key.
using RowsByKey = std::map<Words, Words>;

/// RFC 4180. An apostrophe that keeps spreadsheets from reading a text as a formula is taken off.
std::vector<Words> csv_records(const std::string& text) {
  std::vector<Words> records;
  Words record(1);
  bool is_quoted = false;
  const auto end_field = [&record] {
    std::string& field = record.back();
    if (field.size() > 1 && field[0] == '\'' && std::string("=+-@\t\r").find(field[1]) != std::string::npos)
      field.erase(0, 1);
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      if (is_quoted && i + 1 < text.size() && text[i + 1] == '"') {
        record.back() += text[++i];
      } else {
        is_quoted = !is_quoted;
      }
    } else if (is_quoted || (c != ',' && c != '\r' && c != '\n')) {
      record.back() += c;
    } else if (c == ',') {
      end_field();
      record.emplace_back();
    } else if (c == '\n') {
      end_field();
      records.push_back(std::move(record));
      record.assign(1, "");
    }
  }
  return records;
}

Words key_of_record(const ExportTable& table, const Words& record) {
  return {record.begin(), record.begin() + static_cast<std::ptrdiff_t>(table.key)};
}

/// The error in words for a test that fails.
std::string because(const Error& error) {
  return error.code + ": " + error.message;
}

std::string value_sql(const ExportColumn& column) {
  const std::string name = pg_name(column.name);
  if (!column.name.ends_with("_at")) return name + "::text";
  return "to_char(" + name + " AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')";
}

Result<RowsByKey> rows_of_site(Postgres& database, const ExportTable& table, const std::string& site) {
  std::string columns;
  for (const ExportColumn& column : table.columns) {
    columns.append(columns.empty() ? "" : ", ").append(value_sql(column));
  }
  const auto found = database.run("SELECT " + columns + " FROM luzia." + pg_name(table.name) +
                                  " WHERE site = " + pg_text(site));
  if (!found) return tl::unexpected(found.error());
  RowsByKey rows;
  for (const PostgresRow& row : found->rows) {
    Words record;
    for (const auto& value : row) record.push_back(value.value_or(""));
    rows.emplace(key_of_record(table, record), record);
  }
  return rows;
}

bool is_same_value(const ExportColumn& column, const std::string& left, const std::string& right) {
  if (left == right) return true;
  if (column.type != ExportType::real || left.empty() || right.empty()) return false;
  return std::strtod(left.c_str(), nullptr) == std::strtod(right.c_str(), nullptr);
}

std::string row_difference(const ExportTable& table, const Words& exported, const Words& mirrored) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const ExportColumn& column = table.columns[i];
    if (is_same_value(column, exported[i], mirrored[i])) continue;
    return std::string(table.name) + " " + exported.front() + ": " + std::string(column.name) + " is '" +
           exported[i] + "' in the export, '" + mirrored[i] + "' in the database";
  }
  return {};
}

std::string table_difference(const ExportTable& table, const std::string& folder, const std::string& site,
                             Postgres& database) {
  const std::string name(table.name);
  auto records = csv_records(read_text(folder + "/" + name + ".csv"));
  if (records.empty()) return "no export of " + name;
  Words titles;
  for (const ExportColumn& column : table.columns) titles.emplace_back(column.name);
  if (records.front() != titles) return name + " has other columns in the export";
  records.erase(records.begin());
  const auto rows = rows_of_site(database, table, site);
  if (!rows) return name + ": " + because(rows.error());
  if (rows->size() != records.size()) {
    return name + " has " + std::to_string(records.size()) + " rows in the export, " +
           std::to_string(rows->size()) + " in the database";
  }
  for (const Words& record : records) {
    if (record.size() != titles.size()) return name + " has a record of another length in the export";
    const auto row = rows->find(key_of_record(table, record));
    if (row == rows->end()) return name + " lacks " + testing::PrintToString(record);
    const std::string difference = row_difference(table, record, row->second);
    if (!difference.empty()) return difference;
  }
  return {};
}

std::string tables_difference(const FleetMachine& machine, Postgres& database) {
  const std::string folder = machine.path("analytics");
  std::filesystem::remove_all(folder);
  const Finished exported = machine.query({"export", "analytics", "--out", folder});
  if (exported.code != 0) return exported.err;
  for (const ExportTable& table : export_tables()) {
    const std::string difference = table_difference(table, folder, machine.site(), database);
    if (!difference.empty()) return difference;
  }
  return {};
}

std::string groups_difference(const FleetMachine& machine, Postgres& database) {
  const auto rows = database.run(
      "SELECT first_position, last_position, previous, chain, frames FROM luzia.site_groups WHERE site = " +
      pg_text(machine.site()) + " ORDER BY first_position");
  if (!rows) return because(rows.error());
  DaemonSession daemon([&machine] { return Client::connect(machine.store() + "/socket"); });
  std::size_t at = 0;
  for (Position after = 0;;) {
    const auto read = daemon.groups(after, 0);
    if (!read) return because(read.error());
    if (read->groups.empty()) break;
    Hash previous = read->previous;
    for (const Group& group : read->groups) {
      const PostgresRow wanted = {std::to_string(group.first_position()),
                                  std::to_string(group.last_position()), "\\x" + to_hex(previous),
                                  "\\x" + to_hex(group.chain()), "\\x" + to_hex(group.frames())};
      const std::string place = "the group at position " + std::to_string(group.first_position());
      if (at == rows->rows.size()) return place + " is missing in the database";
      if (rows->rows[at] != wanted) return place + " is another one in the database";
      previous = group.chain();
      after = group.last_position();
      ++at;
    }
  }
  return at == rows->rows.size() ? "" : "the database has more groups than the log";
}

/// "POSITION ROWS_POSITION FAULT" of the site; an error instead.
std::string site_state(Postgres& database, const std::string& site) {
  const auto found = database.run(
      "SELECT position || ' ' || rows_position || ' ' || coalesce(fault, '') FROM luzia.sites WHERE site = " +
      pg_text(site));
  if (!found) return because(found.error());
  return found->rows.empty() ? "(no such site)" : found->rows.front().front().value_or("");
}

}  // namespace

std::string mirror_difference(const FleetMachine& machine, Postgres& database) {
  for (int i = 0; i < kOracleTries; ++i) {
    std::string state;
    std::uint64_t position = 0;
    const auto has_caught_up = [&] {
      position = machine.position();
      state = site_state(database, machine.site());
      const std::string text = std::to_string(position);
      return position > 0 && state.starts_with(text + " " + text + " ");
    };
    // A connection that the network lost without a word is given up after a minute.
    if (!wait_until(has_caught_up) && !wait_until(has_caught_up)) {
      return "site " + machine.site() + " stays at " + state + ", its log is at " + std::to_string(position) +
             "; luzia-fleet: " + machine.report().dump();
    }
    std::string difference = groups_difference(machine, database);
    if (difference.empty()) difference = tables_difference(machine, database);
    if (machine.position() == position) return difference;
  }
  return "the log of site " + machine.site() + " is never at rest";
}

}  // namespace luzia
