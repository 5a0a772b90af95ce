#include "adapters/launcher/process_rest.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string_view>

#include "adapters/launcher/process_table.h"
#include "engine/base/descriptor.h"

namespace luzia {
namespace {

constexpr std::size_t kMostThreads = 2000;  // below one root

std::string_view value_of(std::string_view status, std::string_view key) {
  const std::size_t at = status.find(key);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = status.substr(at + key.size());
  return rest.substr(0, rest.find('\n'));
}

/// Appends the thread and its counts; false: it runs, or cannot be read.
bool add_thread(const std::string& folder, const char* thread, RestMark& mark) {
  const Descriptor file(::open((folder + "/" + thread + "/status").c_str(), O_RDONLY | O_CLOEXEC));
  const std::string status = read_up_to(file.get(), 8192).value_or(std::string());
  const std::string_view state = value_of(status, "\nState:\t");
  const std::string_view asked = value_of(status, "\nvoluntary_ctxt_switches:\t");
  const std::string_view forced = value_of(status, "\nnonvoluntary_ctxt_switches:\t");
  if (asked.empty() || forced.empty() || state.empty() || state.front() == 'R') return false;
  mark.append(thread).append(" ").append(asked).append(" ").append(forced).append("\n");
  return true;
}

bool add_threads(const ProcessStat& process, std::size_t& threads, RestMark& mark) {
  const std::string folder = "/proc/" + std::to_string(process.pid) + "/task";
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(folder.c_str()), &::closedir);
  if (!entries) return false;
  mark.append(std::to_string(process.pid)).append("@").append(std::to_string(process.start)).append("\n");
  while (const dirent* entry = ::readdir(entries.get())) {
    if (entry->d_name[0] == '.') continue;
    if (++threads > kMostThreads || !add_thread(folder, entry->d_name, mark)) return false;
  }
  return true;
}

RestMark mark_below(ProcessTable& table, const ProcessId& root) {
  const auto pid = static_cast<pid_t>(root.pid);
  const ProcessTable::Entry* parent = table.find(pid);
  if (parent == nullptr || parent->stat.start != root.start || parent->stat.ended()) return {};
  for (ProcessTable::Entry& entry : table) entry.selected = false;
  table.select_descendants(pid);
  RestMark mark;
  std::size_t threads = 0;
  for (const ProcessTable::Entry& entry : table) {
    if (!entry.selected || entry.stat.ended()) continue;
    if (!add_threads(entry.stat, threads, mark)) return {};
  }
  return mark;
}

}  // namespace

std::vector<RestMark> rest_marks(std::span<const ProcessId> roots) {
  std::vector<RestMark> marks(roots.size());
  ProcessTable table;
  if (!table.scan()) return marks;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    if (roots[i].pid != 0) marks[i] = mark_below(table, roots[i]);
  }
  return marks;
}

}  // namespace luzia
