#include "adapters/terminal/screen_wait.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

TEST(ScreenWait, PromptEndsTheLastNonEmptyLine) {
  EXPECT_TRUE(shows_shell_prompt("make\nall done\nann@box:~/demo$ \n\n"));
  EXPECT_TRUE(shows_shell_prompt("# "));
  EXPECT_TRUE(shows_shell_prompt("~/demo\n❯"));
  EXPECT_FALSE(shows_shell_prompt("$ make\nbuilding"));
  EXPECT_FALSE(shows_shell_prompt(""));
  EXPECT_FALSE(shows_shell_prompt("\n \n"));
}

TEST(ScreenWait, ShellsAreKnownByName) {
  EXPECT_TRUE(is_shell("bash"));
  EXPECT_TRUE(is_shell("-zsh"));
  EXPECT_FALSE(is_shell("vim"));
  EXPECT_FALSE(is_shell(""));
}

TEST(ScreenWait, IdleTimeCountsFromTheLastChange) {
  ScreenWait wait({}, 2'000);
  EXPECT_FALSE(wait.look("a", 100));
  EXPECT_FALSE(wait.look("a", 2'099));
  EXPECT_FALSE(wait.look("b", 2'100)) << "it has changed";
  EXPECT_FALSE(wait.look("b", 4'099));
  EXPECT_EQ(wait.still_ms(), 1'999u);
  EXPECT_TRUE(wait.look("b", 4'100));
}

TEST(ScreenWait, TextAndIdleMustBothHold) {
  ScreenWait wait([](std::string_view screen) { return screen == "ready"; }, 1'000);
  EXPECT_FALSE(wait.look("busy", 0));
  EXPECT_FALSE(wait.look("busy", 5'000));
  EXPECT_FALSE(wait.look("ready", 5'100));
  EXPECT_TRUE(wait.look("ready", 6'100));
}

TEST(ScreenWait, WithoutIdleTheFirstMatchEndsTheWait) {
  ScreenWait wait([](std::string_view screen) { return screen.ends_with("ok"); }, 0);
  EXPECT_FALSE(wait.look("no", 0));
  EXPECT_TRUE(wait.look("ok", 0));
}

}  // namespace
}  // namespace luzia
