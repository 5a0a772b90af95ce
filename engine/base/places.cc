#include "engine/base/places.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "engine/base/account.h"

namespace luzia {
namespace {

constexpr char kBelowState[] = "/luzia/store";
constexpr char kStateOfHome[] = "/.local/state";

std::string absolute_from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && value[0] == '/' ? value : "";
}

}  // namespace

std::string home_directory() {
  if (std::string home = absolute_from_environment("HOME"); !home.empty()) {
    return home;
  }
  const auto account = account_of(::geteuid());
  return account && account->home.starts_with('/') ? account->home : "";
}

std::string base_directory(const char* variable, const std::string& fallback) {
  if (std::string base = absolute_from_environment(variable); !base.empty()) {
    return base;
  }
  const std::string home = home_directory();
  return home.empty() ? "" : home + fallback;
}

std::string store_by_surroundings() {
  if (const std::string state = absolute_from_environment("XDG_STATE_HOME"); !state.empty()) {
    return state + kBelowState;
  }
  if (::geteuid() == 0) {
    return kSystemStore;
  }
  const std::string home = home_directory();
  return home.empty() ? "/var/tmp/luzia-" + std::to_string(::geteuid()) + "/store"
                      : home + kStateOfHome + kBelowState;
}

std::string earlier_store_of_root() {
  const std::string home = ::geteuid() == 0 ? home_directory() : "";
  if (home.empty()) {
    return "";
  }
  std::string store = home + kStateOfHome + kBelowState;
  struct stat log;
  const bool is_own = ::lstat((store + "/log").c_str(), &log) == 0 && S_ISDIR(log.st_mode) && log.st_uid == 0;
  return is_own ? store : "";
}

}  // namespace luzia
