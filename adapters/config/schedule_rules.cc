#include "adapters/config/schedule_rules.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "adapters/config/nearest.h"
#include "adapters/config/toml_text.h"
#include "engine/base/characters.h"
#include "engine/base/utf8.h"

namespace luzia {
namespace {

constexpr std::size_t kMaxZoneBytes = 1 << 20, kMaxZoneName = 100, kMaxScheduleTask = 256 << 10;
constexpr std::uint64_t kLeastEveryMs = 1'000;

/// nullopt: no such file, or none of that kind.
std::optional<TimeZone> read_zone(const std::string& path) {
  struct stat status = {};
  const bool is_file = ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
                       static_cast<std::size_t>(status.st_size) <= kMaxZoneBytes;
  if (!is_file) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  return parse_zone_file(bytes);
}

std::string zone_folder() {
  const char* folder = std::getenv("TZDIR");
  return folder != nullptr && *folder == '/' ? folder : "/usr/share/zoneinfo";
}

std::optional<TimeZone> named_zone(const std::string& name) {
  if (name == "UTC" || name == "Etc/UTC") return TimeZone();  // also without the database
  const bool plain = std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '+' || c == '-' || c == '/';
  });
  if (name.empty() || name.size() > kMaxZoneName || !plain || name.front() == '/') return std::nullopt;
  return read_zone(zone_folder() + "/" + name);
}

/// As the C library reads TZ.
TimeZone own_zone() {
  const char* given = std::getenv("TZ");
  if (given == nullptr) return read_zone("/etc/localtime").value_or(TimeZone());
  const std::string text = *given == ':' ? given + 1 : given;
  if (text.starts_with('/')) return read_zone(text).value_or(TimeZone());
  if (auto zone = named_zone(text)) return *zone;
  return parse_zone_rule(text).value_or(TimeZone());
}

/// Collects the faults of one schedule.
class ScheduleCheck {
 public:
  ScheduleCheck(const Config& config, const std::string& name, std::vector<ScheduleFault>& faults)
      : config_(config), name_(name), faults_(faults) {}

  void run(const ScheduleConfig& schedule) {
    check_times(schedule);
    check_names(schedule);
    if (is_blank(schedule.task)) wrong("task", "has no task", "add task = \"...\": what its agent should do");
    if (schedule.task.size() > kMaxScheduleTask)
      wrong("task", "has a task of over 256 KiB", "put it into a file, and name the file in the task");
    if (schedule.task.find('\0') != std::string::npos) wrong("task", "has a NUL character in its task", "");
  }

 private:
  void wrong(const std::string& key, const std::string& what, std::string hint, bool of_machine = false) {
    faults_.push_back(
        {"schedules." + name_ + "." + key, "schedule '" + name_ + "' " + what, std::move(hint), of_machine});
  }
  void check_times(const ScheduleConfig& schedule) {
    const bool every = schedule.every_ms != 0, cron = !schedule.cron.empty();
    if (every && cron) wrong("cron", "has every and cron", "leave one of them out");
    if (!every && !cron) wrong("every", "is never due", "add every = \"2h\" or cron = \"0 7 * * 1-5\"");
    if (every && schedule.every_ms < kLeastEveryMs)
      wrong("every", "is due more often than every second", "write a duration such as \"10m\" or \"2h\"");
    if (const auto parsed = cron ? parse_cron(schedule.cron) : Result<Cron>(Cron()); !parsed)
      wrong("cron", "has a cron that cannot be read: " + parsed.error().message, parsed.error().hint);
    if (every && !schedule.time_zone.empty())
      wrong("time_zone", "has every, which needs no time_zone", "leave one of them out");
    if (const auto zone = find_time_zone(schedule.time_zone); !zone)
      wrong("time_zone", "has a time_zone that cannot be used: " + zone.error().message, zone.error().hint,
            true);
  }
  void check_names(const ScheduleConfig& schedule) {
    if (schedule.project.empty()) {
      wrong("project", "has no project", "add project = \"NAME\"");
    } else if (!config_.projects.contains(schedule.project)) {
      const std::string near = nearest(config_.projects, schedule.project);
      wrong("project", "is for '" + schedule.project + "', which is no project",
            near.empty() ? "add [projects." + schedule.project + "]" : "did you mean " + near + "?");
    }
    if (!schedule.agent.empty() && !config_.agents.contains(schedule.agent)) {
      const std::string near = nearest(config_.agents, schedule.agent);
      wrong("agent", "is for '" + schedule.agent + "', which is no agent",
            near.empty() ? "add [agents." + schedule.agent + "]" : "did you mean " + near + "?");
    }
    const bool bad_tag = std::ranges::any_of(schedule.tags, [](const std::string& tag) {
      return tag.empty() || !is_plain_line(tag, 64) || tag.find_first_of(" ,") != std::string::npos;
    });
    if (bad_tag)
      wrong("tags", "has a tag that is empty, over 64 bytes or has spaces, commas or control characters",
            "a tag is one word");
  }
  template <class Map>
  static std::string nearest(const Map& map, const std::string& meant) {
    std::vector<std::string> known;
    for (const auto& [name, value] : map) known.push_back(name);
    return nearest_name(meant, known);
  }

  const Config& config_;
  const std::string& name_;
  std::vector<ScheduleFault>& faults_;
};

}  // namespace

Result<TimeZone> find_time_zone(const std::string& name) {
  if (name.empty()) return own_zone();
  if (auto zone = named_zone(name)) return *std::move(zone);
  struct stat status = {};
  const bool has_database = ::stat(zone_folder().c_str(), &status) == 0;
  return fail(ErrorKind::usage, "unknown_time_zone", "'" + name + "' is no time zone of " + zone_folder(),
              has_database ? "write a name such as Europe/Berlin; timedatectl list-timezones lists them"
                           : "install the package tzdata");
}

Result<Recurrence> recurrence_of(const ScheduleConfig& schedule, TimeUs anchor) {
  Recurrence rule;
  rule.every = static_cast<TimeUs>(schedule.every_ms) * kMillisecondUs;
  rule.anchor = anchor;
  if (rule.every != 0) return rule;
  rule.cron = LUZIA_TRY(parse_cron(schedule.cron));
  rule.zone = LUZIA_TRY(find_time_zone(schedule.time_zone));
  return rule;
}

std::string rule_text(const ScheduleConfig& schedule) {
  if (schedule.every_ms == 0) return schedule.cron;
  return "every " + duration_text(schedule.every_ms);
}

std::vector<ScheduleFault> schedule_faults(const Config& config) {
  std::vector<ScheduleFault> faults;
  for (const auto& [name, schedule] : config.schedules) ScheduleCheck(config, name, faults).run(schedule);
  return faults;
}

}  // namespace luzia
