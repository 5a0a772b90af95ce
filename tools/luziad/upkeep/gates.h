// What keeps jobs from starting on this machine as it is now, and the limits that the configuration sets.
#pragma once

#include <optional>
#include <string>

#include "adapters/config/config.h"
#include "engine/queue/scheduler.h"

namespace luzia {

/// As far as the kernel tells; nullopt where it does not.
struct MachineLoad {
  std::optional<double> load = {};                 // runnable processes, mean of a minute
  std::optional<double> free_memory_percent = {};  // MemAvailable of MemTotal
  std::optional<double> memory_pressure_percent =
      {};  // "some", mean of 10 s: Documentation/accounting/psi.rst
};
/// `proc`: /proc, or a test's folder.
MachineLoad read_machine_load(const std::string& proc = "/proc");

/// Limits without gates. 0 for max_running means twice the cores.
Capacity capacity_of(const Config& config);

/// The gates of [queue]. A gate that has closed opens again only at a tenth below its limit, so that jobs do
/// not start and stop it at each turn. Loop thread.
class Gates {
 public:
  /// Whether the configuration has any.
  static bool any(const Config& config);
  /// Why nothing may start now; empty: all open.
  std::string closed(const Config& config, const MachineLoad& load);

 private:
  bool load_ = false, memory_ = false, pressure_ = false;  // closed
};

}  // namespace luzia
