// Columns and rows of a terminal, in characters.
#pragma once

#include <sys/ioctl.h>

#include <cstdint>
#include <optional>

namespace luzia {

struct TerminalSize {
  std::uint16_t columns = 80, rows = 24;
  bool operator==(const TerminalSize&) const = default;
};

/// The size of the terminal behind `fd`; nullopt if it is not a terminal or reports no size.
inline std::optional<TerminalSize> size_of_terminal(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return std::nullopt;
  return TerminalSize{size.ws_col, size.ws_row};
}

}  // namespace luzia
