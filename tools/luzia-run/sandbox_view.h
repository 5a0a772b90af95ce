// The files that a sandboxed attempt sees: a new root of bind mounts, built from a list of paths.
//
// A hidden path is absent, not covered: a visible folder with something hidden below becomes a folder of its
// own, into which every other entry is bound. So a file that somebody outside replaces by renaming never
// appears. Only below a writable folder, whose new files must reach the disk, hidden paths are covered.
//
// Rejected: one read-only bind of / with covers on top. The kernel removes a cover whose file is replaced
// outside, and shows the new one.
#pragma once

#include "tools/luzia-run/options.h"
#include "tools/luzia-run/sandbox_covers.h"
#include "tools/luzia-run/text.h"

namespace luzia::run {

/// Makes that root the root of this process, which needs a mount namespace of its own and the right to mount
/// there. `covers` gets what must be kept there. Without success, `problem` says why, and the process must
/// not go on.
bool build_view(const Options& options, Covers& covers, TextView& problem);

}  // namespace luzia::run
