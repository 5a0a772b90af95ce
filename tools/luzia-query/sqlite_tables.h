// The export tables in an SQLite database, with what their columns mean in the table `columns`. One thread.
#pragma once

#include <vector>

#include "adapters/sqlite/sql_database.h"
#include "projections/rows/export_table.h"

namespace luzia {

/// Makes all export tables, empty, and `columns` (table_name, column_name, type, about).
Status create_export_tables(SqlDatabase& database);

/// Puts rows into one table; a row that is there already under the same key is replaced.
class TableFiller {
 public:
  static Result<TableFiller> open(SqlDatabase& database, const ExportTable& table);
  Status add(const std::vector<ExportRow>& rows);

 private:
  explicit TableFiller(SqlStatement insert) : insert_(std::move(insert)) {}
  SqlStatement insert_;
};

/// The indexes of these tables: made behind the rows, which is faster.
Status create_export_indexes(SqlDatabase& database, const std::vector<const ExportTable*>& tables);

}  // namespace luzia
