#include "adapters/config/toml_text.h"

namespace luzia {
namespace {

bool is_bare(std::string_view key) {
  return !key.empty() &&
         key.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") ==
             std::string_view::npos;
}

}  // namespace

std::string toml_string(std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string quote = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quote += '\\';
      quote += c;
    } else if (c == '\n') {
      quote += "\\n";
    } else if (c == '\t') {
      quote += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      quote += "\\u00";
      quote += kDigits[byte >> 4];
      quote += kDigits[byte & 15];
    } else {
      quote += c;
    }
  }
  return quote + "\"";
}

std::string toml_key(std::string_view key) {
  return is_bare(key) ? std::string(key) : toml_string(key);
}

std::string duration_text(std::uint64_t ms) {
  if (ms % 1'000 != 0) return std::to_string(ms) + "ms";
  if (ms != 0 && ms % 3'600'000 == 0) return std::to_string(ms / 3'600'000) + "h";
  if (ms != 0 && ms % 60'000 == 0) return std::to_string(ms / 60'000) + "m";
  return std::to_string(ms / 1'000) + "s";
}

}  // namespace luzia
