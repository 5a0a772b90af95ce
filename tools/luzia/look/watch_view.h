// The live pictures of `watch`: a few lines per job, or one for each of many, as text for a terminal. Pure:
// for tests too.
#pragma once

#include <string>
#include <vector>

#include "engine/base/time.h"
#include "projections/rows/input_rows.h"
#include "tools/cli/terminal.h"
#include "tools/luzia/look/updates.h"
#include "view.fb.h"

namespace luzia {

/// "[#####---------------]  25%"; glyphs where the terminal has them.
std::string progress_bar(double percent, std::size_t width, bool unicode);

/// What is left out on request.
struct WatchLook {
  bool progress = true;
  bool last_lines = true;
};
/// last lines: neither when little is wanted nor in the compact format.
WatchLook watch_look(const UpdateSettings& settings, bool compact);

/// What people are asked now; the rows must outlive the call.
struct AskedNow {
  ShownQuestions questions = {};
  ShownApprovals approvals = {};
};
/// "Where to? (1 production, 2 staging (default))", in one bounded line, made harmless.
std::string asked_text(const view::Question& question, bool unicode);
std::string asked_text(const view::Approval& approval, bool unicode);

/// Of jobs that were named: state, progress and task in a line, the last line of output and what it asks
/// below. Lines without newline, none wider than the terminal and none more than its height allows.
std::vector<std::string> watch_lines(const std::vector<const view::Job*>& jobs, TimeUs now,
                                     const Terminal& terminal, const WatchLook& look = {},
                                     const AskedNow& asked = {});

/// Of all jobs there are: how many of which kind, what is paused, then a table with a header: what runs
/// first, then what needs a person, is parked, has ended, and the queue last. Lines as above.
std::vector<std::string> overview_lines(const std::vector<const view::Job*>& jobs,
                                        const std::vector<const view::QueueSwitch*>& pauses, TimeUs now,
                                        const Terminal& terminal, const WatchLook& look = {});

/// In how many steps the line of a wait turns.
constexpr std::size_t kWaitTurns = 10;
/// What a wait shows while it lasts, in one line of at most `terminal.width` columns: how many jobs are in
/// which state, and of the first that works its time and progress, or what it asks. `turn` counts up.
std::string wait_line(const std::vector<const view::Job*>& jobs, TimeUs now, std::size_t turn,
                      const Terminal& terminal, const WatchLook& look, const AskedNow& asked = {});

}  // namespace luzia
