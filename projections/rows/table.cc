#include "projections/rows/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/base/utf8.h"
#include "projections/rows/harmless.h"
#include "projections/rows/machines.h"

namespace luzia {
namespace {

constexpr std::size_t kGap = 2;  // blanks between two columns
/// Longest text in a shrinking column if the width of the terminal is unknown, so that one long text does not
/// pad all lines.
constexpr std::size_t kMostOfText = 120;

std::string_view escape_code(Colour colour) {
  switch (colour) {
    case Colour::none:
      return {};
    case Colour::dim:
      return "\x1b[2m";
    case Colour::bold:
      return "\x1b[1m";
    case Colour::red:
      return "\x1b[31m";
    case Colour::green:
      return "\x1b[32m";
    case Colour::yellow:
      return "\x1b[33m";
    case Colour::blue:
      return "\x1b[34m";
    case Colour::cyan:
      return "\x1b[36m";
  }
  return {};
}

const std::string& heading_of(const Column& column) {
  return column.heading.empty() ? column.title : column.heading;
}

/// A column keeps the width of its heading: a cut heading is worse than cut text.
std::size_t least_width(const Column& column) {
  return std::max(column.min_width, display_width(heading_of(column)));
}

/// Which columns a table shows, and their widths.
struct Layout {
  std::vector<std::size_t> shown;   // indices of columns
  std::vector<std::size_t> widths;  // of all columns

  std::size_t total() const {
    std::size_t total = shown.empty() ? 0 : kGap * (shown.size() - 1);
    for (const std::size_t i : shown) total += widths[i];
    return total;
  }
  /// The width if every shrinking column has its minimum.
  std::size_t least(const std::vector<Column>& columns) const {
    std::size_t total = shown.empty() ? 0 : kGap * (shown.size() - 1);
    for (const std::size_t i : shown) {
      total += columns[i].shrinks ? std::min(widths[i], least_width(columns[i])) : widths[i];
    }
    return total;
  }
};

/// Omits the least important column; false: no column may be omitted.
bool drop_one(Layout& layout, const std::vector<Column>& columns) {
  auto worst = layout.shown.end();
  for (auto i = layout.shown.begin(); i != layout.shown.end(); ++i) {
    if (columns[*i].drops == 0) continue;
    if (worst == layout.shown.end() || columns[*i].drops < columns[*worst].drops) worst = i;
  }
  if (worst == layout.shown.end()) return false;
  layout.shown.erase(worst);
  return true;
}

/// Narrows the widest shrinking columns until the line fits or none can shrink further.
void shrink(Layout& layout, const std::vector<Column>& columns, std::size_t line_width) {
  for (std::size_t total = layout.total(); total > line_width; --total) {
    std::size_t widest = columns.size();
    for (const std::size_t i : layout.shown) {
      if (!columns[i].shrinks || layout.widths[i] <= least_width(columns[i])) continue;
      if (widest == columns.size() || layout.widths[i] > layout.widths[widest]) widest = i;
    }
    if (widest == columns.size()) return;
    --layout.widths[widest];
  }
}

/// Cuts what is still too wide, from the right.
void cut(Layout& layout, std::size_t line_width) {
  while (layout.shown.size() > 1 && layout.total() > line_width) {
    std::size_t& last = layout.widths[layout.shown.back()];
    const std::size_t excess = layout.total() - line_width;
    if (excess < last) {
      last -= excess;
      return;
    }
    layout.shown.pop_back();
  }
  if (layout.total() > line_width) layout.widths[layout.shown.front()] = line_width;
}

void fit(Layout& layout, const std::vector<Column>& columns, const std::vector<bool>& has_text,
         std::size_t line_width) {
  if (layout.total() <= line_width) return;
  std::erase_if(layout.shown, [&](std::size_t i) { return columns[i].drops != 0 && !has_text[i]; });
  while (layout.least(columns) > line_width && drop_one(layout, columns)) {
  }
  shrink(layout, columns, line_width);
  cut(layout, line_width);
}

void append_line(std::string& out, const std::vector<Column>& columns, const Layout& layout,
                 const std::vector<Cell>& cells, const TableStyle& style) {
  std::size_t owed = 0;  // blanks not written yet, so that no line ends with them
  for (const std::size_t i : layout.shown) {
    const auto fitted = columns[i].keeps_end ? fit_both_ends : fit_width;
    const std::string text = fitted(cells[i].text, layout.widths[i], style.unicode);
    const std::size_t pad = layout.widths[i] - std::min(layout.widths[i], display_width(text));
    if (i != layout.shown.front()) owed += kGap;
    if (columns[i].align == Align::right) owed += pad;
    if (!text.empty()) {
      out.append(owed, ' ');
      out += coloured(Cell{text, cells[i].colour, cells[i].beginning}, style.colour);
      owed = 0;
    }
    if (columns[i].align == Align::left) owed += pad;
  }
  out += '\n';
}

bool is_negative_number(std::string_view text) {
  if (!text.starts_with('-')) return false;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return end == text.data() + text.size() && error != std::errc::invalid_argument && !std::isnan(number);
}

/// A real number as people read it: 0.667 of 0.6666666666666666. Any other text is unchanged.
std::string short_number(const std::string& text) {
  if (text.find('.') == std::string::npos || text.size() < 6) return text;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end != text.data() + text.size() || error != std::errc() || !std::isfinite(number)) return text;
  if (number == 0) return "0";
  std::string shown = std::abs(number) < 0.1 ? fmt::format("{:.3g}", number) : fmt::format("{:.3f}", number);
  if (shown.find('e') != std::string::npos) return shown;
  shown.erase(shown.find_last_not_of('0') + 1);
  return shown.ends_with('.') ? shown.substr(0, shown.size() - 1) : shown;
}

/// Whether a spreadsheet would evaluate it as a formula.
bool is_formula(std::string_view field) {
  constexpr std::string_view kBegin = "=+-@\t\r";
  return !field.empty() && kBegin.find(field.front()) != std::string_view::npos && !is_negative_number(field);
}

}  // namespace

