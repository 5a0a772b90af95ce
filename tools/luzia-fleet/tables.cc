#include "tools/luzia-fleet/tables.h"

#include <algorithm>
#include <array>

#include "engine/base/try.h"
#include "engine/base/whole_number.h"
#include "tools/luzia-fleet/stored_values.h"

namespace luzia {
namespace {

constexpr std::string_view kSite = "site", kPosition = "position", kViewRow = "view_row";
constexpr std::size_t kCopyBytes = 1 << 20;

std::string_view sql_type(const ExportColumn& column) {
  if (is_moment(column)) return "timestamptz";
  switch (column.type) {
    case ExportType::integer:
      return "bigint";
    case ExportType::real:
      return "double precision";
    case ExportType::text:
      break;
  }
  return "text";
}

std::string in_schema(std::string_view table) {
  return "luzia." + pg_name(table);
}
/// A connection's own table, through which rows come into the real one.
std::string passage(std::string_view table) {
  return pg_name("fleet_rows_" + std::string(table));
}

/// The words that `make` makes of each, with `between` between them.
template <class Each, class Make>
std::string joined_words(const Each& all, std::string_view between, Make make) {
  std::string words;
  for (const auto& one : all) words.append(words.empty() ? "" : between).append(make(one));
  return words;
}

std::vector<std::string> key_columns(const ExportTable& table) {
  std::vector<std::string> names = {std::string(kSite)};
  for (std::size_t i = 0; i < table.key; ++i) names.emplace_back(table.columns[i].name);
  return names;
}
std::vector<std::string> all_columns(const ExportTable& table) {
  std::vector<std::string> names = {std::string(kSite)};
  for (const ExportColumn& column : table.columns) names.emplace_back(column.name);
  names.emplace_back(kPosition);
  if (keeps_bytes(table)) names.emplace_back(kViewRow);
  return names;
}
/// Those that a change of a row can change, without its position.
std::vector<std::string> value_columns(const ExportTable& table) {
  std::vector<std::string> names;
  for (std::size_t i = table.key; i < table.columns.size(); ++i) names.emplace_back(table.columns[i].name);
  if (keeps_bytes(table)) names.emplace_back(kViewRow);
  return names;
}

std::string quoted_names(const std::vector<std::string>& names, std::string_view of = {}) {
  return joined_words(names, ", ", [&](const std::string& name) { return std::string(of) + pg_name(name); });
}

std::string comment_sql(const std::string& what, std::string_view about) {
  return "COMMENT ON " + what + " IS " + pg_text(about) + ";\n";
}

/// A newer version's table has further columns; those of the key never change.
std::string table_sql(const ExportTable& table) {
  const std::string name = in_schema(table.name);
  std::string sql = "CREATE TABLE IF NOT EXISTS " + name + " (site text NOT NULL";
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const ExportColumn& column = table.columns[i];
    sql += ", " + pg_name(column.name) + " " + std::string(sql_type(column)) +
           (i < table.key ? " NOT NULL" : "");
  }
  sql += ", position bigint NOT NULL, PRIMARY KEY (" + quoted_names(key_columns(table)) + "));\n";
  for (std::size_t i = table.key; i < table.columns.size(); ++i) {
    const ExportColumn& column = table.columns[i];
    sql += "ALTER TABLE " + name + " ADD COLUMN IF NOT EXISTS " + pg_name(column.name) + " " +
           std::string(sql_type(column)) + ";\n";
  }
  if (keeps_bytes(table)) {
    sql += "ALTER TABLE " + name + " ADD COLUMN IF NOT EXISTS view_row bytea;\n";
    sql += comment_sql("COLUMN " + name + ".view_row", "The whole row, as luzia-query --fleet reads it.");
  }
  sql += comment_sql("TABLE " + name, table.about);
  sql += comment_sql("COLUMN " + name + ".site", "Machine that the row is of.");
  for (const ExportColumn& column : table.columns)
    sql += comment_sql("COLUMN " + name + "." + pg_name(column.name), column.about);
  sql += comment_sql("COLUMN " + name + ".position",
                     "Of the site's log: as of which the row was last changed here.");
  for (const std::string_view column : indexed_columns(table)) {
    sql += "CREATE INDEX IF NOT EXISTS " + pg_name(std::string(table.name).append("_by_").append(column)) +
           " ON " + name + " (" + pg_name(column) + ", site);\n";
  }
  return sql;
}

/// A machine writes its own site only; readers see their projects. What applies to every project has none.
std::string table_rights_sql(const ExportTable& table) {
  const std::string name = in_schema(table.name);
  const bool applies_to_all = table.view == wire::View::solutions || table.view == wire::View::facts;
  const std::string own = "site = (SELECT m.site FROM luzia.machine_roles m WHERE m.role = session_user)";
  const std::string mine = "FROM luzia.reader_projects r WHERE r.role = session_user";
  std::string seen =
      "project IN (SELECT r.project " + mine + ") OR EXISTS (SELECT " + mine + " AND r.project = '*')";
  if (applies_to_all) seen += " OR (coalesce(project, '') = '' AND EXISTS (SELECT " + mine + "))";
  // With UPDATE or DELETE of the table, a machine could lock it whole; with UPDATE of its columns it cannot.
  std::vector<std::string> changed = value_columns(table);
  changed.emplace_back(kPosition);
  return "ALTER TABLE " + name + " ENABLE ROW LEVEL SECURITY;\n" +  //
         "GRANT SELECT ON " + name + " TO luzia_reader;\n" +        //
         "REVOKE ALL ON " + name + " FROM luzia_machine;\n" +       //
         "GRANT SELECT, INSERT, UPDATE (" + quoted_names(changed) + ") ON " + name + " TO luzia_machine;\n" +
         "DROP POLICY IF EXISTS own_site ON " + name + ";\n" +  //
         "CREATE POLICY own_site ON " + name + " TO luzia_machine USING (" + own + ") WITH CHECK (" + own +
         ");\n" + "DROP POLICY IF EXISTS own_projects ON " + name + ";\n" +  //
         "CREATE POLICY own_projects ON " + name + " FOR SELECT TO luzia_reader USING (" + seen + ");\n";
}

PostgresValue text_value(std::string text) {
  return {std::move(text)};
}

/// Nothing for what is missing.
std::optional<std::string> copy_field(const ExportColumn& column, const ExportValue& value) {
  if (std::holds_alternative<std::monostate>(value)) return std::nullopt;
  std::string text = csv_field(value);
  if (is_moment(column) && text.empty()) return std::nullopt;
  return text;
}

std::string copy_line(const ExportTable& table, const std::string& site, const FleetRow& row) {
  std::vector<std::optional<std::string>> fields = {site};
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    fields.push_back(copy_field(table.columns[i], row.values[i]));
  fields.push_back(std::to_string(row.position));
  if (keeps_bytes(table)) fields.push_back("\\x" + to_hex(as_bytes(row.bytes)));
  return copy_text(fields);
}

Status copy_rows(Postgres& database, const ExportTable& table, const std::string& site,
                 const TableRows& rows) {
  LUZIA_TRY(database.copy_begin("COPY pg_temp." + passage(table.name) + " (" +
                                quoted_names(all_columns(table)) + ") FROM STDIN"));
  std::string lines;
  for (const auto& [key, row] : rows.rows) {
    lines += copy_line(table, site, row);
    if (lines.size() < kCopyBytes) continue;
    LUZIA_TRY(database.copy_write(lines));
    lines.clear();
  }
  LUZIA_TRY(database.copy_write(lines));
  return database.copy_finish();
}

/// Deletes the rows of the site at the places that a query selects. Returns how many.
Result<std::size_t> delete_at(Postgres& database, const ExportTable& table, const std::string& places,
                              std::span<const PostgresValue> values) {
  const auto gone = LUZIA_TRY(database.run(
      "SELECT luzia.delete_rows(" + pg_text(table.name) + ", $1, ARRAY(" + places + "))", values));
  const bool is_count = gone.rows.size() == 1 && gone.rows.front().size() == 1 && gone.rows.front().front();
  return is_count ? parse_whole_number(*gone.rows.front().front()).value_or(0) : 0;
}

/// Rows of these owners, or of the site, that have not come again.
Status delete_gone(Postgres& database, const ExportTable& table, const std::string& site,
                   const TableRows& rows) {
  if (!rows.whole && rows.owners.empty()) return {};
  const std::string owner = pg_name(owner_column(table));
  std::string sql = "SELECT t.ctid FROM " + in_schema(table.name) + " t WHERE t.site = $1";
  std::vector<PostgresValue> values = {text_value(site)};
  if (!rows.whole) {
    values.push_back(text_value(text_array(rows.owners)));
    // The gates of flows are approvals without a job.
    const bool are_approvals = table.view == wire::View::approvals;
    sql += " AND (t." + owner + " = ANY ($2::text[])" +
           (are_approvals ? " OR (t.job IS NULL AND split_part(t.id, '/', 1) = ANY ($2::text[]))" : "") + ")";
  }
  if (!rows.rows.empty()) {
    // Rather than NOT EXISTS: PostgreSQL expects few rows in a passage, and would compare each with each.
    sql += " AND (" + quoted_names(key_columns(table), "t.") + ") NOT IN (SELECT " +
           quoted_names(key_columns(table)) + " FROM pg_temp." + passage(table.name) + ")";
  }
  LUZIA_TRY(delete_at(database, table, sql, values));
  return {};
}

/// Inserts rows that are new, and changes those that have other values now. An unchanged row costs no write.
std::string put_sql(const ExportTable& table) {
  std::vector<std::string> changed = value_columns(table);
  const std::string differs =
      "(" + quoted_names(changed, "t.") + ") IS DISTINCT FROM (" + quoted_names(changed, "excluded.") + ")";
  changed.emplace_back(kPosition);
  const std::string columns = quoted_names(all_columns(table));
  return "INSERT INTO " + in_schema(table.name) + " AS t (" + columns + ") SELECT " + columns +
         " FROM pg_temp." + passage(table.name) + " ON CONFLICT (" + quoted_names(key_columns(table)) +
         ") DO UPDATE SET " +
         joined_words(
             changed, ", ",
             [](const std::string& name) { return pg_name(name) + " = excluded." + pg_name(name); }) +
         " WHERE " + differs;
}

Status write_table(Postgres& database, const ExportTable& table, const std::string& site,
                   const TableRows& rows) {
  if (rows.rows.empty()) return delete_gone(database, table, site, rows);
  LUZIA_TRY(copy_rows(database, table, site, rows));
  LUZIA_TRY(delete_gone(database, table, site, rows));
  return database.script(put_sql(table));
}

/// Makes the passages that the connection does not have yet.
Status make_passages(Postgres& database, const std::set<std::string>& tables) {
  const std::array values = {text_value(text_array(tables))};
  const auto missing = LUZIA_TRY(database.run(
      "SELECT name FROM unnest($1::text[]) name WHERE to_regclass('pg_temp.fleet_rows_' || name) IS NULL",
      values));
  std::string sql;
  for (const PostgresRow& row : missing.rows) {
    const std::string name = row.front().value_or("");
    sql += "CREATE TEMPORARY TABLE " + passage(name) + " (LIKE " + in_schema(name) +
           ") ON COMMIT DELETE ROWS;\n";
  }
  return sql.empty() ? Status() : database.script(sql);
}

/// For further rows within the same transaction, whose end empties them by itself.
Status empty_passages(Postgres& database, const std::set<std::string>& tables) {
  if (tables.empty()) return {};
  return database.script("TRUNCATE " + joined_words(tables, ", ", [](const std::string& name) {
                           return "pg_temp." + passage(name);
                         }));
}

/// In parts, so that no statement takes longer than the connection's patience.
Status delete_all(Postgres& database, const ExportTable& table, const std::string& site) {
  const std::string sql = "SELECT ctid FROM " + in_schema(table.name) + " WHERE site = $1 LIMIT 50000";
  const std::array values = {text_value(site)};
  while (LUZIA_TRY(delete_at(database, table, sql, values)) > 0) {
  }
  return {};
}

/// By name, as ReadRows has them: every transaction locks them in this order, so that none waits for another
/// in a circle.
std::vector<const ExportTable*> tables_in_order() {
  std::vector<const ExportTable*> tables;
  for (const ExportTable& table : export_tables()) tables.push_back(&table);
  std::ranges::sort(tables, {}, &ExportTable::name);
  return tables;
}

std::set<std::string> tables_with_rows(const ReadRows& rows) {
  std::set<std::string> names;
  for (const auto& [name, table] : rows.tables) {
    if (!table.rows.empty()) names.emplace(name);
  }
  return names;
}

}  // namespace

