// How output looks: colours, symbols, width, progress.
#include "tools/luzia-query/console.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "tests/tools/luzia_query/run_query.h"

namespace luzia::test {
namespace {

TableStyle style_with(std::map<std::string, std::string> variables, StreamTraits stream,
                      ColourChoice choice = ColourChoice::automatic) {
  return style_for(
      choice,
      [&](const char* name) -> const char* {
        const auto it = variables.find(name);
        return it == variables.end() ? nullptr : it->second.c_str();
      },
      stream);
}

constexpr StreamTraits kTerminal{.terminal = true, .columns = 120};
constexpr StreamTraits kPipe{};

TEST(Style, HasColoursOnATerminalOnly) {
  EXPECT_TRUE(style_with({{"TERM", "xterm"}}, kTerminal).colour);
  EXPECT_FALSE(style_with({{"TERM", "xterm"}}, kPipe).colour);
  EXPECT_FALSE(style_with({{"TERM", "dumb"}}, kTerminal).colour);
}

TEST(Style, ObeysNoColorThenCliColorForceAndTheOptionBeforeBoth) {
  EXPECT_FALSE(style_with({{"NO_COLOR", "1"}}, kTerminal).colour);
  EXPECT_FALSE(style_with({{"NO_COLOR", "1"}, {"CLICOLOR_FORCE", "1"}}, kTerminal).colour);
  EXPECT_TRUE(style_with({{"NO_COLOR", ""}}, kTerminal).colour);
  EXPECT_TRUE(style_with({{"CLICOLOR_FORCE", "1"}}, kPipe).colour);
  EXPECT_FALSE(style_with({{"CLICOLOR_FORCE", "0"}}, kPipe).colour);
  EXPECT_TRUE(style_with({{"NO_COLOR", "1"}}, kPipe, ColourChoice::always).colour);
  EXPECT_FALSE(style_with({{"CLICOLOR_FORCE", "1"}}, kTerminal, ColourChoice::never).colour);
}

TEST(Style, TakesTheWidthFromColumnsThenFromTheTerminal) {
  EXPECT_EQ(style_with({}, kTerminal).width, 120u);
  EXPECT_EQ(style_with({{"COLUMNS", "60"}}, kTerminal).width, 60u);
  EXPECT_EQ(style_with({{"COLUMNS", "60"}}, kPipe).width, 60u);
  EXPECT_EQ(style_with({{"COLUMNS", "wide"}}, kTerminal).width, 120u);
  EXPECT_EQ(style_with({}, kPipe).width, 0u) << "nothing is cut on its way to a file";
}

TEST(Style, HasSymbolsInAUtf8LocaleOnATerminalOnly) {
  EXPECT_TRUE(style_with({{"LANG", "de_DE.UTF-8"}}, kTerminal).unicode);
  EXPECT_FALSE(style_with({{"LANG", "de_DE.UTF-8"}, {"LC_ALL", "C"}}, kTerminal).unicode);
  EXPECT_FALSE(style_with({{"LANG", "de_DE.UTF-8"}}, kPipe).unicode);
  EXPECT_FALSE(style_with({}, kTerminal).unicode);
}

TEST(Style, FitsTablesToTheWidth) {
  const SmallStore store;
  Circumstances narrow;
  narrow.environment["COLUMNS"] = "60";
  EXPECT_GT(ask(store, {"why", kBuild}).text_lines()[11].size(), 60u);
  for (const std::string& line : ask(store, {"why", kBuild}, narrow).text_lines())
    EXPECT_LE(line.size(), 60u) << line;
  narrow.environment["COLUMNS"] = "90";
  for (const std::string& line : ask(store, {"jobs", "--all"}, narrow).text_lines())
    EXPECT_LE(line.size(), 90u) << line;
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

TEST(Progress, IsALineThatGoesAway) {
  EXPECT_EQ(progress_of(true), "\r\x1b[Kreplaying 25 % (500 of 2,000)\r\x1b[Kdone\n");
}

TEST(Progress, IsNotShownWhereNobodyLooks) {
  EXPECT_EQ(progress_of(false), "done\n");
}

}  // namespace
}  // namespace luzia::test
