// Text tables for people: aligned columns, fitted to a width, with or without color and unicode. Also CSV.
// Any thread.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/time.h"

namespace luzia {

enum class Align : std::uint8_t { left, right };
enum class Colour : std::uint8_t { none, dim, bold, red, green, yellow, blue, cyan };

/// Jobs, or flows, of a list that a person looks at. Rows that are written with it get a number in front, %1,
/// %2, ..., which names their job in the next command, and of each id the beginning that is enough stands
/// out.
struct JobRows {
  std::map<std::string, std::size_t, std::less<>> beginnings = {};  // how many characters are enough, by id
  std::vector<std::string> jobs = {};                               // of the rows written so far: first %1
};

struct RowMachine;
struct RowMachines;

struct TableStyle {
  std::size_t width = 0;  // columns of the terminal; 0: unknown, lines may be long
  bool colour = false;
  bool unicode = true;
  JobRows* jobs = nullptr;                // of tables with a column JOB or FLOW; null: rows are not numbered
  const RowMachines* machines = nullptr;  // these tables get a column MACHINE; null: all are of one
};

struct Column {
  std::string title;
  Align align = Align::left;
  std::size_t min_width = 4;  // a shrinking column keeps at least this much
  bool shrinks = false;       // narrowed if the table is wider than the terminal
  // Columns to omit from a table that is too wide, lowest first; 0: never. Columns without any text are
  // omitted first.
  unsigned drops = 0;
  std::string heading = {};  // what text() prints above the column; empty: the title
  bool keeps_end = false;    // cut in the middle, because its texts say most at their end
};

struct Cell {
  std::string text;  // may be from agents: made harmless when printed
  Colour colour = Colour::none;
  std::size_t beginning = 0;  // of a job's id: so many characters are enough to name it, and stand out
};

inline Cell number_cell(std::integral auto value) {
  return {std::to_string(value)};
}

/// `text` in that color; unchanged if `on` is false.
std::string coloured(std::string_view text, Colour colour, bool on);

/// "%3", the next number of a row, and its job with the beginning that is enough.
struct NumberedJob {
  std::string number;
  Cell cell;
};
/// Adds the job to the rows. `id` is harmless.
NumberedJob number_job(JobRows& rows, const std::string& id, Colour colour);
/// The cell's text in its colour, its beginning underlined.
std::string coloured(const Cell& cell, bool on);

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }
  std::size_t size() const { return rows_.size(); }
  const std::vector<Column>& columns() const { return columns_; }
  /// Sets the heading of the column with this title, which exists.
  void set_heading(std::string_view title, std::string heading) {
    columns_[place_of(title)].heading = std::move(heading);
  }
  /// The texts of the column with this title, which exists.
  std::vector<std::string> column(std::string_view title) const;
  /// Only the columns with these titles, which exist, in this order. They shrink where the table is too wide.
  Table with_columns(const std::vector<std::string>& titles) const;
  /// Adds the rows of a table with the same columns.
  void append(const Table& other);
  /// With a column before column `at`, which names the machine of each row; rows of one that has not answered
  /// are dim. Null: a row of none.
  Table with_machines(std::size_t at, const std::vector<const RowMachine*>& of_rows, TimeUs now,
                      std::string title = "MACHINE") const;

  /// The header and one line per row, each ended by a line break and at most as wide as the style says. A
  /// table that is too wide is fitted in this order:
  /// - Omit droppable columns without text.
  /// - Narrow shrinking columns, widest first, down to their minimum. If that is not enough, omit droppable
  ///   columns.
  /// - Cut what is still too wide.
  ///
  /// Real numbers in columns that align right are shown with three decimals at most; csv() has all of them.
  ///
  /// If the width is unknown, a shrinking column has at most 120 columns. Every row needs one cell per
  /// column.
  /// If style.machines is set, such a table gets a column with each row's machine behind that column.
  /// If style.jobs is set, a table with a column JOB or FLOW gets a column of row numbers in front.
  std::string text(const TableStyle& style) const;
  /// Records as csv_record writes them, with the header first. Text is unchanged except for invalid UTF-8 and
  /// the apostrophe before formulas.
  std::string csv() const;

 private:
  std::size_t place_of(std::string_view title) const;
  Table with_numbers(std::size_t job_column, JobRows& rows) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

/// One CSV record (RFC 4180) with CRLF. All CSV is written by this function. A text that a spreadsheet would
/// take for a formula (it begins with = + - @, a tab or a carriage return) gets a leading apostrophe; numbers
/// do not.
std::string csv_record(const std::vector<std::string>& fields);

}  // namespace luzia
