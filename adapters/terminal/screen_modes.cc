#include "adapters/terminal/screen_modes.h"

#include <algorithm>
#include <array>

#include "engine/base/whole_number.h"

namespace luzia {
namespace {

constexpr std::size_t kLongestSequence = 64;

/// The modes in common use that a terminal keeps after the program ends (xterm's ctlseqs): cursor keys,
/// wrapping, cursor, alternate screens, mouse, focus, bracketed paste.
constexpr std::array<int, 16> kKept = {1,    7,    25,   47,   1000, 1002, 1003, 1004,
                                       1005, 1006, 1007, 1015, 1016, 1047, 1049, 2004};
constexpr bool is_on_at_first(int mode) {
  return mode == 7 || mode == 25;
}

std::string private_mode(int mode, bool on) {
  return "\x1b[?" + std::to_string(mode) + (on ? "h" : "l");
}

}  // namespace

void ScreenModes::add(std::string_view bytes) {
  while (!bytes.empty()) {
    if (state_ == State::text) {
      const std::size_t escape = bytes.find('\x1b');
      if (escape == std::string_view::npos) return;
      bytes.remove_prefix(escape);
    }
    take(bytes.front());
    bytes.remove_prefix(1);
  }
}

void ScreenModes::take(char byte) {
  if (byte == '\x1b') {
    state_ = State::escape;
    return;
  }
  if (state_ == State::escape) {
    parameters_.clear();
    state_ = byte == '[' ? State::sequence : State::text;
    if (byte == '=' || byte == '>') keypad_ = byte == '=';
    if (byte == 'c') *this = ScreenModes();
    return;
  }
  if (byte >= '@' && byte <= '~') {
    finish_sequence(byte);
    state_ = State::text;
  } else if (byte < ' ' || parameters_.size() == kLongestSequence) {
    state_ = State::text;
  } else {
    parameters_ += byte;
  }
}

void ScreenModes::finish_sequence(char final) {
  const std::string_view rest =
      parameters_.empty() ? std::string_view() : std::string_view(parameters_).substr(1);
  const char first = parameters_.empty() ? '\0' : parameters_[0];
  if (first == '?' && (final == 'h' || final == 'l')) set_private(rest, final == 'h');
  if (first == '>' && final == 'm' && rest.starts_with('4')) {
    other_keys_ = rest.starts_with("4;") && !rest.ends_with(";0");
  }
  if (first == '>' && final == 'u') {
    ++keyboard_depth_;
    keyboard_ = rest;
  }
  if (first == '<' && final == 'u') {
    const int count = leading_number<int>(rest).value_or(1);
    keyboard_depth_ = std::max(0, keyboard_depth_ - std::max(1, count));
  }
}

void ScreenModes::set_private(std::string_view numbers, bool on) {
  while (!numbers.empty()) {
    const std::size_t end = numbers.find(';');
    const int mode = leading_number<int>(numbers.substr(0, end)).value_or(0);
    if (std::find(kKept.begin(), kKept.end(), mode) != kKept.end()) {
      if (on == is_on_at_first(mode)) {
        changed_.erase(mode);
      } else {
        changed_[mode] = on;
      }
    }
    numbers.remove_prefix(end == std::string_view::npos ? numbers.size() : end + 1);
  }
}

std::string ScreenModes::entering() const {
  std::string text;
  for (const auto& [mode, on] : changed_) text += private_mode(mode, on);
  if (keypad_) text += "\x1b=";
  if (other_keys_) text += "\x1b[>4;2m";
  for (int i = 0; i < std::min(keyboard_depth_, 8); ++i) text += "\x1b[>" + keyboard_ + "u";
  return text;
}

std::string ScreenModes::leaving() const {
  std::string text = "\x1b[0m";
  if (keyboard_depth_ > 0) text += "\x1b[<" + std::to_string(keyboard_depth_) + "u";
  if (other_keys_) text += "\x1b[>4;0m";
  if (keypad_) text += "\x1b>";
  for (const auto& [mode, on] : changed_) text += private_mode(mode, !on);
  return text;
}

}  // namespace luzia
