#include "engine/hook/quiet_hours.h"

namespace luzia {

std::optional<int> parse_minute(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == 0 || colon > 2 || text.size() != colon + 3) return std::nullopt;
  int parts[2] = {0, 0};
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == colon) continue;
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    int& part = parts[i > colon ? 1 : 0];
    part = part * 10 + (text[i] - '0');
  }
  if (parts[0] > 23 || parts[1] > 59) return std::nullopt;
  return parts[0] * 60 + parts[1];
}

std::optional<QuietHours> parse_quiet_hours(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto begin = parse_minute(text.substr(0, dash)), end = parse_minute(text.substr(dash + 1));
  if (!begin || !end || *begin == *end) return std::nullopt;
  return QuietHours{*begin, *end};
}

}  // namespace luzia
