// What the output may look like: colours, glyphs and width only where somebody looks. Read once per
// invocation.
#pragma once

#include <string>
#include <string_view>

#include "projections/rows/table.h"
#include "tools/cli/surroundings.h"

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

/// --color (auto, always, never or empty) wins over NO_COLOR, that over CLICOLOR_FORCE, that over what the
/// stream is. TERM=dumb has no colours and no glyphs. COLUMNS wins over the terminal's width; what is no
/// terminal has none: lines on their way to a file are as long as they are.
Terminal judge_terminal(const Surroundings& surroundings, const std::string& color_option,
                        bool config_colors = true, bool config_emojis = true);

/// The size now, after a resize.
void measure(Terminal& terminal);

}  // namespace luzia
