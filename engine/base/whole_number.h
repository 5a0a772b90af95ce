// Numbers in text. Any thread.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>

namespace luzia {

/// Parses a number, without other characters. nullopt: no such number, or too large for Number.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? std::optional<Number>(number) : std::nullopt;
}

/// Parses a whole number from 0, without a sign.
template <std::unsigned_integral Number = std::uint64_t>
std::optional<Number> parse_whole_number(std::string_view text) {
  return parse_number<Number>(text);
}

/// The number that the text begins with. nullopt: it begins with none, or with one too large for Number.
template <class Number>
std::optional<Number> leading_number(std::string_view text) {
  Number number{};
  const bool begins = std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc();
  return begins ? std::optional<Number>(number) : std::nullopt;
}

}  // namespace luzia
