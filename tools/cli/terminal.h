// How output may look: colors, glyphs and width only on a terminal. Determined once per invocation.
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

/// Order of precedence for colors: --color (auto, always, never or empty), NO_COLOR, CLICOLOR_FORCE, then
/// whether the stream is a terminal. TERM=dumb has neither colors nor glyphs. COLUMNS overrides the
/// terminal's width. Output that is not a terminal has no width limit: lines in files are not cut.
Terminal judge_terminal(const Surroundings& surroundings, const std::string& color_option,
                        bool config_colors = true, bool config_emojis = true);

/// Updates the size after a resize.
void measure(Terminal& terminal);

}  // namespace luzia
