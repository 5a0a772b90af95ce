// The cgroup that holds an attempt's limits, made by the daemon (adapters/launcher/limit_cgroups.h).
// luzia-run stays outside. libc only.
#pragma once

namespace luzia::run {

/// Moves the calling process into the cgroup. Safe after vfork. False with errno.
bool enter_cgroup(const char* folder);

/// Kills every process in the cgroup at once, which no fork outruns. Kernels before 5.14 cannot: nothing
/// happens.
void kill_cgroup(const char* folder);

/// Removes the cgroup, whose processes have ended, and returns which limit the kernel held it to, in the
/// words of run_record.h; empty: none.
const char* leave_cgroup(const char* folder);

}  // namespace luzia::run
