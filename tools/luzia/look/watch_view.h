// The live display of `watch` as text for a terminal: a few lines per named job, or one line for each of
// many. Pure.
#pragma once

#include <string>
#include <vector>

#include "engine/base/time.h"
#include "projections/rows/input_rows.h"
#include "tools/cli/terminal.h"
#include "tools/luzia/look/updates.h"
#include "view.fb.h"

namespace luzia {

/// "[#####---------------]  25%"; with block glyphs if `unicode`.
std::string progress_bar(double percent, std::size_t width, bool unicode);

/// The lines of a text, without their ends.
std::vector<std::string> lines_of(const std::string& text);

/// Which parts to show.
struct WatchLook {
  bool progress = true;
  bool last_lines = true;
};
/// The parts for these settings: quiet hides both, `compact` hides last lines.
WatchLook watch_look(const UpdateSettings& settings, bool compact);

/// Open questions and approvals; the rows must outlive the call.
struct AskedNow {
  ShownQuestions questions = {};
  ShownApprovals approvals = {};
};
/// "Where to? (1 production, 2 staging (default))": one line of bounded width, made harmless.
std::string asked_text(const view::Question& question, bool unicode);
std::string asked_text(const view::Approval& approval, bool unicode);

/// The display of named jobs: a line with state, progress and task, below it the question and the last line
/// of output. Lines have no newline, are at most as wide as the terminal and fit its height.
std::vector<std::string> watch_lines(const std::vector<const view::Job*>& jobs, TimeUs now,
                                     const Terminal& terminal, const WatchLook& look = {},
                                     const AskedNow& asked = {});

/// The display of all jobs: counts by kind, pauses, then a table with a header: running jobs first, then
/// those that need a person, parked and ended ones, and the queue last. Lines as in watch_lines().
std::vector<std::string> overview_lines(const std::vector<const view::Job*>& jobs,
                                        const std::vector<const view::QueueSwitch*>& pauses, TimeUs now,
                                        const Terminal& terminal, const WatchLook& look = {});

/// The number of steps of the spinner in wait_line().
constexpr std::size_t kWaitTurns = 10;
/// The line shown during a wait, at most `terminal.width` columns: counts of jobs by state, and the first
/// running job's time and progress or its question. `turn` counts up and moves the spinner.
std::string wait_line(const std::vector<const view::Job*>& jobs, TimeUs now, std::size_t turn,
                      const Terminal& terminal, const WatchLook& look, const AskedNow& asked = {});

}  // namespace luzia