std::string coloured(std::string_view text, Colour colour, bool on) {
  if (!on || colour == Colour::none || text.empty()) return std::string(text);
  return std::string(escape_code(colour)).append(text).append("\x1b[0m");
}

std::string coloured(const Cell& cell, bool on) {
  const std::size_t marked = std::min(cell.beginning, cell.text.size());
  if (!on || marked == 0) return coloured(cell.text, cell.colour, on);
  constexpr std::string_view kUnderlined = "\x1b[4m";
  std::string out(kUnderlined);
  out.append(escape_code(cell.colour)).append(cell.text, 0, marked).append("\x1b[0m");
  return out + std::string(cell.text, marked);
}

NumberedJob number_job(JobRows& rows, const std::string& id, Colour colour) {
  rows.jobs.push_back(id);
  const auto beginning = rows.beginnings.find(id);
  return {"%" + std::to_string(rows.jobs.size()),
          {id, colour, beginning == rows.beginnings.end() ? 0 : beginning->second}};
}

std::size_t Table::place_of(std::string_view title) const {
  return static_cast<std::size_t>(std::ranges::find(columns_, title, &Column::title) - columns_.begin());
}

std::vector<std::string> Table::column(std::string_view title) const {
  const std::size_t at = place_of(title);
  std::vector<std::string> texts;
  for (const auto& row : rows_) texts.push_back(row[at].text);
  return texts;
}

Table Table::with_columns(const std::vector<std::string>& titles) const {
  std::vector<std::size_t> places;
  std::vector<Column> columns;
  for (const std::string& title : titles) {
    places.push_back(place_of(title));
    columns.push_back(columns_[places.back()]);
    columns.back().shrinks = true;
  }
  Table chosen(std::move(columns));
  for (const auto& row : rows_) {
    std::vector<Cell> cells;
    for (const std::size_t at : places) cells.push_back(row[at]);
    chosen.add(std::move(cells));
  }
  return chosen;
}

void Table::append(const Table& other) {
  rows_.insert(rows_.end(), other.rows_.begin(), other.rows_.end());
}

