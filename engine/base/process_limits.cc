#include "engine/base/process_limits.h"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>

namespace luzia {
namespace {

/// What the daemon needs of one resource, in the unit that people know it by.
struct Need {
  decltype(RLIMIT_CPU) resource;
  const char* what;
  const char* option;  // of ulimit
  rlim_t least, unit;
  const char* unit_name;
};
constexpr rlim_t kMib = 1 << 20;
constexpr std::array<Need, 4> kNeeds = {{
    {RLIMIT_CPU, "CPU time", "-t", 600, 1, "s"},                     // the daemon runs for weeks
    {RLIMIT_FSIZE, "size of files", "-f", 256 * kMib, kMib, "MiB"},  // tables of the store
    {RLIMIT_AS, "address space", "-v", 2048 * kMib, kMib, "MiB"},
    {RLIMIT_DATA, "memory", "-d", 512 * kMib, kMib, "MiB"},
}};

/// The soft stack limit is raised to this if possible: stacks of this program's threads get its size.
constexpr rlim_t kStack = 8 * kMib;

rlimit raised(decltype(RLIMIT_CPU) resource, rlimit given) {
  if (resource == RLIMIT_STACK)
    return {std::max(given.rlim_cur, std::min(kStack, given.rlim_max)), given.rlim_max};
  return {given.rlim_max, given.rlim_max};
}

bool is_root_free_of(decltype(RLIMIT_CPU) resource) {
  return resource != RLIMIT_STACK && resource != RLIMIT_NPROC;
}

}  // namespace

std::string raise_limits() {
  std::string changed;
  for (const auto resource : {RLIMIT_CPU, RLIMIT_FSIZE, RLIMIT_AS, RLIMIT_DATA, RLIMIT_STACK, RLIMIT_NPROC}) {
    rlimit given{};
    if (::getrlimit(resource, &given) != 0) continue;
    const rlimit none{RLIM_INFINITY, RLIM_INFINITY};
    rlimit now = raised(resource, given);
    if (is_root_free_of(resource) && given.rlim_max != RLIM_INFINITY && ::setrlimit(resource, &none) == 0) {
      now = none;
    } else if (now.rlim_cur == given.rlim_cur || ::setrlimit(resource, &now) != 0) {
      continue;
    }
    if (!changed.empty()) changed += ',';
    changed += std::to_string(static_cast<int>(resource)) + ':' + std::to_string(given.rlim_cur) + ':' +
               std::to_string(given.rlim_max);
  }
  rlimit stack{};
  pthread_attr_t threads;
  if (::getrlimit(RLIMIT_STACK, &stack) == 0 && ::pthread_getattr_default_np(&threads) == 0) {
    // glibc read the limit before main, so its default must be set again.
    std::size_t size = 0;
    ::pthread_attr_getstacksize(&threads, &size);
    if (size < std::min(stack.rlim_cur, kStack) &&
        ::pthread_attr_setstacksize(&threads, std::min(stack.rlim_cur, kStack)) == 0)
      ::pthread_setattr_default_np(&threads);
    ::pthread_attr_destroy(&threads);
  }
  return changed;
}

std::optional<Error> too_low_limit(pid_t pid, Bound bound) {
  for (const Need& need : kNeeds) {
    rlimit limit{};
    if (::prlimit(pid, need.resource, nullptr, &limit) != 0) continue;
    const rlim_t value = bound == Bound::soft ? limit.rlim_cur : limit.rlim_max;
    if (value >= need.least) continue;  // RLIM_INFINITY is the largest number
    return Error{ErrorKind::trouble, "limits_too_low",
                 std::string("the ") + need.what + " of a daemon is limited to " +
                     std::to_string(value / need.unit) + " " + need.unit_name + " (ulimit " + need.option +
                     "): it needs " + std::to_string(need.least / need.unit) + " or more",
                 "start it where that limit is higher, in another shell or as a service: luzia daemon start"};
  }
  return std::nullopt;
}

}  // namespace luzia
