// What keeps jobs from starting on this machine at the moment, and the configured limits.
#pragma once

#include <optional>
#include <string>

#include "adapters/config/config.h"
#include "engine/queue/scheduler.h"

namespace luzia {

/// What the kernel reports; nullopt if it does not.
struct MachineLoad {
  std::optional<double> load = {};                 // runnable processes, mean of one minute
  std::optional<double> free_memory_percent = {};  // MemAvailable of MemTotal
  std::optional<double> memory_pressure_percent =
      {};  // "some", mean of 10 s: Documentation/accounting/psi.rst
};
/// `proc`: /proc, or a test's folder.
MachineLoad read_machine_load(const std::string& proc = "/proc");

/// The limits other than gates. max_running 0 means twice the cores.
Capacity capacity_of(const Config& config);

/// The gates of [queue]. A closed gate opens only a tenth below its limit, so that starting jobs do not close
/// it again at once. Loop thread.
class Gates {
 public:
  /// Whether the configuration has any gate.
  static bool any(const Config& config);
  /// Why nothing may start now; empty: all gates are open.
  std::string closed(const Config& config, const MachineLoad& load);

 private:
  bool load_ = false, memory_ = false, pressure_ = false;  // closed
};

}  // namespace luzia