std::string tables_sql() {
  std::string sql;
  for (const ExportTable* table : tables_in_order()) sql += table_sql(*table) + table_rights_sql(*table);
  return sql;
}

Status write_rows(Postgres& database, const std::string& site, const ReadRows& rows) {
  if (rows.tables.empty()) return {};
  return database.transaction([&]() -> Status {
    LUZIA_TRY(make_passages(database, tables_with_rows(rows)));
    for (const auto& [name, of_table] : rows.tables) {
      LUZIA_TRY(write_table(database, *find_export_table(name), site, of_table));
    }
    return {};
  });
}

Status delete_rows(Postgres& database, const std::string& site) {
  return database.transaction([&]() -> Status {
    for (const ExportTable* table : tables_in_order()) {
      LUZIA_TRY(delete_all(database, *table, site));
    }
    return {};
  });
}

Status rebuild_rows(const AskRows& ask, Postgres& database, const std::string& site, TimeUs as_of) {
  return database.transaction([&]() -> Status {
    LUZIA_TRY(delete_rows(database, site));
    return visit_all_rows(ask, as_of, [&](const ReadRows& page) -> Status {
      LUZIA_TRY(write_rows(database, site, page));
      return empty_passages(database, tables_with_rows(page));
    });
  });
}

}  // namespace luzia
