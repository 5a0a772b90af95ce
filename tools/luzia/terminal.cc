#include "tools/luzia/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

namespace luzia {
namespace {

bool is_set(const char* value) {
  return value != nullptr && value[0] != '\0';
}

bool colours(const TerminalSigns& signs, bool is_terminal) {
  if (signs.color_option == "always" || signs.color_option == "never") {
    return signs.color_option == "always";
  }
  if (is_set(signs.variable("NO_COLOR"))) {
    return false;
  }
  const char* force = signs.variable("CLICOLOR_FORCE");
  if (is_set(force) && std::strcmp(force, "0") != 0) {
    return true;
  }
  const char* term = signs.variable("TERM");
  return is_terminal && signs.config_colors && is_set(term) && std::strcmp(term, "dumb") != 0;
}

bool speaks_utf8(const TerminalSigns& signs) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = signs.variable(name);
    if (is_set(value)) {
      return std::strstr(value, "UTF-8") != nullptr || std::strstr(value, "utf8") != nullptr ||
             std::strstr(value, "utf-8") != nullptr;
    }
  }
  return false;
}

void device_size(std::size_t& columns, std::size_t& rows) {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
    columns = size.ws_col;
    rows = size.ws_row;
  }
}

std::size_t columns_variable(const char* value) {
  std::size_t columns = 0;
  if (is_set(value)) {
    std::from_chars(value, value + std::strlen(value), columns);
  }
  return columns;
}

}  // namespace

Terminal judge_terminal(const TerminalSigns& signs) {
  constexpr std::size_t kUnknownWidth = 80;
  Terminal terminal;
  terminal.out_is_terminal = signs.out_is_terminal;
  terminal.in_is_terminal = signs.in_is_terminal;
  terminal.colour = colours(signs, signs.out_is_terminal);
  terminal.err_colour = colours(signs, signs.err_is_terminal);
  terminal.unicode = signs.out_is_terminal && signs.config_emojis && speaks_utf8(signs);
  terminal.width = columns_variable(signs.variable("COLUMNS"));
  if (terminal.width == 0 && signs.out_is_terminal) {
    terminal.width = signs.columns != 0 ? signs.columns : kUnknownWidth;
  }
  if (signs.rows != 0) {
    terminal.height = signs.rows;
  }
  return terminal;
}

Terminal look_at_terminal(const std::string& color_option, bool config_colors, bool config_emojis) {
  TerminalSigns signs;
  signs.out_is_terminal = ::isatty(STDOUT_FILENO) == 1;
  signs.err_is_terminal = ::isatty(STDERR_FILENO) == 1;
  signs.in_is_terminal = ::isatty(STDIN_FILENO) == 1;
  signs.color_option = color_option;
  signs.config_colors = config_colors;
  signs.config_emojis = config_emojis;
  signs.variable = [](const char* name) -> const char* { return std::getenv(name); };
  if (signs.out_is_terminal) {
    device_size(signs.columns, signs.rows);
  }
  return judge_terminal(signs);
}

void measure(Terminal& terminal) {
  std::size_t columns = 0, rows = 0;
  device_size(columns, rows);
  if (columns != 0 && columns_variable(std::getenv("COLUMNS")) == 0) {
    terminal.width = columns;
  }
  if (rows != 0) {
    terminal.height = rows;
  }
}

}  // namespace luzia
