#include "engine/base/errno_hint.h"

#include <cerrno>

namespace luzia {

std::string_view errno_hint(int errno_value) {
  switch (errno_value) {
    case EIO:
      return "the disk fails: see dmesg and smartctl -a, copy what can be read, then restore a backup";
    case ENOSPC:
      return "the disk is full: df -h shows which; free space (luzia gc), then try again";
    case EDQUOT:
      return "the disk quota is used up: free space or raise it (quota -s), then try again";
    case EROFS:
      return "the file system is read-only, often after an error of its disk: see dmesg and mount";
    case EMFILE:
    case ENFILE:
      return "too many files are open: raise the limit (ulimit -n, LimitNOFILE= of a unit)";
    default:
      return {};
  }
}

}  // namespace luzia
