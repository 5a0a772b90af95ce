#include "tools/cli/terminal.h"

#include <unistd.h>

#include "engine/base/whole_number.h"

namespace luzia {
namespace {

bool is_dumb(const Surroundings& surroundings) {
  return variable(surroundings, "TERM") == "dumb";
}

bool has_colours(const Surroundings& surroundings, const std::string& option, bool by_default) {
  if (option == "always" || option == "never") return option == "always";
  if (!variable(surroundings, "NO_COLOR").empty()) return false;
  const std::string force = variable(surroundings, "CLICOLOR_FORCE");
  if (!force.empty() && force != "0") return true;
  return by_default && !is_dumb(surroundings);
}

/// The first variable that is set decides, as in the C library.
bool speaks_utf8(const Surroundings& surroundings) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string value = variable(surroundings, name);
    if (value.empty()) continue;
    return value.find("UTF-8") != std::string::npos || value.find("utf8") != std::string::npos ||
           value.find("utf-8") != std::string::npos;
  }
  return false;
}

/// The number in COLUMNS; 0: not a number.
std::size_t columns_asked(const std::string& asked) {
  return parse_whole_number<std::size_t>(asked).value_or(0);
}

}  // namespace

Terminal judge_terminal(const Surroundings& surroundings, const std::string& color_option, bool config_colors,
                        bool config_emojis) {
  constexpr std::size_t kUnknownWidth = 80;
  const StreamTraits& out = surroundings.out_stream;
  Terminal terminal;
  terminal.out_is_terminal = out.terminal;
  terminal.in_is_terminal = surroundings.in_stream.terminal;
  terminal.colour = has_colours(surroundings, color_option, out.terminal && config_colors);
  terminal.err_colour =
      has_colours(surroundings, color_option, surroundings.err_stream.terminal && config_colors);
  terminal.unicode = out.terminal && config_emojis && !is_dumb(surroundings) && speaks_utf8(surroundings);
  terminal.width = columns_asked(variable(surroundings, "COLUMNS"));
  if (terminal.width == 0 && out.terminal) terminal.width = out.columns != 0 ? out.columns : kUnknownWidth;
  if (out.rows != 0) terminal.height = out.rows;
  return terminal;
}

void measure(Terminal& terminal) {
  const StreamTraits size = traits_of(STDOUT_FILENO);
  if (size.columns != 0 && columns_asked(environment_variable("COLUMNS")) == 0) terminal.width = size.columns;
  if (size.rows != 0) terminal.height = size.rows;
}

}  // namespace luzia
