#include "engine/base/store_filesystem.h"

#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

#include "engine/base/safe_folder.h"

namespace luzia {
namespace {

// f_type numbers, from statfs(2) and linux/magic.h.
constexpr std::array<std::uint32_t, 8> kRefusedTypes = {
    0x6969,      // NFS
    0xff534d42,  // CIFS
    0xfe534d42,  // SMB2
    0x517b,      // SMB
    0x65735546,  // FUSE
    0x564c,      // NCP
    0x5346414f,  // AFS
    0x01021997,  // 9P
};

}  // namespace

Status check_store_filesystem(const std::string& store) {
  std::string path = store;
  struct statfs stats {};
  while (statfs(path.c_str(), &stats) != 0) {
    if (errno != ENOENT || path == "/" || path == ".") {
      return fail_errno(errno, "store_unusable", "cannot look at the file system of " + path);
    }
    path = folder_above(path);
  }
  if (!is_refused_filesystem(static_cast<long>(stats.f_type))) return {};
  return fail(ErrorKind::trouble, "store_filesystem",
              "the store " + store +
                  " would lie on a network or FUSE file system, where locks and fsync cannot be trusted",
              "put the store on a local disk ([store] path)");
}

bool is_refused_filesystem(long type) {
  return std::ranges::find(kRefusedTypes, static_cast<std::uint32_t>(type)) != kRefusedTypes.end();
}

}  // namespace luzia
