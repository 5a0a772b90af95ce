// Lines that say themselves that nothing is wrong, although they hold the words of a problem: a passed test
// named after an error, a command, a line of a diff, an attempt that is made once more. Any thread.
//
// (Rejected: any line that begins with "+" or, like code, with "-". Trees of packages, lists and reports have
// such lines, too. A line belongs to a diff if the lines above it lead up to the head of one.)
#pragma once

#include <cstddef>
#include <string_view>

namespace luzia {

/// Tells which lines of a text belong to a diff. It remembers the last answer, so that a long diff full of
/// the words of problems costs no more than its length. One thread.
class DiffLines {
 public:
  /// `at`: where the line begins, in `text`, which was the same in earlier calls, or longer.
  bool holds(std::string_view text, std::size_t at);

 private:
  std::size_t asked_ = std::string_view::npos;
  bool answer_ = false;
};

/// `line` without terminal sequences and its end; it begins at `at` of `text`, the output as printed. The
/// shipped patterns report nothing for such a line; users' own patterns do, because they may look for exactly
/// that.
bool is_ordinary_line(std::string_view line, std::string_view text, std::size_t at, DiffLines& diffs);

}  // namespace luzia
