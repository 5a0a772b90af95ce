// Summarizes what an attempt's processes are doing, from /proc, to show people why there is no output. Any
// thread.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>

#include "engine/base/time.h"

namespace luzia {

struct ProcessActivity {
  std::size_t processes = 0;  // descendants of the root that have not ended
  std::size_t asleep = 0;     // of them, those that wait (states S, D and T)
  TimeUs cpu = 0;             // their user and system time so far
  std::string newest;         // name of the youngest
  std::string waits_in;       // the kernel function that it waits in; empty: it runs, or unknown

  /// "its 2 processes sleep (apt-get in wait_woken), 0.1s of CPU so far"; empty without processes.
  std::string text() const;
};

/// Covers all descendants of `root`. Reads every process of the machine, about 10 us each.
ProcessActivity process_activity(pid_t root);

}  // namespace luzia
