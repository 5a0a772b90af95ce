// The live picture of `watch`: a few lines per job, as text for a terminal. Pure: for tests too.
#pragma once

#include <string>
#include <vector>

#include "engine/base/time.h"
#include "tools/luzia/terminal.h"
#include "view.fb.h"

namespace luzia {

/// "[#####---------------]  25%"; glyphs where the terminal has them.
std::string progress_bar(double percent, std::size_t width, bool unicode);

/// Lines without newline, none wider than the terminal and none more than its height allows.
std::vector<std::string> watch_lines(const std::vector<const view::Job*>& jobs, TimeUs now,
                                     const Terminal& terminal);

}  // namespace luzia
