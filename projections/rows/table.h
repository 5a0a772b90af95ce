// Text tables for people: columns with alignment, fitted to a width, with or without colour and unicode; and
// CSV.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace luzia {

enum class Align : std::uint8_t { left, right };
enum class Colour : std::uint8_t { none, dim, bold, red, green, yellow, blue, cyan };

/// Jobs of a list that a person looks at. Rows that are written with it get a number in front, %1, %2, ...,
/// which names their job in the next command, and of each id the beginning that is enough stands out.
struct JobRows {
  std::map<std::string, std::size_t, std::less<>> beginnings = {};  // how many characters are enough, by id
  std::vector<std::string> jobs = {};                               // of the rows written so far: first %1
};

struct TableStyle {
  std::size_t width = 0;  // columns of the terminal; 0 = not known, lines may be long
  bool colour = false;
  bool unicode = true;
  JobRows* jobs = nullptr;  // of tables with a column JOB; null: rows are not numbered
};

struct Column {
  std::string title;
  Align align = Align::left;
  std::size_t min_width = 4;  // a column that may shrink keeps this much
  bool shrinks = false;       // gives way when the table is wider than the terminal
  // Left out of a table that is too wide, the lowest first; 0: never. One without any text goes first of all.
  unsigned drops = 0;
};

struct Cell {
  std::string text;  // of agents too: made harmless when printed
  Colour colour = Colour::none;
  std::size_t beginning = 0;  // of a job's id: so many characters are enough to name it, and stand out
};

/// `text` in that colour, or as it is.
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

  /// Header and one line per row, each ended by a line break and never wider than the style says: a table too
  /// wide leaves out droppable columns without text, then narrows its shrinking columns, the widest first,
  /// down to their least width, leaving out droppable columns where that does not do; what is then still too
  /// wide is cut. Where no width is known a shrinking column has at most 120 columns. Every row has a cell
  /// per column.
  /// With style.jobs a table with a column JOB has a column of numbers in front.
  std::string text(const TableStyle& style) const;
  /// Records as csv_record writes them, text unchanged but for invalid UTF-8 and the apostrophe of formulas.
  /// The header row comes first.
  std::string csv() const;

 private:
  Table with_numbers(std::size_t job_column, JobRows& rows) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

/// One CSV record (RFC 4180) with CRLF: the one writer of all that is CSV. A text that a spreadsheet would
/// take for a formula (it begins with = + - @, a tab or a carriage return) gets an apostrophe in front;
/// numbers stay as they are.
std::string csv_record(const std::vector<std::string>& fields);

}  // namespace luzia
