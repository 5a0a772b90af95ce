// The picture of luzia top: state + size -> lines. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/cli/terminal.h"
#include "tools/luzia/look/top/model.h"

namespace luzia {

/// As many lines as the terminal is high, none wider than it is; colours and glyphs where it has them.
/// `numbered`: rows have the numbers by which the next command names their jobs.
std::vector<std::string> top_lines(const TopModel& model, TimeUs now, const Terminal& terminal,
                                   bool numbered = false);
/// The jobs and flows of the listed rows, the first one being %1; nothing while no list is shown.
std::optional<std::vector<std::string>> top_rows(const TopModel& model);

/// Rows that a page of that height has, for the keys that move by pages.
std::size_t top_page(const Terminal& terminal);

}  // namespace luzia
