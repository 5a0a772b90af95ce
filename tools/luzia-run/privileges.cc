#include "tools/luzia-run/privileges.h"

#include <errno.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace luzia::run {

bool drop_bounding_set() {
  constexpr int kMostCapabilities = 64;
  for (int capability = 0; capability < kMostCapabilities; ++capability) {
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) return errno == EINVAL && capability > 0;
  }
  return true;
}

bool drop_capabilities(std::uint32_t kept) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct left[2] = {};
  left[0].effective = left[0].permitted = kept;
  return ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) == 0 &&
         ::syscall(SYS_capset, &header, left) == 0;
}

}  // namespace luzia::run
