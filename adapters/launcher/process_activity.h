// What the processes of an attempt are doing, from /proc: for people who wonder why nothing comes. Any
// thread.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>

#include "engine/base/time.h"

namespace luzia {

struct ProcessActivity {
  std::size_t processes = 0;  // below the root, that have not ended
  std::size_t asleep = 0;     // of them, that wait for something (states S, D and T)
  TimeUs cpu = 0;             // user and system time of them all so far
  std::string newest;         // name of the youngest
  std::string waits_in;       // the kernel function that it waits in; empty: it runs, or that is not told

  /// "its 2 processes sleep (apt-get in wait_woken), 0.1s of CPU so far"; empty without processes.
  std::string text() const;
};

/// Of all descendants of `root`. One look at every process of the machine, about 10 us each.
ProcessActivity process_activity(pid_t root);

}  // namespace luzia
