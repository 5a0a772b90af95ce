// Lines of a block of output. Pure, any thread. Private to adapters/issues.
#pragma once

#include <cstddef>
#include <string_view>

namespace luzia {

/// `line` without its newline and a carriage return before that.
inline std::string_view without_end(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// The size of the whole lines at the beginning of `text`: at most `most` bytes, or one longer line.
inline std::size_t whole_lines(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text.size();
  std::size_t end = text.rfind('\n', most - 1);
  if (end == std::string_view::npos) end = text.find('\n', most);
  return end == std::string_view::npos ? text.size() : end + 1;
}

}  // namespace luzia
