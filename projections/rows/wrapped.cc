#include "projections/rows/wrapped.h"

#include <algorithm>

#include "engine/base/utf8.h"
#include "projections/rows/harmless.h"

namespace luzia {
namespace {

/// Number of bytes of `line` that fit: at least one character, so that every step makes progress.
std::size_t fitting_bytes(std::string_view line, std::size_t width) {
  std::size_t bytes = first_character(line).size;
  std::size_t used = display_width(line.substr(0, bytes));
  while (bytes < line.size()) {
    const std::size_t next = first_character(line.substr(bytes)).size;
    used += display_width(line.substr(bytes, next));
    if (used > width) break;
    bytes += next;
  }
  return bytes;
}

/// Takes the first piece from `line` and returns it.
std::string_view take_piece(std::string_view& line, std::size_t width) {
  std::size_t bytes = line.size();
  if (width != 0 && !line.empty()) bytes = fitting_bytes(line, width);
  if (bytes < line.size()) {
    const std::size_t space = line.substr(0, bytes + 1).rfind(' ');
    const bool has_word = space != std::string_view::npos && line.find_first_not_of(' ') < space;
    if (has_word) bytes = space;
  }
  const std::string_view piece = line.substr(0, bytes);
  line.remove_prefix(bytes);
  line.remove_prefix(std::min(line.size(), line.find_first_not_of(' ')));
  return piece;
}

}  // namespace

WrappedText wrap_text(std::string_view text, std::size_t width, std::size_t most) {
  WrappedText wrapped;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    do {
      if (wrapped.lines.size() == most) {
        wrapped.is_cut = true;
        return wrapped;
      }
      wrapped.lines.emplace_back(take_piece(line, width));
    } while (!line.empty());
  }
  return wrapped;
}

std::string wrap_hanging(std::string_view text, std::size_t width, std::size_t indent) {
  if (width == 0) return std::string(text);
  std::string lines;
  std::size_t column = indent;
  const auto begin_line = [&] {
    lines += '\n' + std::string(indent, ' ');
    column = indent;
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    const std::size_t columns = display_width(word);
    if (column > indent && column + 1 + columns > width) {
      begin_line();
    } else if (column > indent) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += columns;
    if (end < text.size() && text[end] == '\n') begin_line();
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace luzia
