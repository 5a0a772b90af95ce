// The export tables in an SQLite database; table `columns` documents their columns. One thread.
#pragma once

#include <vector>

#include "adapters/sqlite/sql_database.h"
#include "projections/rows/export_table.h"

namespace luzia {

/// Creates all export tables, empty, and fills `columns` (table_name, column_name, type, about).
Status create_export_tables(SqlDatabase& database);

/// Inserts rows into one table; a row with the same key is replaced.
class TableFiller {
 public:
  static Result<TableFiller> open(SqlDatabase& database, const ExportTable& table);
  Status add(const std::vector<ExportRow>& rows);

 private:
  explicit TableFiller(SqlStatement insert) : insert_(std::move(insert)) {}
  SqlStatement insert_;
};

/// Creates the indexes of these tables. Call it after inserting the rows: that is faster.
Status create_export_indexes(SqlDatabase& database, const std::vector<const ExportTable*>& tables);

}  // namespace luzia
