#include "tools/luzia-query/sqlite_tables.h"

#include "engine/base/try.h"

namespace luzia {
namespace {

std::string_view sql_type(ExportType type) {
  switch (type) {
    case ExportType::integer:
      return "INTEGER";
    case ExportType::real:
      return "REAL";
    case ExportType::text:
      break;
  }
  return "TEXT";
}

std::string table_command(const ExportTable& table) {
  std::string columns, key;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const ExportColumn& column = table.columns[i];
    columns.append(sql_name(column.name)).append(" ").append(sql_type(column.type)).append(", ");
    if (i < table.key) key.append(i == 0 ? "" : ", ").append(sql_name(column.name));
  }
  return "CREATE TABLE " + sql_name(table.name) + " (" + columns + "PRIMARY KEY (" + key + "))";
}

}  // namespace

Status create_export_tables(SqlDatabase& database) {
  Status made = database.execute(
      "CREATE TABLE columns (table_name TEXT, column_name TEXT, type TEXT, about TEXT, "
      "PRIMARY KEY (table_name, column_name))");
  if (!made) return made;
  auto documented = LUZIA_TRY(database.prepare("INSERT INTO columns VALUES (?, ?, ?, ?)"));
  for (const ExportTable& table : export_tables()) {
    if (made = database.execute(table_command(table)); !made) return made;
    for (const ExportColumn& column : table.columns) {
      made = documented.run({std::string(table.name), std::string(column.name),
                             std::string(sql_type(column.type)), std::string(column.about)});
      if (!made) return made;
    }
  }
  return made;
}

Result<TableFiller> TableFiller::open(SqlDatabase& database, const ExportTable& table) {
  std::string marks;
  for (std::size_t i = 0; i < table.columns.size(); ++i) marks += i == 0 ? "?" : ", ?";
  auto insert = LUZIA_TRY(
      database.prepare("INSERT OR REPLACE INTO " + sql_name(table.name) + " VALUES (" + marks + ")"));
  return TableFiller(std::move(insert));
}

Status TableFiller::add(const std::vector<ExportRow>& rows) {
  for (const ExportRow& row : rows) {
    LUZIA_TRY(insert_.run(row));
  }
  return {};
}

Status create_export_indexes(SqlDatabase& database, const std::vector<const ExportTable*>& tables) {
  for (const ExportTable* table : tables) {
    for (const std::string_view column : table->indexes) {
      const std::string name = std::string(table->name).append("_by_").append(column);
      LUZIA_TRY(database.execute("CREATE INDEX IF NOT EXISTS " + sql_name(name) + " ON " +
                                 sql_name(table->name) + " (" + sql_name(column) + ")"));
    }
  }
  return {};
}

}  // namespace luzia
