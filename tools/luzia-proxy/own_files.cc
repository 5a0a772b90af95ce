#include "tools/luzia-proxy/own_files.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "engine/base/descriptor.h"

namespace luzia {

bool give_up_files() {
  constexpr std::uint64_t kAllOfTheFirstVersion = (std::uint64_t{LANDLOCK_ACCESS_FS_MAKE_SYM} << 1U) - 1;
  constexpr std::uint64_t kReading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
  landlock_ruleset_attr wanted{};
  wanted.handled_access_fs = kAllOfTheFirstVersion;
  const Descriptor ruleset(
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &wanted, sizeof wanted, 0)));
  if (!ruleset) return false;
  for (const char* path : {"/etc", "/usr", "/lib", "/lib64", "/run"}) {
    const Descriptor folder(::open(path, O_PATH | O_DIRECTORY | O_CLOEXEC));
    landlock_path_beneath_attr rule{};
    rule.allowed_access = kReading;
    rule.parent_fd = folder.get();
    if (folder && ::syscall(SYS_landlock_add_rule, ruleset.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0)
      return false;
  }
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::syscall(SYS_landlock_restrict_self, ruleset.get(), 0) == 0;
}

}  // namespace luzia
