// Waits for a screen: for words on it, until it stands still, or until a shell prompts for a command. Pure:
// the caller passes the screen and the time; one thread. The time comes from any clock that does not go back.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace luzia {

/// Whether the last nonempty line ends like a shell prompt: $ # % > and the arrows that people use.
bool shows_shell_prompt(std::string_view screen);

/// Whether a program's name is that of a shell.
bool is_shell(std::string_view program);

class ScreenWait {
 public:
  /// Tests the screen's content; empty: any content.
  using Shows = std::function<bool(std::string_view screen)>;

  /// Both conditions must hold at once. `idle_ms` 0: the screen need not stand still.
  ScreenWait(Shows shows, std::uint64_t idle_ms) : shows_(std::move(shows)), idle_ms_(idle_ms) {}

  /// True once the wait is over.
  bool look(std::string_view screen, std::uint64_t now_ms);
  /// How long the screen had stood still at the last look.
  std::uint64_t still_ms() const { return still_ms_; }

 private:
  Shows shows_;
  std::uint64_t idle_ms_;
  std::optional<std::uint64_t> hash_;
  std::uint64_t since_ms_ = 0, still_ms_ = 0;
};

}  // namespace luzia
