// Lines that say themselves that nothing is wrong, although they hold the words of a problem: a passed test
// named after an error, a command, a line of a diff, an attempt that is made once more. Any thread.
//
// (Rejected: any line that begins with "+" or, like code, with "-". Trees of packages, lists and reports have
// such lines, too. A line belongs to a diff if the lines above it lead up to the head of one.)
#pragma once

#include <string_view>

namespace luzia {

/// `line` without terminal sequences and its end; `above`: the output before it, as printed. The shipped
/// patterns report nothing for such a line; users' own patterns do, because they may look for exactly that.
bool is_ordinary_line(std::string_view line, std::string_view above);

}  // namespace luzia
