// Lets programs of an attempt write their output line by line, so that people, patterns and progress see it
// while the program runs. C programs and Python otherwise keep some KiB back unless they write to a terminal.
// Any thread.
#pragma once

#include <string>
#include <vector>

namespace luzia {

/// Adds to the environment what makes the C library (coreutils' stdbuf) and Python write by line. Values that
/// are there already stay. Without stdbuf's library only Python does.
///
/// Rejected: starting the command through `stdbuf`, which hides that a program is missing; a pseudo terminal,
/// at which programs ask, draw and page as for a person.
void buffer_by_line(std::vector<std::string>& environment);

}  // namespace luzia
