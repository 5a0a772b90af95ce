#include "tools/luziad/attempts/run_dir.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace luzia {

Result<std::string> prepare_run_dir(const std::string& store) {
  const std::string path = store + "/run";
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return fail_errno(errno, "store_unwritable", "cannot make " + path);
  }
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != geteuid() ||
      (status.st_mode & 077) != 0) {
    return fail(ErrorKind::trouble, "store_permissions",
                path + " is not a folder of this user with mode 0700",
                "chmod 700 " + path + ", or remove what stands in its place");
  }
  return path;
}

}  // namespace luzia
