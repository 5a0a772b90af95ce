#include "adapters/terminal/screen_wait.h"

#include <algorithm>
#include <array>

#include "engine/base/hash.h"

namespace luzia {
namespace {

constexpr std::array<std::string_view, 10> kPromptEnds = {"$", "#", "%", ">", "❯", "›", "»", "➜", "λ", "▶"};
constexpr std::array<std::string_view, 12> kShells = {"sh",  "bash", "zsh", "fish", "dash", "ksh",
                                                      "ash", "tcsh", "csh", "mksh", "nu",   "elvish"};

std::string_view last_line(std::string_view screen) {
  screen = screen.substr(0, screen.find_last_not_of(" \n\r\t") + 1);
  const std::size_t newline = screen.rfind('\n');
  return newline == std::string_view::npos ? screen : screen.substr(newline + 1);
}

}  // namespace

bool shows_shell_prompt(std::string_view screen) {
  const std::string_view line = last_line(screen);
  return std::ranges::any_of(kPromptEnds, [&](std::string_view end) { return line.ends_with(end); });
}

bool is_shell(std::string_view program) {
  if (program.starts_with('-')) program.remove_prefix(1);  // of a login shell
  return std::ranges::find(kShells, program) != kShells.end();
}

bool ScreenWait::look(std::string_view screen, std::uint64_t now_ms) {
  const std::uint64_t hash = checksum64(as_bytes(screen));
  if (hash_ != hash) {
    hash_ = hash;
    since_ms_ = now_ms;
  }
  still_ms_ = now_ms - since_ms_;
  return still_ms_ >= idle_ms_ && (!shows_ || shows_(screen));
}

}  // namespace luzia
