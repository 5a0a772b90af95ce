// Waiting for a screen: for words on it, until it stands still, or until a shell asks for its next command.
// Pure: the caller looks and says when; one thread. The time is any clock's that does not go back.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace luzia {

/// Whether the last line that is not empty ends as the prompts of shells do: $ # % > and the arrows that
/// people like.
bool shows_shell_prompt(std::string_view screen);

/// Names of programs that are shells.
bool is_shell(std::string_view program);

class ScreenWait {
 public:
  /// What a screen must show; empty: anything.
  using Shows = std::function<bool(std::string_view screen)>;

  /// All of what is asked for must hold at once. `idle_ms` 0: it need not stand still.
  ScreenWait(Shows shows, std::uint64_t idle_ms) : shows_(std::move(shows)), idle_ms_(idle_ms) {}

  /// True when the wait is over.
  bool look(std::string_view screen, std::uint64_t now_ms);
  /// How long the screen has stood still at the last look.
  std::uint64_t still_ms() const { return still_ms_; }

 private:
  Shows shows_;
  std::uint64_t idle_ms_;
  std::optional<std::uint64_t> hash_;
  std::uint64_t since_ms_ = 0, still_ms_ = 0;
};

}  // namespace luzia
