#include "tools/luziad/watching/file_eyes.h"

#include <grp.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace luzia {
namespace {

/// Affects this thread only: setgroups(3) would change all threads.
bool set_own_groups(const std::vector<gid_t>& groups) {
  return syscall(SYS_setgroups, groups.size(), groups.data()) == 0;
}

}  // namespace

std::vector<gid_t> groups_of(const std::string& user, gid_t gid) {
  int count = 64;
  std::vector<gid_t> groups(static_cast<std::size_t>(count));
  if (getgrouplist(user.c_str(), gid, groups.data(), &count) < 0) {
    groups.resize(static_cast<std::size_t>(count));
    getgrouplist(user.c_str(), gid, groups.data(), &count);
  }
  groups.resize(static_cast<std::size_t>(count));
  return groups;
}

FileEyes::FileEyes(const std::vector<gid_t>& groups, uid_t uid, gid_t gid) {
  const int count = getgroups(0, nullptr);
  before_.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
  if (count < 0 || getgroups(count, before_.data()) < 0 || !set_own_groups(groups)) return;
  setfsgid(gid);
  setfsuid(uid);
  // There is no other way to detect whether it worked.
  changed_ = true;
  is_other_ = setfsuid(~uid_t{0}) == static_cast<int>(uid);
}

FileEyes::~FileEyes() {
  if (!changed_) return;
  setfsuid(geteuid());
  setfsgid(getegid());
  set_own_groups(before_);
}

}  // namespace luzia
