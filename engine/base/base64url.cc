#include "engine/base/base64url.h"

#include <cstdint>

namespace luzia {
namespace {

constexpr std::string_view kBase64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

}  // namespace

std::string base64url(std::string_view bytes) {
  std::string text;
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (const char byte : bytes) {
    bits = (bits << 8U) | static_cast<unsigned char>(byte);
    for (held += 8; held >= 6; held -= 6) text += kBase64Digits[(bits >> (held - 6)) & 63U];
  }
  if (held > 0) text += kBase64Digits[(bits << (6 - held)) & 63U];
  return text;
}

std::optional<std::string> from_base64url(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (const char digit : text) {
    const std::size_t value = kBase64Digits.find(digit);
    if (value == std::string_view::npos) return std::nullopt;
    bits = (bits << 6U) | static_cast<std::uint32_t>(value);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>((bits >> held) & 0xffU);
  }
  // What is left over is the end of the last byte, and zero.
  if (held >= 6 || (bits & ((1U << held) - 1)) != 0) return std::nullopt;
  return bytes;
}

}  // namespace luzia
