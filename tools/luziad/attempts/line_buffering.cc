#include "tools/luziad/attempts/line_buffering.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace luzia {
namespace {

// Where distributions have the library that stdbuf preloads.
constexpr std::array<const char*, 4> kLibraries = {
    "/usr/libexec/coreutils/libstdbuf.so", "/usr/lib/coreutils/libstdbuf.so",
    "/usr/lib64/coreutils/libstdbuf.so", "/usr/local/libexec/coreutils/libstdbuf.so"};

/// The entry "NAME=..."; the end: there is none.
auto entry_of(std::vector<std::string>& environment, std::string_view name) {
  return std::ranges::find_if(environment, [&](const std::string& entry) {
    return entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=';
  });
}

void add_if_missing(std::vector<std::string>& environment, std::string_view name, std::string_view value) {
  if (entry_of(environment, name) != environment.end()) return;
  environment.push_back(std::string(name).append("=").append(value));
}

/// Adds to a list of values separated by colons.
void add_to_list(std::vector<std::string>& environment, std::string_view name, std::string_view value) {
  const auto entry = entry_of(environment, name);
  if (entry == environment.end()) {
    environment.push_back(std::string(name).append("=").append(value));
  } else {
    entry->append(entry->ends_with('=') ? "" : ":").append(value);
  }
}

}  // namespace

void buffer_by_line(std::vector<std::string>& environment) {
  add_if_missing(environment, "PYTHONUNBUFFERED", "1");
  const auto* library =
      std::ranges::find_if(kLibraries, [](const char* path) { return ::access(path, R_OK) == 0; });
  if (library == kLibraries.end()) return;
  add_to_list(environment, "LD_PRELOAD", *library);
  add_if_missing(environment, "_STDBUF_O", "L");
  add_if_missing(environment, "_STDBUF_E", "L");
  // A program built with GCC's address sanitizer otherwise refuses to start behind a preloaded library.
  add_to_list(environment, "ASAN_OPTIONS", "verify_asan_link_order=0");
}

}  // namespace luzia
