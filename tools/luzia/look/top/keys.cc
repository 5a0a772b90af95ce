#include "tools/luzia/look/top/keys.h"

#include <optional>

namespace luzia {
namespace {

constexpr char kEscape = '\x1b';
/// No key's sequence is longer; what is longer is dropped.
constexpr std::size_t kLongestSequence = 16;

struct Taken {
  std::size_t size = 0;  // 0: more bytes are needed
  std::optional<Key> key = {};
};

std::optional<Key> key_of_final(char final) {
  switch (final) {
    case 'A':
      return Key{KeyCode::up};
    case 'B':
      return Key{KeyCode::down};
    case 'H':
      return Key{KeyCode::home};
    case 'F':
      return Key{KeyCode::end};
    default:
      return std::nullopt;
  }
}

/// ESC [ NUMBER ~
std::optional<Key> key_of_number(std::string_view parameters) {
  if (parameters == "1" || parameters == "7") return Key{KeyCode::home};
  if (parameters == "4" || parameters == "8") return Key{KeyCode::end};
  if (parameters == "5") return Key{KeyCode::page_up};
  if (parameters == "6") return Key{KeyCode::page_down};
  return std::nullopt;
}

/// ESC [ parameters final, or ESC O final.
Taken take_sequence(std::string_view bytes) {
  if (bytes.size() < 2) return {};
  const char kind = bytes[1];
  if (kind == 'O') {
    if (bytes.size() < 3) return {};
    return {3, key_of_final(bytes[2])};
  }
  // Another Escape, or Alt with a key: the first Escape stands for itself.
  if (kind != '[') return {1, Key{KeyCode::escape}};
  for (std::size_t at = 2; at < bytes.size(); ++at) {
    const char c = bytes[at];
    if (c >= '\x40' && c <= '\x7e') {
      const std::string_view parameters = bytes.substr(2, at - 2);
      return {at + 1, c == '~' ? key_of_number(parameters) : key_of_final(c)};
    }
    if (c < '\x20' || at >= kLongestSequence) return {at, std::nullopt};
  }
  return {};
}

/// Bytes of the UTF-8 character that begins so; 0: none does.
std::size_t character_size(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

Taken take_character(std::string_view bytes) {
  const std::size_t size = character_size(static_cast<unsigned char>(bytes[0]));
  if (size == 0) return {1, std::nullopt};
  for (std::size_t at = 1; at < size; ++at) {
    if (at >= bytes.size()) return {};
    if ((static_cast<unsigned char>(bytes[at]) & 0xc0) != 0x80) return {at, std::nullopt};
  }
  return {size, Key{KeyCode::text, std::string(bytes.substr(0, size))}};
}

Taken take_key(std::string_view bytes) {
  switch (bytes[0]) {
    case kEscape:
      return take_sequence(bytes);
    case '\r':
    case '\n':
      return {1, Key{KeyCode::enter}};
    case '\x7f':
    case '\b':
      return {1, Key{KeyCode::backspace}};
    case '\x03':
      return {1, Key{KeyCode::interrupt}};
    case '\x1a':
      return {1, Key{KeyCode::suspend}};
    case '\x0c':
      return {1, Key{KeyCode::redraw}};
    case '\x10':
      return {1, Key{KeyCode::up}};
    case '\x0e':
      return {1, Key{KeyCode::down}};
    case '\x15':
      return {1, Key{KeyCode::page_up}};
    case '\x04':
      return {1, Key{KeyCode::page_down}};
    default:
      break;
  }
  if (static_cast<unsigned char>(bytes[0]) < 0x20) return {1, std::nullopt};
  return take_character(bytes);
}

}  // namespace

std::vector<Key> KeyReader::feed(std::string_view bytes) {
  rest_ += bytes;
  std::vector<Key> keys;
  std::size_t at = 0;
  while (at < rest_.size()) {
    Taken taken = take_key(std::string_view(rest_).substr(at));
    if (taken.size == 0) break;
    at += taken.size;
    if (taken.key) keys.push_back(std::move(*taken.key));
  }
  rest_.erase(0, at);
  return keys;
}

std::vector<Key> KeyReader::finish() {
  std::vector<Key> keys;
  if (rest_.starts_with(kEscape)) keys.push_back({KeyCode::escape});
  rest_.clear();
  return keys;
}

}  // namespace luzia
