// The live pictures of `watch`: a few lines per job, or one for each of many, as text for a terminal. Pure:
// for tests too.
#pragma once

#include <string>
#include <vector>

#include "engine/base/time.h"
#include "tools/luzia/terminal.h"
#include "view.fb.h"

namespace luzia {

/// "[#####---------------]  25%"; glyphs where the terminal has them.
std::string progress_bar(double percent, std::size_t width, bool unicode);

/// Of jobs that were named: state, progress and task in a line, the last line of output below. Lines without
/// newline, none wider than the terminal and none more than its height allows.
std::vector<std::string> watch_lines(const std::vector<const view::Job*>& jobs, TimeUs now,
                                     const Terminal& terminal);

/// Of all jobs there are: how many of which kind, what is paused, then a table with a header: what runs
/// first, then what needs a person, is parked, has ended, and the queue last. Lines as above.
std::vector<std::string> overview_lines(const std::vector<const view::Job*>& jobs,
                                        const std::vector<const view::QueueSwitch*>& pauses, TimeUs now,
                                        const Terminal& terminal);

}  // namespace luzia