Table Table::with_machines(std::size_t at, const std::vector<const RowMachine*>& of_rows, TimeUs now,
                           std::string title) const {
  const auto place = static_cast<std::ptrdiff_t>(at);
  std::vector<Column> columns = columns_;
  columns.insert(columns.begin() + place, {.title = std::move(title), .min_width = 7, .shrinks = true});
  Table named(std::move(columns));
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    std::vector<Cell> row = rows_[i];
    const RowMachine* machine = of_rows[i];
    row.insert(row.begin() + place, {machine == nullptr ? std::string() : machine_text(*machine, now)});
    if (machine != nullptr && !machine->answered()) {
      for (Cell& cell : row) cell.colour = Colour::dim;
    }
    named.add(std::move(row));
  }
  return named;
}

Table Table::with_numbers(std::size_t job_column, JobRows& rows) const {
  constexpr unsigned kDropsLast = 9;
  std::vector<Column> columns = columns_;
  columns.insert(columns.begin(), {.title = "%", .align = Align::right, .drops = kDropsLast});
  Table numbered(std::move(columns));
  for (std::vector<Cell> row : rows_) {
    NumberedJob job = number_job(rows, row[job_column].text, row[job_column].colour);
    row[job_column] = std::move(job.cell);
    row.insert(row.begin(), {std::move(job.number), Colour::dim});
    numbered.add(std::move(row));
  }
  return numbered;
}

std::string Table::text(const TableStyle& style) const {
  const auto job_column = std::ranges::find_if(
      columns_, [](const Column& column) { return column.title == "JOB" || column.title == "FLOW"; });
  if ((style.machines != nullptr || style.jobs != nullptr) && job_column != columns_.end()) {
    TableStyle plain = style;
    const auto at = static_cast<std::size_t>(job_column - columns_.begin());
    if (style.machines != nullptr) {
      plain.machines = nullptr;
      std::vector<const RowMachine*> of_rows;
      for (const auto& row : rows_) of_rows.push_back(style.machines->find(row[at].text));
      return with_machines(at + 1, of_rows, style.machines->now).text(plain);
    }
    plain.jobs = nullptr;
    return with_numbers(at, *style.jobs).text(plain);
  }
  Layout layout;
  std::vector<bool> has_text(columns_.size(), false);
  for (const Column& column : columns_) {
    layout.shown.push_back(layout.widths.size());
    layout.widths.push_back(display_width(heading_of(column)));
  }
  std::vector<std::vector<Cell>> lines;
  for (const auto& row : rows_) {
    std::vector<Cell>& line = lines.emplace_back();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const HarmlessOptions one_line{.keep_newlines = false, .keep_tabs = false, .unicode = style.unicode};
      const bool is_number = columns_[i].align == Align::right;
      line.push_back({make_harmless(is_number ? short_number(row[i].text) : row[i].text, one_line),
                      row[i].colour, row[i].beginning});
      const std::size_t width = display_width(line.back().text);
      const bool bounded = style.width == 0 && columns_[i].shrinks;
      layout.widths[i] = std::max(layout.widths[i], bounded ? std::min(width, kMostOfText) : width);
      has_text[i] = has_text[i] || !line.back().text.empty();
    }
  }
  if (style.width > 0) fit(layout, columns_, has_text, style.width);

  std::string out;
  std::vector<Cell> header;
  for (const Column& column : columns_) header.push_back({heading_of(column), Colour::bold});
  append_line(out, columns_, layout, header, style);
  for (const auto& line : lines) append_line(out, columns_, layout, line, style);
  return out;
}

std::string csv_record(const std::vector<std::string>& fields) {
  std::string out;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) out += ',';
    const std::string field =
        (is_formula(fields[i]) ? "'" : "") + bounded_utf8(fields[i], fields[i].size() * kReplacement.size());
    if (field.find_first_of(",\"\r\n") == std::string::npos) {
      out += field;
      continue;
    }
    out += '"';
    for (const char c : field) {
      if (c == '"') out += '"';
      out += c;
    }
    out += '"';
  }
  return out + "\r\n";
}

std::string Table::csv() const {
  std::vector<std::string> fields;
  for (const Column& column : columns_) fields.push_back(column.title);
  std::string out = csv_record(fields);
  for (const auto& row : rows_) {
    fields.clear();
    for (const Cell& cell : row) fields.push_back(cell.text);
    out += csv_record(fields);
  }
  return out;
}

}  // namespace luzia
