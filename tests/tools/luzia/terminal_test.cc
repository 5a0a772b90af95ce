#include "tools/luzia/terminal.h"

#include <gtest/gtest.h>

#include <cstring>

namespace luzia {
namespace {

/// A terminal of 100 columns with UTF-8; each test bends one thing.
TerminalSigns usual() {
  TerminalSigns signs;
  signs.out_is_terminal = signs.err_is_terminal = signs.in_is_terminal = true;
  signs.columns = 100;
  signs.rows = 40;
  signs.variable = [](const char* name) -> const char* {
    return std::strcmp(name, "TERM") == 0   ? "xterm"
           : std::strcmp(name, "LANG") == 0 ? "de_DE.UTF-8"
                                            : nullptr;
  };
  return signs;
}

TEST(Terminal, HasColoursGlyphsAndItsWidth) {
  const Terminal terminal = judge_terminal(usual());
  EXPECT_TRUE(terminal.colour);
  EXPECT_TRUE(terminal.unicode);
  EXPECT_EQ(terminal.width, 100u);
  EXPECT_EQ(terminal.height, 40u);
}

TEST(Terminal, PipeHasNone) {
  TerminalSigns signs = usual();
  signs.out_is_terminal = false;
  signs.columns = 0;
  const Terminal terminal = judge_terminal(signs);
  EXPECT_FALSE(terminal.colour);
  EXPECT_FALSE(terminal.unicode);
  EXPECT_EQ(terminal.width, 0u);
  EXPECT_TRUE(terminal.err_colour) << "stderr is judged by itself";
}

TEST(Terminal, NoColorWinsOverForceAndTheOptionOverBoth) {
  TerminalSigns signs = usual();
  signs.variable = [](const char* name) -> const char* {
    return std::strcmp(name, "NO_COLOR") == 0 || std::strcmp(name, "CLICOLOR_FORCE") == 0 ? "1" : nullptr;
  };
  EXPECT_FALSE(judge_terminal(signs).colour);
  signs.color_option = "always";
  EXPECT_TRUE(judge_terminal(signs).colour);
  signs.color_option = "never";
  EXPECT_FALSE(judge_terminal(signs).colour);
}

TEST(Terminal, ForceColoursAPipeToo) {
  TerminalSigns signs = usual();
  signs.out_is_terminal = false;
  signs.variable = [](const char* name) -> const char* {
    return std::strcmp(name, "CLICOLOR_FORCE") == 0 ? "1" : nullptr;
  };
  EXPECT_TRUE(judge_terminal(signs).colour);
  signs.variable = [](const char* name) -> const char* {
    return std::strcmp(name, "CLICOLOR_FORCE") == 0 ? "0" : nullptr;
  };
  EXPECT_FALSE(judge_terminal(signs).colour);
}

TEST(Terminal, DumbTerminalAndConfigurationTurnColoursOff) {
  TerminalSigns signs = usual();
  signs.variable = [](const char* name) -> const char* {
    return std::strcmp(name, "TERM") == 0 ? "dumb" : nullptr;
  };
  EXPECT_FALSE(judge_terminal(signs).colour);
  signs = usual();
  signs.config_colors = false;
  EXPECT_FALSE(judge_terminal(signs).colour);
  signs.config_emojis = false;
  EXPECT_FALSE(judge_terminal(signs).unicode);
}

TEST(Terminal, ColumnsVariableWins) {
  TerminalSigns signs = usual();
  signs.variable = [](const char* name) -> const char* {
    return std::strcmp(name, "COLUMNS") == 0 ? "44" : nullptr;
  };
  EXPECT_EQ(judge_terminal(signs).width, 44u);
  EXPECT_FALSE(judge_terminal(signs).unicode) << "no locale says UTF-8";
}

}  // namespace
}  // namespace luzia
