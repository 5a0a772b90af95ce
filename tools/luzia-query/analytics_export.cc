// export analytics: writes lists and sums as JSON, CSV and one SQLite file.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "adapters/sqlite/sql_database.h"
#include "engine/base/counted.h"
#include "engine/base/failpoint.h"
#include "engine/base/try.h"
#include "projections/rows/export_json.h"
#include "projections/rows/export_table.h"
#include "projections/rows/json_object.h"
#include "tools/luzia-query/analytics_folder.h"
#include "tools/luzia-query/commands.h"
#include "tools/luzia-query/erased_since.h"
#include "tools/luzia-query/export_begun.h"
#include "tools/luzia-query/export_command.h"
#include "tools/luzia-query/sqlite_tables.h"
#include "tools/read/pages.h"

namespace luzia {
namespace {

constexpr const char* kSqliteFile = "luzia.sqlite";

std::string list_file(const ExportList& list) {
  return std::string(list.file).append(".").append(list.plural);
}

/// The files made from one view: tables as CSV and in the database, and lists of JSON objects.
class ViewExport {
 public:
  static Result<ViewExport> open(const AnalyticsFolder& folder, SqlDatabase& database, wire::View view,
                                 TimeUs as_of) {
    ViewExport opened(as_of);
    for (const ExportTable& table : export_tables()) {
      if (table.view != view) continue;
      auto csv = LUZIA_TRY(OutFile::create(folder.part(std::string(table.name).append(".csv"))));
      auto filler = LUZIA_TRY(TableFiller::open(database, table));
      opened.tables_.push_back({&table, std::move(csv), std::move(filler)});
      LUZIA_TRY(opened.tables_.back().csv.write(export_header_csv(table)));
    }
    for (const ExportList& list : export_lists()) {
      if (list.view != view) continue;
      auto file = LUZIA_TRY(OutFile::create(folder.part(list_file(list))));
      opened.lists_.push_back({&list, std::move(file)});
    }
    return opened;
  }

  Status take(const RowPage& page) {
    for (const std::string& row : page.rows) {
      for (Table& table : tables_) {
        LUZIA_TRY(table.take(as_bytes(row), as_of_));
      }
      for (List& list : lists_) {
        LUZIA_TRY(list.take(as_bytes(row), as_of_));
      }
    }
    return {};
  }
  std::uint64_t rows() const { return tables_.front().rows; }

  Status finish(std::map<std::string, std::uint64_t>& counts) {
    for (Table& table : tables_) {
      counts[std::string(table.table->name)] = table.rows;
      LUZIA_TRY(table.csv.finish());
    }
    for (List& list : lists_) {
      LUZIA_TRY(list.file.finish());
    }
    return {};
  }

 private:
  struct Table {
    const ExportTable* table;
    OutFile csv;
    TableFiller filler;
    std::uint64_t rows = 0;

    Status take(Bytes row, TimeUs as_of) {
      std::vector<ExportRow> made;
      if (!table->append(row, as_of, made)) return bad_row();
      rows += made.size();
      for (const ExportRow& values : made) {
        LUZIA_TRY(csv.write(export_row_csv(*table, values)));
      }
      return filler.add(made);
    }
  };
  struct List {
    const ExportList* list;
    OutFile file;
    bool begun = false;

    Status take(Bytes row, TimeUs as_of) {
      const auto object = list->json(row, as_of);
      if (!object) return bad_row();
      Status written = file.write((begun ? ",\n" : "\n") + *object);
      begun = true;
      return written;
    }
  };

  explicit ViewExport(TimeUs as_of) : as_of_(as_of) {}

  TimeUs as_of_;
  std::vector<Table> tables_;
  std::vector<List> lists_;
};

class AnalyticsExport {
 public:
  AnalyticsExport(Session& session, AnalyticsFolder& folder, TimeUs as_of)
      : session_(session), folder_(folder), as_of_(as_of) {}

  Status run() {
    if (folder_.state.moving) return folder_.finish(files());
    Status done = fill();
    if (done) done = join_lists();
    return done ? folder_.finish(files()) : done;
  }

  static std::vector<std::string> files() {
    std::vector<std::string> names = {kSqliteFile};
    for (const ExportTable& table : export_tables()) names.push_back(std::string(table.name).append(".csv"));
    for (const ExportList& list : export_lists()) names.emplace_back(list.file);
    std::ranges::sort(names);
    const auto repeated = std::ranges::unique(names);
    names.erase(repeated.begin(), repeated.end());
    return names;
  }

 private:
  /// Fills all tables. The database is closed, and so complete on disk, when this returns.
  Status fill() {
    auto database = LUZIA_TRY(open_database());
    const auto views = views_to_export();
    for (std::size_t i = 0; i < views.size(); ++i) {
      if (folder_.is_done(wire::EnumNameView(views[i]))) continue;
      LUZIA_TRY(export_view(database, views[i], i, views.size()));
    }
    std::vector<const ExportTable*> tables;
    for (const ExportTable& table : export_tables()) tables.push_back(&table);
    return create_export_indexes(database, tables);
  }

  static std::vector<wire::View> views_to_export() {
    std::vector<wire::View> views;
    for (const ExportTable& table : export_tables()) {
      if (std::ranges::find(views, table.view) == views.end()) views.push_back(table.view);
    }
    return views;
  }

