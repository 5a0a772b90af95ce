// Alerts about the machine: when one begins, changes its gravity and ends. Pure: the reading, the limits and
// the time are given; the caller samples and stages the facts on stream "system".
//
//  begins     once its value has been beyond the limit in every reading for `dwell`: a short peak is none
//  graver     the same, beyond the critical limit: one more AlertRaised of the same alert
//  milder     as soon as the value is a tenth within the critical limit: AlertRaised again, as a warning
//  ends       as soon as the value is a tenth within the warning limit, or it is not measured any more
//
// While nothing of this happens an open alert is not told again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/time.h"
#include "event.fb.h"

namespace luzia {

/// What was measured; nullopt where the kernel does not tell.
struct MachineReading {
  std::optional<double> memory_used_percent = {};
  std::optional<double> memory_pressure_percent = {};  // of the last 10 s in which work waited for memory
  std::optional<double> load_per_core = {};            // load average of a minute
  std::optional<double> disk_free_mib = {};            // of the store's disk, for us
  double disk_mib = 0;                                 // all of it
};

/// 0: that limit is none.
struct AlertLimits {
  double memory_warning_percent = 0, memory_critical_percent = 0;
  double memory_pressure_percent = 0;
  double load_per_core = 0;
  double disk_used_percent = 0;  // whichever of the two comes first; critical at a quarter of
  double disk_free_mib = 0;      // the room that the warning leaves
  TimeUs dwell = 0;
};

/// The alerts that are open, and how long others have been about to be. One thread at a time.
class AlertWatch {
 public:
  /// An alert that is open from before, as the log says.
  void load(const std::string& alert, schema::Severity severity) { open_[alert] = severity; }
  bool any_open() const { return !open_.empty(); }

  /// The facts that follow from a reading; they count as told. `now` only moves forward.
  std::vector<schema::AlertFactUnion> read(const MachineReading& reading, const AlertLimits& limits,
                                           TimeUs now);

 private:
  /// Since when in every reading; 0: not in the last one.
  struct Rising {
    TimeUs warning = 0, critical = 0;
  };
  std::map<std::string, schema::Severity> open_;
  std::map<std::string, Rising> rising_;
};

}  // namespace luzia
