// Detects from /proc whether processes ran between two samples. The kernel counts each time a thread leaves a
// processor (proc(5): ctxt_switches). A process that sleeps in both samples, with the same threads and
// counts, has not run. Blocks; any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "adapters/launcher/launcher.h"

namespace luzia {

/// A sample of all descendants of one process. Empty: unknown, because one of them runs, one belongs to
/// another user behind hidepid, or there are none or too many.
using RestMark = std::string;

/// The results are aligned with `roots`; empty for a root that has ended. Reads every process of the machine,
/// about 10 us each, plus about 20 us for each thread below a root.
std::vector<RestMark> rest_marks(std::span<const ProcessId> roots);

/// Certainty needs a third sample, `confirmed`: a thread about to sleep shows as asleep before the kernel
/// counts the switch.
inline bool have_rested(const RestMark& before, const RestMark& after, const RestMark& confirmed) {
  return !before.empty() && before == after && before == confirmed;
}

}  // namespace luzia
