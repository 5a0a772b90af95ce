// Classes of ASCII characters, whatever the locale, and blanks around text. Pure, any thread.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace luzia {

inline constexpr std::string_view kWhitespace = " \t\r\n";

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

constexpr bool is_letter_or_digit(char c) {
  return is_letter(c) || is_digit(c);
}

/// Below a blank, or DEL.
constexpr bool is_control(char c) {
  return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
}

constexpr bool has_control_characters(std::string_view text) {
  return std::ranges::any_of(text, is_control);
}

/// Replaces each control character by a blank, so that the text is one line.
inline std::string without_control_characters(std::string text) {
  std::ranges::replace_if(text, is_control, ' ');
  return text;
}

constexpr bool is_blank(std::string_view text) {
  return text.find_first_not_of(kWhitespace) == std::string_view::npos;
}

/// The text without `blanks` at its beginning and end.
constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = kWhitespace) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

}  // namespace luzia
