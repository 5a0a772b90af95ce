// Prints lists and sums in the requested format: JSON, CSV or a table. One thread.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/base/try.h"
#include "projections/rows/json.h"
#include "projections/rows/json_object.h"
#include "projections/rows/machines.h"
#include "projections/rows/row_tables.h"
#include "tools/read/pages.h"
#include "tools/read/session.h"
#include "tools/read/shown_rows.h"

namespace luzia {

/// How rows of one type are printed.
template <class Row>
struct Shapes {
  std::string_view plural;  // key of the list in JSON
  std::function<std::string(const Row&)> json;
  std::function<Table(const std::vector<const Row*>&, Form)> table;
  std::string none;  // message for people if there are no rows
};

/// Tells people on standard error which moment the answer is for, and the cursor of the next page.
void report_place(Session& session, const RowPage& page);

/// Of a list with --machines; null: all rows are of one machine.
const RowMachines* row_machines(const Session& session);

/// The row's machine; null: it has none, or all rows are of one.
template <class Row>
const RowMachine* machine_of_row(const Session& session, const Row& row) {
  const RowMachines* machines = row_machines(session);
  if (machines == nullptr) return nullptr;
  if constexpr (RowAboutJob<Row>) return machines->find(job_of_row(row));
  if constexpr (std::is_same_v<Row, view::Issue>) return machines->find(text(row.job()));
  return nullptr;
}

/// Writes one list into an object that has several.
template <class Row>
void write_list(JsonObject& object, std::string_view key, const std::vector<const Row*>& rows,
                std::string (*json)(const Row&)) {
  object.array(key, rows, [json](const Row* row) { return json(*row); });
}

/// For people; rows that are about jobs or flows are numbered.
template <class Row>
std::string list_text(Session& session, const std::vector<const Row*>& rows, const Shapes<Row>& shapes) {
  if constexpr (RowAboutJob<Row>) {
    ShownRows shown(session, jobs_of_rows(rows));
    std::string text = shapes.table(rows, Form::people).text(shown.style());
    shown.keep();
    return text;
  } else {
    TableStyle style = session.console().style();
    style.machines = row_machines(session);
    return shapes.table(rows, Form::people).text(style);
  }
}

/// How many rows to ask for: all of them where --sort chooses the first `most`.
inline std::size_t rows_to_ask(const Session& session, std::size_t most) {
  return session.options().sort.empty() ? most : 0;
}

/// Puts the rows into the order of --sort and keeps the first `most` (0: all).
template <class Row>
Status sort_page(Session& session, RowPage& page, std::size_t most, const Shapes<Row>& shapes) {
  const auto& order = session.options().sort;
  if (order.empty()) return {};
  constexpr std::size_t kAtOnce = 1'000;  // a table of all fields is large
  std::vector<std::string> fields;
  for (const SortKey& key : order) fields.push_back(key.field);
  const auto rows = LUZIA_TRY(rows_of<Row>(page));
  Table keys = shapes.table({}, Form::data).with_columns(fields);
  for (std::size_t at = 0; at < rows.size(); at += kAtOnce) {
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = first + static_cast<std::ptrdiff_t>(std::min(kAtOnce, rows.size() - at));
    keys.append(shapes.table({first, end}, Form::data).with_columns(fields));
  }
  std::vector<std::string> sorted;
  for (const std::size_t place : sorted_places(keys, order)) {
    if (most != 0 && sorted.size() == most) break;
    sorted.push_back(std::move(page.rows[place]));
  }
  page.rows = std::move(sorted);
  page.next.clear();
  return {};
}

/// A table of data, with the columns of --columns if they are given.
Table chosen_of(const Session& session, const Table& all);
template <class Row>
Table chosen_columns(Session& session, const std::vector<const Row*>& rows, const Shapes<Row>& shapes) {
  Table table = chosen_of(session, shapes.table(rows, Form::data));
  const RowMachines* machines = row_machines(session);
  if (machines == nullptr) return table;
  std::vector<const RowMachine*> of_rows;
  for (const Row* row : rows) of_rows.push_back(machine_of_row(session, *row));
  return table.with_machines(0, of_rows, machines->now, "machine");
}

template <class Row>
Status print_list(Session& session, const RowPage& page, const Shapes<Row>& shapes) {
  const auto rows = LUZIA_TRY(rows_of<Row>(page));
  Console& console = session.console();
  switch (session.options().format) {
    case Format::json: {
      std::vector<std::string> objects;
      objects.reserve(rows.size());
      for (const Row* row : rows) {
        objects.push_back(with_machine(shapes.json(*row), machine_of_row(session, *row)));
      }
      std::string list = list_json(shapes.plural, objects, page.position, page.next);
      const RowMachines* machines = row_machines(session);
      if (machines != nullptr) list = with_machines(std::move(list), *machines);
      return console.write_line(list);
    }
    case Format::csv:
      return console.write(chosen_columns(session, rows, shapes).csv());
    case Format::table:
      break;
  }
  const bool chosen = !session.options().columns.empty();
  if (rows.empty()) {
    console.say(shapes.none);
  } else if (Status written =
                 console.write(chosen ? chosen_columns(session, rows, shapes).text(console.style())
                                      : list_text(session, rows, shapes));
             !written) {
    return written;
  }
  report_place(session, page);
  return {};
}

/// Prints the rows of the query as a list, at most `most` (0: all). `shapes_at` gets the time up to which
/// running durations count.
template <class Row>
Result<int> list_rows(Session& session, const wire::QueryT& query, std::size_t most,
                      const std::function<Shapes<Row>(TimeUs as_of)>& shapes_at) {
  auto source = LUZIA_TRY(session.source());
  auto page = LUZIA_TRY(collect_pages(*source, query, rows_to_ask(session, most)));
  const auto as_of = LUZIA_TRY(session.seen_until());
  const Shapes<Row> shapes = shapes_at(as_of);
  LUZIA_TRY(sort_page(session, page, most, shapes));
  LUZIA_TRY(print_list(session, page, shapes));
  return 0;
}

/// The same for a view, with the filters and the limit of the options.
template <class Row>
Result<int> run_list(Session& session, wire::View view,
                     const std::function<Shapes<Row>(TimeUs as_of)>& shapes_at) {
  return list_rows<Row>(session, session.query(view), session.options().limit.value_or(kDefaultLimit),
                        shapes_at);
}

/// Keeps the first `limit` rows; 0 or unset: all.
template <class Row>
void keep_first(std::vector<Row>& rows, std::optional<std::size_t> limit) {
  if (limit.value_or(0) != 0 && rows.size() > *limit) rows.resize(*limit);
}

/// How sums are printed.
template <class Statistic>
struct Sums {
  std::string_view plural;  // key of the list in JSON
  std::function<std::string(const Statistic&)> json;
  std::function<Table(const std::vector<Statistic>&, Form)> table;
  std::string_view none;
  std::function<std::string(const std::vector<Statistic>&, const TableStyle&)> plot = {};
};

/// Puts sums into the order of --sort and keeps the first of --limit.
template <class Statistic>
void arrange_sums(const Session& session, std::vector<Statistic>& statistics, const Sums<Statistic>& sums) {
  if (const auto& order = session.options().sort; !order.empty()) {
    const Table keys = sums.table(statistics, Form::data);
    std::vector<Statistic> sorted;
    for (const std::size_t place : sorted_places(keys, order)) sorted.push_back(std::move(statistics[place]));
    statistics = std::move(sorted);
  }
  keep_first(statistics, session.options().limit);
}

/// `statistics`: as arrange_sums() left them.
template <class Statistic>
Status print_sums(Session& session, const RowPage& page, const std::vector<Statistic>& statistics,
                  const Sums<Statistic>& sums) {
  Console& console = session.console();
  switch (session.options().format) {
    case Format::json: {
      std::vector<std::string> objects;
      for (const Statistic& row : statistics) objects.push_back(sums.json(row));
      return console.write_line(list_json(sums.plural, objects, page.position, {}));
    }
    case Format::csv:
      return console.write(chosen_of(session, sums.table(statistics, Form::data)).csv());
    case Format::table:
      break;
  }
  if (statistics.empty()) console.say(sums.none);
  report_place(session, page);
  if (statistics.empty()) return {};
  if (!session.options().columns.empty())
    return console.write(chosen_of(session, sums.table(statistics, Form::data)).text(console.style()));
  return console.write(session.options().plot ? sums.plot(statistics, console.style())
                                              : sums.table(statistics, Form::people).text(console.style()));
}

/// Queries a view of daily rows, adds them up and prints the sums.
template <class Day, class Statistic>
Result<int> run_sums(Session& session, wire::View view,
                     const std::function<std::vector<Statistic>(const std::vector<const Day*>&)>& add_up,
                     const Sums<Statistic>& sums) {
  auto source = LUZIA_TRY(session.source());
  const auto page = LUZIA_TRY(collect_pages(*source, session.query(view), 0));
  const auto days = LUZIA_TRY(rows_of<Day>(page));
  auto statistics = add_up(days);
  arrange_sums(session, statistics, sums);
  LUZIA_TRY(print_sums(session, page, statistics, sums));
  return 0;
}

}  // namespace luzia
