// Accounts of this machine by number, for programs that may be linked statically.
//
// A static program cannot load the modules that nsswitch.conf names: glibc's getpwuid() may end it there. So
// /etc/passwd and /etc/group are read first, and the C library is asked only about accounts that these files
// do not have (LDAP, systemd-homed). Any thread.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace luzia {

struct Account {
  std::string name;
  gid_t group = 0;   // the primary one
  std::string home;  // as it is written there; not always absolute
};

/// nullopt: no such user.
std::optional<Account> account_of(uid_t user);

/// Empty: no such group.
std::string group_name(gid_t group);

}  // namespace luzia
