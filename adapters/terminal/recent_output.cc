#include "adapters/terminal/recent_output.h"

namespace luzia {

void RecentOutput::add(std::string_view bytes) {
  bytes_ += bytes;
  if (bytes_.size() <= 2 * kKept) return;
  constexpr std::size_t kLongestLine = 4 << 10;  // a longer line is cut in the middle
  std::size_t cut = bytes_.size() - kKept;
  const std::size_t newline = bytes_.find('\n', cut);
  if (newline != std::string::npos && newline - cut < kLongestLine) cut = newline + 1;
  before_.add(std::string_view(bytes_).substr(0, cut));
  bytes_.erase(0, cut);
}

}  // namespace luzia
