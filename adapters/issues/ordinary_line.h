// Lines that say themselves that nothing is wrong, although they hold the words of a problem: a passed test
// named after an error, a command, an added line of a diff, an attempt that is made once more. Any thread.
#pragma once

#include <string_view>

namespace luzia {

/// `line` without terminal sequences and its end. The shipped patterns report nothing for such a line; users'
/// own patterns do, because they may look for exactly that.
bool is_ordinary_line(std::string_view line);

}  // namespace luzia
