// sql: runs one query over the export tables, in a private database filled with only the tables it names.
#include <algorithm>

#include "adapters/sqlite/sql_database.h"
#include "engine/base/try.h"
#include "projections/rows/export_table.h"
#include "projections/rows/json_writer.h"
#include "projections/rows/table.h"
#include "tools/luzia-query/commands.h"
#include "tools/luzia-query/sqlite_tables.h"
#include "tools/read/pages.h"

namespace luzia {
namespace {

constexpr std::uint64_t kDefaultTimeoutMs = 30'000;

/// Fills one table, page by page.
Status fill_table(Session& session, SqlDatabase& database, const ExportTable& table, TimeUs as_of,
                  Position& position) {
  auto source = LUZIA_TRY(session.still_source());
  auto filler = LUZIA_TRY(TableFiller::open(database, table));
  std::uint64_t count = 0;
  const std::string what = "reading " + std::string(table.name);
  Status read =
      visit_pages(*source, session.history_query(table.view), 0, [&](const RowPage& page) -> Status {
        position = page.position;
        std::vector<ExportRow> rows;
        for (const std::string& row : page.rows) {
          if (!table.append(as_bytes(row), as_of, rows)) return bad_row();
        }
        session.console().show_progress(what, count += rows.size(), 0);
        return filler.add(rows);
      });
  if (read || read.error().code != "unknown_view") return read;
  session.console().say("this version has no rows for " + std::string(table.name));
  return {};
}

Status fill_tables(Session& session, SqlDatabase& database, const std::set<std::string>& names,
                   Position& position) {
  const auto moment = LUZIA_TRY(session.exported_moment());
  position = moment.position;
  std::vector<const ExportTable*> tables;
  for (const std::string& name : names) {
    if (const ExportTable* table = find_export_table(name)) tables.push_back(table);
  }
  Status filled = database.execute("BEGIN");
  for (const ExportTable* table : tables) {
    if (filled) filled = fill_table(session, database, *table, moment.time_us, position);
  }
  if (filled) filled = create_export_indexes(database, tables);
  return filled ? database.execute("COMMIT") : filled;
}

/// Prints a result row by row; a table for people needs all rows first. Infinite numbers are null in JSON,
/// which has none, and inf and -inf elsewhere. (SQLite itself turns NaN into null.)
class SqlAnswer {
 public:
  SqlAnswer(Session& session, std::vector<std::string> columns, Position position)
      : console_(session.console()),
        format_(session.options().format),
        columns_(std::move(columns)),
        position_(position) {}

  Status begin() {
    if (format_ == Format::csv) return console_.write(csv_record(columns_));
    return format_ == Format::json ? console_.write("{\"rows\":[") : Status();
  }
  Status row(const std::vector<SqlValue>& values) {
    if (format_ == Format::json) {
      Status written = console_.write((rows_++ == 0 ? "\n" : ",\n") + object_of(values));
      return written;
    }
    ++rows_;
    std::vector<std::string> texts;
    for (const SqlValue& value : values) texts.push_back(csv_field(value));
    if (format_ == Format::csv) return console_.write(csv_record(texts));
    for (std::size_t i = 0; i < values.size(); ++i) {
      numbers_.resize(values.size(), true);
      if (std::holds_alternative<std::string>(values[i])) numbers_[i] = false;
    }
    shown_.push_back(std::move(texts));
    return {};
  }
  Status finish() {
    if (format_ == Format::json)
      return console_.write("],\"position\":" + std::to_string(position_) + ",\"next\":null}\n");
    if (format_ == Format::csv) return {};
    if (rows_ == 0) console_.say("no rows");
    return console_.write(table());
  }

 private:
  std::string object_of(const std::vector<SqlValue>& values) const {
    std::string out;
    JsonWriter json(out);
    json.begin_object();
    for (std::size_t i = 0; i < values.size(); ++i) {
      json.key(columns_[i]);
      write_value(json, values[i]);
    }
    json.end_object();
    return out;
  }
  std::string table() const {
    std::vector<Column> columns;
    // Without a width limit, output is for programs: print columns in full.
    const bool fits = console_.style().width > 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const bool number = i < numbers_.size() && numbers_[i];
      columns.push_back(
          {.title = columns_[i], .align = number ? Align::right : Align::left, .shrinks = fits && !number});
    }
    Table table(std::move(columns));
    for (const auto& texts : shown_) {
      std::vector<Cell> cells;
      for (const std::string& text : texts) cells.push_back({text});
      table.add(std::move(cells));
    }
    return table.text(console_.style());
  }

  Console& console_;
  Format format_;
  std::vector<std::string> columns_;
  Position position_;  // of the log
  std::vector<bool> numbers_;
  std::vector<std::vector<std::string>> shown_;
  std::size_t rows_ = 0;
};

/// Refuses duplicate names: in a JSON object the second would replace the first.
Status check_names(const std::vector<std::string>& columns) {
  for (auto column = columns.begin(); column != columns.end(); ++column) {
    if (std::find(columns.begin(), column, *column) == column) continue;
    return fail(ErrorKind::usage, "same_column",
                "sql: two columns are named '" + *column + "', but keys of a JSON object are unique",
                "rename one of them: SELECT a.id AS a_id, b.id AS b_id ...");
  }
  return {};
}

Status answer_query(Session& session, SqlDatabase& database, Position position) {
  const std::string& query = session.options().name;
  auto statement = LUZIA_TRY(database.prepare(query));
  if (session.options().format == Format::json) {
    LUZIA_TRY(check_names(statement.columns()));
  }
  SqlAnswer answer(session, statement.columns(), position);
  auto more = statement.next();  // a query that fails before its first row prints nothing
  Status shown;
  if (more) shown = answer.begin();
  while (shown && more && *more) {
    shown = answer.row(statement.row());
    if (shown) more = statement.next();
  }
  if (!more) return tl::unexpected(more.error());
  return shown ? answer.finish() : shown;
}

}  // namespace

Result<int> run_sql(Session& session) {
  auto database = LUZIA_TRY(SqlDatabase::open({}));
  Status done = create_export_tables(database);
  if (!done) return tl::unexpected(done.error());
  const auto names = LUZIA_TRY(database.tables_of(session.options().name));
  Position position = 0;
  if (done = fill_tables(session, database, names, position); !done) return tl::unexpected(done.error());
  const std::uint64_t timeout_ms = session.options().timeout_ms;
  database.only_read_for(std::chrono::milliseconds(timeout_ms == 0 ? kDefaultTimeoutMs : timeout_ms));
  if (done = answer_query(session, database, position); !done) return tl::unexpected(done.error());
  return 0;
}

}  // namespace luzia