  Result<SqlDatabase> open_database() {
    const std::string file = folder_.part(kSqliteFile);
    const bool begun = !folder_.state.done.empty();
    if (!begun) unlink(file.c_str());  // left from an attempt that finished no view
    auto database = SqlDatabase::open(file);
    if (!database) return database;
    if (begun) return database;
    LUZIA_TRY(database->execute("BEGIN"));
    LUZIA_TRY(create_export_tables(*database));
    LUZIA_TRY(database->execute("COMMIT"));
    return database;
  }

  Status export_view(SqlDatabase& database, wire::View view, std::size_t place, std::size_t places) {
    const char* name = wire::EnumNameView(view);
    if (folder_.state.as_of == 0) folder_.state.as_of = as_of_;
    LUZIA_TRY(database.execute("BEGIN"));
    for (const ExportTable& table : export_tables()) {
      if (table.view != view) continue;
      LUZIA_TRY(database.execute("DELETE FROM " + sql_name(table.name)));
    }
    auto exported = LUZIA_TRY(ViewExport::open(folder_, database, view, folder_.state.as_of));
    const std::string what = fmt::format("exporting {} ({} of {})", name, place + 1, places);
    LUZIA_TRY(read_view(view, exported, what));
    LUZIA_TRY(exported.finish(folder_.state.rows));
    LUZIA_TRY(database.execute("COMMIT"));
    failpoint("export.view");
    folder_.state.done.emplace_back(name);
    return folder_.save();
  }

  Status read_view(wire::View view, ViewExport& exported, const std::string& what) {
    auto source = LUZIA_TRY(session_.still_source());
    wire::QueryT query = session_.history_query(view);
    if (session_.options().resume && folder_.state.position != 0) {
      query.at_position = folder_.state.position;
      query.at_time_us = 0;
    }
    Status read = visit_pages(*source, std::move(query), 0, [&](const RowPage& page) -> Status {
      folder_.state.position = page.position;
      LUZIA_TRY(exported.take(page));
      session_.console().show_progress(what, exported.rows(), 0);
      return {};
    });
    if (read || read.error().code != "unknown_view") return read;
    session_.console().say(std::string("this version has no view ") + wire::EnumNameView(view));
    return {};
  }

  /// Joins the parts of each JSON file: {"jobs":[...],"position":N,"next":null}.
  Status join_lists() {
    const auto lists = export_lists();
    for (std::size_t i = 0; i < lists.size();) {
      const std::string name(lists[i].file);
      auto file = LUZIA_TRY(OutFile::create(folder_.part(name)));
      Status written = file.write("{");
      for (; written && i < lists.size() && lists[i].file == name; ++i) written = join_list(lists[i], file);
      if (written) {
        written = file.write("\"position\":" + std::to_string(folder_.state.position) + ",\"next\":null}\n");
      }
      if (written) written = file.finish();
      if (!written) return written;
    }
    return {};
  }

  Status join_list(const ExportList& list, OutFile& file) {
    constexpr std::size_t kPiece = 1 << 20;
    std::ifstream part(folder_.part(list_file(list)), std::ios::binary);
    Status written = file.write("\"" + std::string(list.plural) + "\":[");
    std::string piece(kPiece, '\0');
    while (written && part.read(piece.data(), static_cast<std::streamsize>(piece.size())).gcount() > 0) {
      written = file.write(std::string_view(piece).substr(0, static_cast<std::size_t>(part.gcount())));
    }
    return written ? file.write("],") : written;
  }

  Session& session_;
  AnalyticsFolder& folder_;
  TimeUs as_of_;
};

Status print_folder(Session& session, const AnalyticsState& state) {
  Console& console = session.console();
  if (session.options().format == Format::json) {
    JsonObject object;
    object.text("folder", session.options().out);
    object.number("position", state.position);
    JsonWriter& counts = object.at("rows");
    counts.begin_object();
    for (const auto& [table, rows] : state.rows) {
      counts.key(table);
      counts.number(rows);
    }
    counts.end_object();
    object.strings("files", AnalyticsExport::files());
    return console.write_line(object.take());
  }
  std::string counts;
  for (const auto& [table, rows] : state.rows) {
    counts.append(counts.empty() ? "" : ", ").append(table).append(" ").append(grouped(rows));
  }
  console.say("exported as of position " + std::to_string(state.position) + ": " + counts);
  return console.write_line(session.options().out);
}

}  // namespace

Result<int> export_analytics(Session& session) {
  const Options& options = session.options();
  if (options.out.empty() || options.out == "-") {
    return fail(ErrorKind::usage, "bad_usage", "export analytics needs a folder", "add --out DIR");
  }
  // Before the folder is created: a store that cannot be read leaves no folder behind.
  const auto moment = LUZIA_TRY(session.exported_moment());
  auto folder = LUZIA_TRY(AnalyticsFolder::open(options.out, asked_of(options), options.resume));
  if (folder.state.position != 0) {
    const auto erased = LUZIA_TRY(erased_since(session, folder.state.position));
    if (erased) {
      session.console().say("texts already exported have since been erased: starting over");
      folder.begin_anew();
    }
  }
  LUZIA_TRY(AnalyticsExport(session, folder, moment.time_us).run());
  LUZIA_TRY(print_folder(session, folder.state));
  return 0;
}

}  // namespace luzia
