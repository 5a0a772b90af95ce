// What the output may look like: colours, glyphs and width only where somebody looks. Read once per
// invocation.
#pragma once

#include <string>
#include <string_view>

#include "projections/rows/table.h"

namespace luzia {

struct Terminal {
  bool out_is_terminal = false;
  bool in_is_terminal = false;
  bool colour = false;      // of stdout
  bool err_colour = false;  // of stderr
  bool unicode = false;
  std::size_t width = 0;  // columns of stdout; 0 = unlimited
  std::size_t height = 24;

  TableStyle style() const { return {width, colour, unicode}; }
};

/// What the environment says; a pure function of it, for tests.
struct TerminalSigns {
  bool out_is_terminal = false, err_is_terminal = false, in_is_terminal = false;
  std::size_t columns = 0, rows = 0;  // of the terminal device, 0 = unknown
  std::string color_option;           // auto, always, never or empty
  bool config_colors = true, config_emojis = true;
  const char* (*variable)(const char* name) = nullptr;  // getenv
};
/// --color wins over NO_COLOR, that over CLICOLOR_FORCE, that over what the device is. TERM=dumb has no
/// colours.
Terminal judge_terminal(const TerminalSigns& signs);

/// Asks the system.
Terminal look_at_terminal(const std::string& color_option, bool config_colors, bool config_emojis);
/// The size now, after a resize.
void measure(Terminal& terminal);

}  // namespace luzia
