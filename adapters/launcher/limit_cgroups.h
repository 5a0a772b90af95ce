// Cgroups (version 2) in which the kernel holds the limits of attempts. Format and meaning of the files:
// Documentation/admin-guide/cgroup-v2.rst. Only where a part of the tree is delegated to the daemon: by a
// systemd unit with Delegate=, of the system or of a user. Blocks for a few system calls; threads may share
// one object after take_over().
//
//   ROOT/daemon          luziad, and the luzia-runs that it starts
//   ROOT/job-ID.N        the agent of attempt N of a job, and all that it starts
//
// Rejected: a scope of systemd for each attempt. It takes a message bus and 10 to 20 ms a start.
#pragma once

#include <sys/types.h>

#include <functional>
#include <set>
#include <string>

#include "engine/base/result.h"
#include "job.fb.h"

namespace luzia {

/// The folder of the cgroup that is delegated to this process; if there is none, why.
struct DelegatedCgroup {
  std::string folder;
  std::string why_none;
};
/// Whether the cgroup at `folder` is delegated to `user`. The system's systemd marks it with an attribute
/// (user.delegate, trusted.delegate). A user's marks nothing (systemd 252), but the folder is the user's; the
/// name of our unit tells it from terminals and desktops, which must not be taken over.
bool is_delegated_cgroup(const std::string& folder, uid_t user);

/// Parameters for tests: the text of /proc/self/cgroup, where the tree is mounted, and whether a folder is
/// delegated.
DelegatedCgroup find_delegated_cgroup(const std::string& own_cgroups, const std::string& mounted_at,
                                      const std::function<bool(const std::string& folder)>& is_delegated);
DelegatedCgroup find_delegated_cgroup();

class LimitCgroups {
 public:
  /// `root`: the delegated folder. `why_none`: said of limits that are not held, if `root` is empty.
  explicit LimitCgroups(DelegatedCgroup place) : place_(std::move(place)) {}

  /// Moves the processes of the root into ROOT/daemon, because a cgroup with processes can hand no
  /// controllers on, and hands on those for memory, CPU and processes. If it fails, the kernel holds
  /// nothing.
  void take_over();

  /// Makes the cgroup of an attempt and sets its limits; again for one that exists. Empty: no limit that the
  /// kernel can hold here. Error: `cgroup_unusable`.
  Result<std::string> prepare(const std::string& job, std::uint32_t attempt,
                              const schema::AttemptLimitsT& limits) const;
  /// The folder that prepare() makes, whether it exists or not; empty: the kernel holds nothing here.
  std::string folder_of(const std::string& job, std::uint32_t attempt) const;

  /// Removes groups of attempts that are over, which a killed luzia-run has left.
  void sweep(const std::function<bool(const std::string& job)>& is_live) const;

  /// In words, which of these limits nobody holds, and why; empty: all are held. What the kernel does not
  /// hold, luziad does, except CPU.
  /// `in_cgroup`: whether the attempt runs in its folder_of().
  std::string not_held(const schema::AttemptLimitsT& limits, bool in_cgroup) const;
  /// "by the kernel in ROOT (memory, processes, CPU)", for people.
  std::string text() const;
  /// Whether the kernel holds limits of CPU; else nobody does.
  bool holds_cpu() const { return has("cpu"); }

 private:
  bool has(const char* controller) const { return controllers_.contains(controller); }

  DelegatedCgroup place_;
  std::set<std::string> controllers_;  // handed on
};

/// How often the kernel refused the cgroup another process or thread ("max" of pids.events).
std::uint64_t refused_processes(const std::string& cgroup);

}  // namespace luzia
