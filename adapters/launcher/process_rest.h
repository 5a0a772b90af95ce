// Whether processes have run in between two looks at them, from /proc: the kernel counts each time that a
// thread leaves a processor (proc(5): ctxt_switches). Who sleeps at both looks, with the same threads and the
// same counts, has done nothing. Blocks; any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "adapters/launcher/launcher.h"

namespace luzia {

/// Of all descendants of one process. Empty: it cannot be told (one of them runs, is another user's behind
/// hidepid, there are none or too many).
using RestMark = std::string;

/// Aligned with `roots`; of a root that has ended it is empty. One look at every process of the machine,
/// about 10 us each, and about 20 us for each thread below a root.
std::vector<RestMark> rest_marks(std::span<const ProcessId> roots);

/// To be quite sure a third look is needed, `confirmed`: a thread about to sleep is seen asleep before it is
/// counted.
inline bool have_rested(const RestMark& before, const RestMark& after, const RestMark& confirmed) {
  return !before.empty() && before == after && before == confirmed;
}

}  // namespace luzia
