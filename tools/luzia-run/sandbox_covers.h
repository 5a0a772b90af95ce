// What lies over paths below a folder that a sandbox shows as a whole: read only, writable, or empty.
//
// The kernel takes such a mount away when somebody outside removes what lies under it or renames something
// over it, as editors, agents and `git config` do to save: the new file would stand uncovered. The keeper of
// the sandbox puts the mount back at once. An agent that waits for that moment can be quicker than it, which
// tools/docs/sandbox.md says.
//
// Rejected: to end the attempt each time. A person who changes a setting would end all jobs of the night.
#pragma once

#include <cstddef>

#include "tools/luzia-run/text.h"

namespace luzia::run {

/// The empty folder with which restore() covers one.
constexpr char kNothing[] = "/dev/.none";

class Covers {
 public:
  Covers() = default;
  ~Covers();
  Covers(const Covers&) = delete;
  Covers& operator=(const Covers&) = delete;

  /// `kind`: of its rule (ShownPaths). `path`: without links, in the sandbox. Those above come first. False:
  /// out of memory.
  bool add(char kind, const char* path);
  bool any() const { return count_ > 0; }
  /// Mounts again what is not mounted there. False: what the agent may only read is gone, so that it could
  /// make its own, or cannot be covered; `problem` says so, and the attempt must not go on.
  bool restore(TextView& problem) const;

 private:
  struct Cover {
    char kind;
    char* path;  // allocated
  };

  Cover* covers_ = nullptr;
  std::size_t count_ = 0, capacity_ = 0;
};

}  // namespace luzia::run
