#include "engine/alert/alert.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "engine/event/event.h"

namespace luzia {
namespace {

using schema::Severity;

/// How far within its limit a value must be before an alert ends or improves.
constexpr double kWithin = 0.9;
constexpr const char* kType = "RESOURCE_WARNING";

std::string number_text(double number) {
  char text[40];
  std::snprintf(text, sizeof text, "%.1f", number);
  std::string word = text;
  if (word.ends_with(".0")) word.resize(word.size() - 2);
  return word;
}

/// One measured value with two limits.
struct Condition {
  std::string alert;
  std::optional<double> value;
  double warning = 0, critical = 0;  // 0: none
  bool is_room = false;              // free space instead of usage: too little is bad
  std::string recommendation;

  bool beyond(double limit, bool open) const {
    if (!value || limit <= 0) return false;
    if (is_room) return *value < (open ? limit / kWithin : limit);
    return *value > (open ? limit * kWithin : limit);
  }
};

std::string message_of(const Condition& condition, double limit) {
  const std::string value = number_text(*condition.value), threshold = number_text(limit);
  if (condition.alert == "memory") return value + " % of the memory is used, over " + threshold + " %";
  if (condition.alert == "memory_pressure") {
    return "work waits for memory " + value + " % of the time, over " + threshold + " %";
  }
  if (condition.alert == "load") return "the load is " + value + " per core, over " + threshold;
  return value + " MiB are free on the disk of the store, less than " + threshold + " MiB";
}

std::vector<Condition> conditions_of(const MachineReading& reading, const AlertLimits& limits) {
  const double disk =
      std::max(limits.disk_free_mib,
               limits.disk_used_percent > 0 ? reading.disk_mib * (100 - limits.disk_used_percent) / 100 : 0);
  return {{"memory", reading.memory_used_percent, limits.memory_warning_percent,
           limits.memory_critical_percent, false,
           "luzia status shows what runs; luzia pause or cancel ends the growth, [queue] "
           "min_free_memory_percent keeps new jobs waiting"},
          {"memory_pressure", reading.memory_pressure_percent, limits.memory_pressure_percent, 0, false,
           "fewer jobs at a time ([queue] max_running), or luzia pause of the largest"},
          {"load", reading.load_per_core, limits.load_per_core, 0, false,
           "fewer jobs at a time ([queue] max_running), or [queue] max_load keeps new ones waiting"},
          {"disk", reading.disk_free_mib, disk, disk / 4, true,
           "free some space: below 40 MiB nothing new starts"}};
}

/// The severity by this reading alone, given the open alert.
std::optional<Severity> severity_of(const Condition& condition, std::optional<Severity> open) {
  if (condition.beyond(condition.critical, open == Severity::critical)) return Severity::critical;
  if (condition.beyond(condition.warning, open.has_value())) return Severity::warning;
  return std::nullopt;
}

schema::AlertFactUnion raised(const Condition& condition, Severity severity) {
  const double limit = severity == Severity::critical ? condition.critical : condition.warning;
  schema::AlertRaisedT fact;
  fact.alert = condition.alert;
  fact.alert_type = kType;
  fact.severity = severity;
  fact.message = message_of(condition, limit);
  fact.recommendation = condition.recommendation;
  fact.value = *condition.value;
  fact.threshold = limit;
  return domain_fact(std::move(fact));
}

schema::AlertFactUnion over(const std::string& alert, double value) {
  return domain_fact(schema::AlertEndedT{{}, alert, value});
}

/// Since when the condition holds: unchanged while it does, `now` when it begins, 0 when it does not.
TimeUs since(TimeUs before, bool is_so, TimeUs now) {
  if (!is_so) return 0;
  return before != 0 ? before : now;
}

}  // namespace

std::vector<schema::AlertFactUnion> AlertWatch::read(const MachineReading& reading, const AlertLimits& limits,
                                                     TimeUs now) {
  std::vector<schema::AlertFactUnion> facts;
  std::map<std::string, Severity> open;
  for (const Condition& condition : conditions_of(reading, limits)) {
    const auto known = open_.find(condition.alert);
    const std::optional<Severity> before = known != open_.end() ? std::optional(known->second) : std::nullopt;
    const std::optional<Severity> seen = severity_of(condition, before);
    Rising& rising = rising_[condition.alert];
    rising.warning = since(rising.warning, seen.has_value(), now);
    rising.critical = since(rising.critical, seen == Severity::critical, now);
    const auto lasted = [&](TimeUs from) { return from != 0 && now - from >= limits.dwell; };
    std::optional<Severity> after = before;
    if (!seen) {
      after = std::nullopt;
    } else if (before == Severity::critical && seen == Severity::warning) {
      after = seen;
    } else if (lasted(rising.critical)) {
      after = Severity::critical;
    } else if (!before && lasted(rising.warning)) {
      // The value is beyond the critical limit too, but not for long enough yet.
      after = Severity::warning;
    }
    if (after) open[condition.alert] = *after;
    if (after && after != before) facts.push_back(raised(condition, *after));
    if (before && !after) facts.push_back(over(condition.alert, condition.value.value_or(0)));
  }
  // Open alerts of a program with other conditions would never end by themselves.
  for (const auto& [alert, severity] : open_) {
    if (!rising_.contains(alert)) facts.push_back(over(alert, 0));
  }
  open_ = std::move(open);
  return facts;
}

}  // namespace luzia
