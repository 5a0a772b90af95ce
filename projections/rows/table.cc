#include "projections/rows/table.h"

#include <algorithm>

#include "projections/rows/harmless.h"
#include "projections/rows/utf8.h"

namespace luzia {
namespace {

constexpr std::size_t kGap = 2;  // columns between two columns

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

/// Narrows the widest of the columns that may shrink until the line fits or nothing gives way.
void shrink(std::vector<std::size_t>& widths, const std::vector<Column>& columns, std::size_t line_width) {
  std::size_t total = kGap * (widths.size() - 1);
  for (const std::size_t width : widths) total += width;
  while (total > line_width) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (!columns[i].shrinks || widths[i] <= columns[i].min_width) continue;
      if (widest == widths.size() || widths[i] > widths[widest]) widest = i;
    }
    if (widest == widths.size()) return;
    --widths[widest];
    --total;
  }
}

struct Shown {
  std::string text;
  Colour colour;
};

void append_line(std::string& out, const std::vector<Column>& columns, const std::vector<std::size_t>& widths,
                 const std::vector<Shown>& cells, const TableStyle& style) {
  std::size_t owed = 0;  // blanks not yet written, so that no line ends with them
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string text = fit_width(cells[i].text, widths[i], style.unicode);
    const std::size_t pad = widths[i] - std::min(widths[i], display_width(text));
    if (i > 0) owed += kGap;
    if (columns[i].align == Align::right) owed += pad;
    if (!text.empty()) {
      out.append(owed, ' ');
      out += coloured(text, cells[i].colour, style.colour);
      owed = 0;
    }
    if (columns[i].align == Align::left) owed += pad;
  }
  out += '\n';
}

/// Valid UTF-8, otherwise unchanged.
std::string repaired(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Character c = first_character(text);
    out += c.valid ? text.substr(0, c.size) : kReplacement;
    text.remove_prefix(c.size);
  }
  return out;
}

}  // namespace

std::string coloured(std::string_view text, Colour colour, bool on) {
  if (!on || colour == Colour::none || text.empty()) return std::string(text);
  return std::string(escape_code(colour)).append(text).append("\x1b[0m");
}

std::string Table::text(const TableStyle& style) const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(display_width(column.title));
  std::vector<std::vector<Shown>> lines;
  for (const auto& row : rows_) {
    std::vector<Shown>& line = lines.emplace_back();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const HarmlessOptions one_line{.keep_newlines = false, .keep_tabs = false, .unicode = style.unicode};
      line.push_back({make_harmless(row[i].text, one_line), row[i].colour});
      widths[i] = std::max(widths[i], display_width(line.back().text));
    }
  }
  if (style.width > 0) shrink(widths, columns_, style.width);

  std::string out;
  std::vector<Shown> header;
  for (const Column& column : columns_) header.push_back({column.title, Colour::bold});
  append_line(out, columns_, widths, header, style);
  for (const auto& line : lines) append_line(out, columns_, widths, line, style);
  return out;
}

std::string csv_record(const std::vector<std::string>& fields) {
  std::string out;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) out += ',';
    const std::string field = repaired(fields[i]);
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
