#include "engine/base/plain_environment.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace luzia {
namespace {

/// Names with their sign; LC_ stands for a family.
constexpr std::array<std::string_view, 12> kPlain = {
    "PATH=", "HOME=",    "TERM=",  "TZ=",       "LANG=",     "LANGUAGE=",
    "LC_",   "COLUMNS=", "LINES=", "NO_COLOR=", "CLICOLOR=", "CLICOLOR_FORCE="};

bool is_plain_variable(std::string_view entry) {
  return std::ranges::any_of(kPlain, [entry](std::string_view name) { return entry.starts_with(name); });
}

}  // namespace

void keep_plain_environment() {
  char** kept = environ;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (is_plain_variable(*entry)) *kept++ = *entry;
  }
  *kept = nullptr;
}

}  // namespace luzia
