// Lists in the format that was asked for.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "projections/rows/json.h"
#include "projections/rows/row_tables.h"
#include "tools/luzia-query/pages.h"
#include "tools/luzia-query/session.h"

namespace luzia {

/// How rows of one kind are shown.
template <class Row>
struct Shapes {
  std::string_view plural;  // key of the list in JSON
  std::function<std::string(const Row&)> json;
  std::function<Table(const std::vector<const Row*>&, Form)> table;
  std::string_view none;  // told to people when there is no row
};

/// Of which moment an answer is, where to go on: for people, on standard error.
void tell_place(Session& session, const RowPage& page);

template <class Row>
Status print_list(Session& session, const RowPage& page, const Shapes<Row>& shapes) {
  const auto rows = rows_of<Row>(page);
  if (!rows) return tl::unexpected(rows.error());
  Console& console = session.console();
  switch (session.options().format) {
    case Format::json: {
      std::vector<std::string> objects;
      objects.reserve(rows->size());
      for (const Row* row : *rows) objects.push_back(shapes.json(*row));
      return console.write_line(list_json(shapes.plural, objects, page.position, page.next));
    }
    case Format::csv:
      return console.write(shapes.table(*rows, Form::data).csv());
    case Format::table:
      break;
  }
  if (rows->empty()) {
    console.say(shapes.none);
  } else if (Status written = console.write(shapes.table(*rows, Form::people).text(console.style()));
             !written) {
    return written;
  }
  tell_place(session, page);
  return {};
}

}  // namespace luzia
