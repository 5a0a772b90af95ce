// Percent-encoding of text in URLs (RFC 3986, 2.1). Pure, any thread.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/characters.h"

namespace luzia {

/// Keeps letters, digits and the characters in `plain`; every other byte becomes %XX.
inline std::string percent_encoded(std::string_view text, std::string_view plain = "-_.~") {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_letter_or_digit(c) || plain.find(c) != std::string_view::npos) {
      encoded += c;
    } else {
      encoded += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return encoded;
}

}  // namespace luzia
