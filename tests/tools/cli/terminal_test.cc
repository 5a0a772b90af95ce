#include "tools/cli/terminal.h"

#include <gtest/gtest.h>

#include <map>

#include "tools/cli/console.h"

namespace luzia {
namespace {

using Variables = std::map<std::string, std::string>;

constexpr StreamTraits kScreen{.terminal = true, .columns = 100, .rows = 40}, kPipe{};

/// The terminal detected with these variables. `out` may be a pipe; standard error is a terminal.
Terminal judged(const Variables& variables, StreamTraits out = kScreen, const std::string& option = "",
                bool config_colors = true, bool config_emojis = true) {
  Surroundings surroundings;
  surroundings.environment = [&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
  surroundings.in_stream = surroundings.err_stream = kScreen;
  surroundings.out_stream = out;
  return judge_terminal(surroundings, option, config_colors, config_emojis);
}

TEST(Terminal, HasColorsGlyphsAndItsWidth) {
  const Terminal terminal = judged({{"TERM", "xterm"}, {"LANG", "de_DE.UTF-8"}});
  EXPECT_TRUE(terminal.colour);
  EXPECT_TRUE(terminal.unicode);
  EXPECT_EQ(terminal.width, 100u);
  EXPECT_EQ(terminal.height, 40u);
}

TEST(Terminal, PipeHasNoColors) {
  const Terminal terminal = judged({{"TERM", "xterm"}, {"LANG", "de_DE.UTF-8"}}, kPipe);
  EXPECT_FALSE(terminal.colour);
  EXPECT_FALSE(terminal.unicode);
  EXPECT_EQ(terminal.width, 0u) << "nothing is cut on its way to a file";
  EXPECT_TRUE(terminal.err_colour) << "stderr is judged by itself";
}

TEST(Terminal, OptionOutranksNoColorOutranksForce) {
  const Variables both = {{"NO_COLOR", "1"}, {"CLICOLOR_FORCE", "1"}};
  EXPECT_FALSE(judged(both).colour);
  EXPECT_TRUE(judged(both, kPipe, "always").colour);
  EXPECT_FALSE(judged({{"CLICOLOR_FORCE", "1"}}, kScreen, "never").colour);
  EXPECT_TRUE(judged({{"NO_COLOR", ""}}).colour);
}

TEST(Terminal, ForceColorsAPipe) {
  EXPECT_TRUE(judged({{"CLICOLOR_FORCE", "1"}}, kPipe).colour);
  EXPECT_FALSE(judged({{"CLICOLOR_FORCE", "0"}}, kPipe).colour);
}

TEST(Terminal, DumbTerminalAndConfigurationDisableColors) {
  EXPECT_FALSE(judged({{"TERM", "dumb"}}).colour);
  EXPECT_FALSE(judged({{"TERM", "dumb"}, {"LANG", "de_DE.UTF-8"}}).unicode);
  const Terminal plain = judged({{"TERM", "xterm"}, {"LANG", "de_DE.UTF-8"}}, kScreen, "", false, false);
  EXPECT_FALSE(plain.colour);
  EXPECT_FALSE(plain.unicode);
}

TEST(Terminal, ColumnsVariableWins) {
  EXPECT_EQ(judged({{"COLUMNS", "44"}}).width, 44u);
  EXPECT_EQ(judged({{"COLUMNS", "44"}}, kPipe).width, 44u);
  EXPECT_EQ(judged({{"COLUMNS", "wide"}}).width, 100u);
}

TEST(Terminal, FirstSetLocaleDecidesGlyphs) {
  EXPECT_FALSE(judged({{"LANG", "de_DE.UTF-8"}, {"LC_ALL", "C"}}).unicode);
  EXPECT_FALSE(judged({}).unicode) << "no locale says UTF-8";
}

std::string progress_of(bool shown) {
  char* text = nullptr;
  std::size_t size = 0;
  FILE* err = open_memstream(&text, &size);
  Console console(stdout, err, {}, shown);
  console.show_progress("replaying", 500, 2000);
  console.say("done");
  fclose(err);
  std::string result(text, size);
  free(text);
  return result;
}

TEST(Progress, IsATransientLine) {
  EXPECT_EQ(progress_of(true), "\r\x1b[Kreplaying 25 % (500 of 2,000)\r\x1b[Kdone\n");
}

TEST(Progress, IsHiddenWithoutATerminal) {
  EXPECT_EQ(progress_of(false), "done\n");
}

}  // namespace
}  // namespace luzia
