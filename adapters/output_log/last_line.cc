#include "adapters/output_log/last_line.h"

#include <cstring>

#include "engine/base/escape_sequences.h"

namespace luzia {
namespace {

constexpr int kLinesLookedAt = 64;
constexpr int kOverwritesLookedAt = 16;

bool in_range(char c, unsigned char low, unsigned char high) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= low && byte <= high;
}

/// The position after the last `separator`. Uses memrchr, because rfind goes byte by byte.
std::size_t after_last(std::string_view text, char separator) {
  const void* found = memrchr(text.data(), separator, text.size());
  return found ? static_cast<std::size_t>(static_cast<const char*>(found) - text.data()) + 1 : 0;
}

void cut_to_limit(std::string& text) {
  if (text.size() <= kMaxLastLine) return;
  std::size_t end = kMaxLastLine;
  const auto continues = [&text](std::size_t at) { return in_range(text[at], 0x80, 0xBF); };
  while (end > kMaxLastLine - 3 && continues(end)) --end;
  text.resize(continues(end) ? kMaxLastLine : end);
}

std::string without_escapes(std::string_view text) {
  std::string plain;
  append_without_escapes(text, plain, kMaxLastLine + 1);
  const bool blank = plain.find_first_not_of(" \t\v\f") == std::string::npos;
  if (blank) return {};
  cut_to_limit(plain);
  return plain;
}

}  // namespace

std::string visible_text(std::string_view line) {
  for (int i = 0; i < kOverwritesLookedAt && !line.empty(); ++i) {
    const std::size_t begin = after_last(line, '\r');
    if (std::string text = without_escapes(line.substr(begin)); !text.empty()) return text;
    line = line.substr(0, begin == 0 ? 0 : begin - 1);
  }
  return {};
}

std::optional<std::string> last_visible_line(std::string_view text, const LineReading& reading) {
  for (int i = 0; i < kLinesLookedAt && !text.empty(); ++i) {
    if (text.back() == '\n') text.remove_suffix(1);
    const std::size_t begin = after_last(text, '\n');
    const std::string_view line = text.substr(begin);
    if (const auto read = reading && !line.empty() ? reading(line) : std::nullopt) {
      if (auto shown = last_visible_line(*read)) return shown;
    } else if (std::string shown = visible_text(line); !shown.empty()) {
      return shown;
    }
    text = text.substr(0, begin);
  }
  return std::nullopt;
}

}  // namespace luzia
