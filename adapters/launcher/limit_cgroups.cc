#include "adapters/launcher/limit_cgroups.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

#include "engine/base/descriptor.h"

namespace luzia {
namespace {

constexpr const char* kMountedAt = "/sys/fs/cgroup";
constexpr const char* kDaemonGroup = "/daemon";
constexpr const char* kAttemptPrefix = "job-";
constexpr const char* kUserUnit = "/luziad.service";
constexpr const char* kControllers[] = {"memory", "pids", "cpu"};
constexpr std::uint64_t kCpuPeriodUs = 100'000;  // the kernel's default

std::string whole_text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// One write, as the kernel's files need it. 0, or an errno value.
int write_value(const std::string& path, const std::string& value) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  if (file.get() < 0) return errno;
  return ::write(file.get(), value.data(), value.size()) < 0 ? errno : 0;
}

}  // namespace

bool is_delegated_cgroup(const std::string& folder, uid_t user) {
  for (const char* name : {"user.delegate", "trusted.delegate"}) {
    char value[2] = {};
    if (::getxattr(folder.c_str(), name, value, sizeof value) == 1 && value[0] == '1') return true;
  }
  struct stat info {};
  return user != 0 && folder.ends_with(kUserUnit) && ::stat(folder.c_str(), &info) == 0 &&
         info.st_uid == user;
}

DelegatedCgroup find_delegated_cgroup(const std::string& own_cgroups, const std::string& mounted_at,
                                      const std::function<bool(const std::string& folder)>& is_delegated) {
  std::istringstream lines(own_cgroups);
  std::string own;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("0::/")) own = line.substr(3);
  }
  if (own.empty()) return {"", "this kernel has no cgroups of version 2"};
  // An earlier daemon, which this one has replaced in the same process, has moved there.
  if (own.ends_with(kDaemonGroup)) own.resize(own.size() - std::string_view(kDaemonGroup).size());
  const std::string folder = own == "/" ? mounted_at : mounted_at + own;
  if (!is_delegated(folder)) {
    return {"",
            "no cgroup is delegated to luziad: the units luziad.service of the system and of users have one"};
  }
  return {folder, ""};
}

DelegatedCgroup find_delegated_cgroup() {
  struct statfs where {};
  if (::statfs(kMountedAt, &where) != 0 || static_cast<std::uint32_t>(where.f_type) != CGROUP2_SUPER_MAGIC)
    return {"", std::string("cgroups of version 2 are not mounted at ") + kMountedAt};
  return find_delegated_cgroup(whole_text("/proc/self/cgroup"), kMountedAt, [](const std::string& folder) {
    return is_delegated_cgroup(folder, ::geteuid());
  });
}

void LimitCgroups::take_over() {
  if (place_.folder.empty()) return;
  const std::string& root = place_.folder;
  const std::string own = root + kDaemonGroup;
  if (::mkdir(own.c_str(), 0755) != 0 && errno != EEXIST) {
    place_.why_none = "luziad cannot make " + own + ": " + std::string(::strerror(errno));
    return place_.folder.clear();
  }
  std::istringstream pids(whole_text(root + "/cgroup.procs"));
  for (std::string pid; pids >> pid;) write_value(own + "/cgroup.procs", pid);  // it may have ended
  std::istringstream offered(whole_text(root + "/cgroup.controllers"));
  for (std::string name; offered >> name;) {
    const bool wanted = std::ranges::find(kControllers, name) != std::end(kControllers);
    if (wanted && write_value(root + "/cgroup.subtree_control", "+" + name) == 0) controllers_.insert(name);
  }
  if (!controllers_.empty()) return;
  place_.why_none = "the cgroup " + root + " can hand on no controller of memory, processes or CPU";
  place_.folder.clear();
}

std::string LimitCgroups::folder_of(const std::string& job, std::uint32_t attempt) const {
  if (place_.folder.empty()) return {};
  return place_.folder + "/" + kAttemptPrefix + job + "." + std::to_string(attempt);
}

Result<std::string> LimitCgroups::prepare(const std::string& job, std::uint32_t attempt,
                                          const schema::AttemptLimitsT& limits) const {
  struct Setting {
    const char* controller;
    const char* file;
    std::string value;
  };
  std::vector<Setting> settings;
  if (limits.memory_bytes != 0) {
    settings.push_back({"memory", "/memory.max", std::to_string(limits.memory_bytes)});
    settings.push_back({"memory", "/memory.oom.group", "1"});  // all of the attempt, or nothing
  }
  if (limits.processes != 0) settings.push_back({"pids", "/pids.max", std::to_string(limits.processes)});
  if (limits.cpu_percent != 0) {
    const std::uint64_t quota = limits.cpu_percent * kCpuPeriodUs / 100;
    settings.push_back({"cpu", "/cpu.max", std::to_string(quota) + " " + std::to_string(kCpuPeriodUs)});
  }
  std::erase_if(settings, [this](const Setting& each) { return !has(each.controller); });
  const std::string folder = folder_of(job, attempt);
  if (folder.empty() || settings.empty()) return std::string();
  int error = ::mkdir(folder.c_str(), 0755) == 0 || errno == EEXIST ? 0 : errno;
  for (const Setting& each : settings) {
    if (error == 0) error = write_value(folder + each.file, each.value);
  }
  // Without it, an attempt would go on growing in the swap. Kernels without swap accounting lack the file.
  if (error == 0 && limits.memory_bytes != 0) write_value(folder + "/memory.swap.max", "0");
  if (error == 0) return folder;
  ::rmdir(folder.c_str());
  return fail_errno(error, "cgroup_unusable", "cannot limit job " + job + " in " + folder);
}

void LimitCgroups::sweep(const std::function<bool(const std::string& job)>& is_live) const {
  DIR* folder = place_.folder.empty() ? nullptr : ::opendir(place_.folder.c_str());
  if (folder == nullptr) return;
  while (const dirent* entry = ::readdir(folder)) {
    const std::string name = entry->d_name;
    const std::size_t dot = name.rfind('.');
    if (!name.starts_with(kAttemptPrefix) || dot == std::string::npos) continue;
    const std::size_t begin = std::string_view(kAttemptPrefix).size();
    // The kernel refuses to remove one with processes.
    if (!is_live(name.substr(begin, dot - begin))) ::rmdir((place_.folder + "/" + name).c_str());
  }
  ::closedir(folder);
}

std::string LimitCgroups::not_held(const schema::AttemptLimitsT& limits, bool in_cgroup) const {
  if (limits.cpu_percent == 0 || (in_cgroup && has("cpu"))) return {};
  const std::string why = place_.folder.empty() ? place_.why_none
                          : has("cpu")          ? "its cgroup could not be made (luziad.log says why)"
                                                : "the cgroup " + place_.folder + " has no controller of CPU";
  return "the limit of " + std::to_string(limits.cpu_percent) + " % of a core is not held: " + why;
}

std::string LimitCgroups::text() const {
  if (place_.folder.empty()) return "memory, processes and disk by luziad, CPU by nobody: " + place_.why_none;
  std::string names;
  for (const std::string& name : controllers_) names += (names.empty() ? "" : ", ") + name;
  return names + " by the kernel in " + place_.folder + (has("cpu") ? "" : "; CPU by nobody") +
         "; the rest by luziad";
}

std::uint64_t refused_processes(const std::string& cgroup) {
  std::istringstream words(whole_text(cgroup + "/pids.events"));
  std::string name;
  std::uint64_t count = 0;
  while (words >> name >> count) {
    if (name == "max") return count;
  }
  return 0;
}

}  // namespace luzia
