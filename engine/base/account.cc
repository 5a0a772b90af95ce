#include "engine/base/account.h"

#include <grp.h>
#include <pwd.h>

#include <array>
#include <cstdio>
#include <memory>

namespace luzia {
namespace {

/// One line with a long list of members fits.
using EntryText = std::array<char, 65536>;
using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

Account account_in(const passwd& entry) {
  return {entry.pw_name, entry.pw_gid, entry.pw_dir != nullptr ? entry.pw_dir : ""};
}

}  // namespace

std::optional<Account> account_of(uid_t user) {
  const auto text = std::make_unique<EntryText>();
  passwd entry{};
  passwd* found = nullptr;
  const File file(std::fopen("/etc/passwd", "re"), &std::fclose);
  while (file != nullptr && ::fgetpwent_r(file.get(), &entry, text->data(), text->size(), &found) == 0) {
    if (entry.pw_uid == user) return account_in(entry);
  }
  const int failed = ::getpwuid_r(user, &entry, text->data(), text->size(), &found);
  return failed == 0 && found != nullptr ? std::optional(account_in(*found)) : std::nullopt;
}

std::string group_name(gid_t group) {
  const auto text = std::make_unique<EntryText>();
  ::group entry{};
  ::group* found = nullptr;
  const File file(std::fopen("/etc/group", "re"), &std::fclose);
  while (file != nullptr && ::fgetgrent_r(file.get(), &entry, text->data(), text->size(), &found) == 0) {
    if (entry.gr_gid == group) return entry.gr_name;
  }
  const int failed = ::getgrgid_r(group, &entry, text->data(), text->size(), &found);
  return failed == 0 && found != nullptr ? found->gr_name : "";
}

}  // namespace luzia
