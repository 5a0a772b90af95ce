// Alerts about the machine: when one begins, changes its severity and ends. Pure: reading, limits and time
// are given; the caller measures, and records the facts on the stream "system".
//
//   begins     the value was beyond the limit in every reading for `dwell`; a short peak raises no alert
//   worsens    the same for the critical limit: another AlertRaised of the same alert
//   improves   the value is a tenth within the critical limit: AlertRaised again, as a warning
//   ends       the value is a tenth within the warning limit, or is not measured any more
//
// Otherwise an open alert is not reported again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/time.h"
#include "event.fb.h"

namespace luzia {

/// One measurement. nullopt: the kernel does not provide it.
struct MachineReading {
  std::optional<double> memory_used_percent = {};
  // Share of the last 10 s in which work waited for memory.
  std::optional<double> memory_pressure_percent = {};
  std::optional<double> load_per_core = {};  // load average over one minute
  std::optional<double> disk_free_mib = {};  // available on the store's disk
  double disk_mib = 0;                       // size of that disk
};

/// Limits; 0: no such limit.
struct AlertLimits {
  double memory_warning_percent = 0, memory_critical_percent = 0;
  double memory_pressure_percent = 0;
  double load_per_core = 0;
  double disk_used_percent = 0;  // disk: whichever of the two is reached first; critical at a quarter of
  double disk_free_mib = 0;      // the space that the warning leaves
  TimeUs dwell = 0;
};

/// The open alerts, and how long others have been about to begin. One thread at a time.
class AlertWatch {
 public:
  /// Start: an alert that is open according to the log.
  void load(const std::string& alert, schema::Severity severity) { open_[alert] = severity; }
  bool any_open() const { return !open_.empty(); }

  /// The facts that follow from a reading; the caller must record them. `now` never goes back.
  std::vector<schema::AlertFactUnion> read(const MachineReading& reading, const AlertLimits& limits,
                                           TimeUs now);

 private:
  /// Since when the value is beyond the limit in every reading; 0: not in the last one.
  struct Rising {
    TimeUs warning = 0, critical = 0;
  };
  std::map<std::string, schema::Severity> open_;
  std::map<std::string, Rising> rising_;
};

}  // namespace luzia
