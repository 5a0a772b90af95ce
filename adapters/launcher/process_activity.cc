#include "adapters/launcher/process_activity.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "adapters/launcher/process_table.h"
#include "engine/base/descriptor.h"

namespace luzia {
namespace {

/// The beginning of a small file in /proc; empty if it cannot be read.
std::string read_start(pid_t pid, const char* name) {
  char path[48];
  std::snprintf(path, sizeof path, "/proc/%d/%s", static_cast<int>(pid), name);
  const Descriptor file(::open(path, O_RDONLY | O_CLOEXEC));
  return read_up_to(file.get(), 1024).value_or(std::string());
}

/// Fields 14 and 15 of /proc/PID/stat (proc(5)), in clock ticks.
TimeUs cpu_time(pid_t pid) {
  const std::string stat = read_start(pid, "stat");
  const std::size_t after_name = stat.rfind(')');
  if (after_name == std::string::npos) return 0;
  unsigned long user = 0, system = 0;
  const int fields = std::sscanf(stat.c_str() + after_name + 1,
                                 " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system);
  static const long ticks = ::sysconf(_SC_CLK_TCK);
  return fields == 2 ? static_cast<TimeUs>(user + system) * kSecondUs / ticks : 0;
}

std::string first_line(std::string text) {
  text.resize(std::min(text.find('\n'), text.size()));
  return text == "0" ? std::string() : text;
}

}  // namespace

ProcessActivity process_activity(pid_t root) {
  ProcessActivity seen;
  ProcessTable table;
  if (!table.scan()) return seen;
  table.select_descendants(root);
  const ProcessStat* newest = nullptr;
  for (const ProcessTable::Entry& entry : table) {
    if (!entry.selected || entry.stat.ended()) continue;
    ++seen.processes;
    if (entry.stat.state != 'R') ++seen.asleep;
    seen.cpu += cpu_time(entry.stat.pid);
    if (!newest || entry.stat.start >= newest->start) newest = &entry.stat;
  }
  if (newest) {
    seen.newest = first_line(read_start(newest->pid, "comm"));
    if (newest->state != 'R') seen.waits_in = first_line(read_start(newest->pid, "wchan"));
  }
  return seen;
}

std::string ProcessActivity::text() const {
  if (processes == 0) return {};
  const bool one = processes == 1;
  std::string out = one ? "its process " : "its " + std::to_string(processes) + " processes ";
  if (asleep == processes) {
    out += one ? "sleeps" : "sleep";
  } else {
    out += one ? "runs" : "are busy";
  }
  out += " (" + newest + (waits_in.empty() ? "" : " in " + waits_in) + "), " + format_duration(cpu) +
         " of CPU so far";
  return out;
}

}  // namespace luzia
