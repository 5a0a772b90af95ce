#include "tools/luziad/upkeep/machine_monitor.h"

#include <algorithm>
#include <thread>

#include "projections/alerts.h"
#include "tools/luziad/upkeep/config_watch.h"
#include "tools/luziad/upkeep/disk_room.h"
#include "tools/luziad/upkeep/gates.h"
#include "tools/luziad/upkeep/login_watch.h"
#include "tools/luziad/upkeep/scrub.h"

namespace luzia {
namespace {

constexpr TimeUs kSampleEvery = 5 * kSecondUs;

}  // namespace

AlertLimits alert_limits(const Config& config) {
  const auto& monitor = config.monitor;
  AlertLimits limits;
  limits.memory_warning_percent = monitor.memory_warning_percent;
  limits.memory_critical_percent = monitor.memory_critical_percent;
  limits.memory_pressure_percent = monitor.memory_pressure_warning_percent;
  limits.load_per_core = monitor.load_warning_per_core;
  limits.disk_used_percent = monitor.disk_warning_percent;
  limits.disk_free_mib = static_cast<double>(monitor.disk_free_warning_mib);
  constexpr std::uint64_t kLongestMs = 86'400'000;
  limits.dwell = static_cast<TimeUs>(std::min(monitor.alert_dwell_ms, kLongestMs)) * kMillisecondUs;
  return limits;
}

MachineReading read_machine(const std::string& store, const std::string& proc) {
  const MachineLoad load = read_machine_load(proc);
  MachineReading reading;
  if (load.free_memory_percent) reading.memory_used_percent = 100 - *load.free_memory_percent;
  reading.memory_pressure_percent = load.memory_pressure_percent;
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  if (load.load) reading.load_per_core = *load.load / cores;
  if (const auto space = disk_space(store)) {
    constexpr double kMib = 1 << 20;
    reading.disk_free_mib = static_cast<double>(space->free) / kMib;
    reading.disk_mib = static_cast<double>(space->all) / kMib;
  }
  return reading;
}

void MachineMonitor::load(const ViewReader& rows) {
  for (const view::AlertT& alert : open_alerts(rows)) {
    const bool is_others = alert.alert == kStoreDamaged || alert.alert == kConfigRefused ||
                           alert.alert.starts_with(kLoginRefused);
    const bool is_measured = !is_others && alert.expires_us == 0;
    if (is_measured) watch_.load(alert.alert, alert.severity);
  }
}

void MachineMonitor::turn(TimeUs monotonic, bool busy) {
  if (!timer_ || (!busy && !watch_.any_open())) return;
  if (last_ == 0 || monotonic - last_ >= kSampleEvery) {
    last_ = monotonic;
    for (auto& fact : watch_.read(read_machine(store_), alert_limits(config_), monotonic)) {
      stage_(std::move(fact));
    }
  }
  if (!busy || timer_->running()) return;
  const TimeUs left = std::max<TimeUs>(0, last_ + kSampleEvery - monotonic);
  timer_->start(static_cast<std::uint64_t>(left / kMillisecondUs) + 1, [] {});  // wakes the loop to sample
}

}  // namespace luzia
