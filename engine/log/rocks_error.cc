#include "engine/log/rocks_error.h"

#include <cerrno>
#include <cstring>

#include "engine/base/errno_hint.h"

namespace luzia {

tl::unexpected<Error> rocks_failure(const rocksdb::Status& status, std::string code,
                                    const std::string& what) {
  const std::string message = what + ": " + status.ToString();
  if (status.IsNoSpace()) {
    return fail(ErrorKind::trouble, "disk_full", message,
                "free space on the store's disk, then start luziad again");
  }
  if (status.IsCorruption()) {
    return fail(ErrorKind::trouble, "log_corrupt", message,
                "check the disk, then restore the store from a backup, or save what can be proved of it: "
                "`luzia-query salvage DIR`");
  }
  std::string hint;
  for (const int known : {EIO, EROFS, EDQUOT, EMFILE, ENFILE}) {
    if (status.IsIOError() && message.find(std::strerror(known)) != std::string::npos)
      hint = errno_hint(known);
  }
  return fail(ErrorKind::trouble, std::move(code), message, std::move(hint));
}

}  // namespace luzia
