#include "adapters/terminal/screen_modes.h"

#include <gtest/gtest.h>

#include "adapters/terminal/recent_output.h"

namespace luzia {
namespace {

std::string entering(std::string_view output) {
  ScreenModes modes;
  modes.add(output);
  return modes.entering();
}

std::string leaving(std::string_view output) {
  ScreenModes modes;
  modes.add(output);
  return modes.leaving();
}

TEST(ScreenModes, TextAndColorsChangeNoModes) {
  EXPECT_EQ(entering("plain \x1b[31mred\x1b[2J\x1b]0;title\x07"), "");
  EXPECT_EQ(leaving("plain \x1b[31mred"), "\x1b[0m");
}

TEST(ScreenModes, EnabledModesAreDisabled) {
  EXPECT_EQ(leaving("\x1b[?1049h\x1b[?25l"), "\x1b[0m\x1b[?25h\x1b[?1049l");
  EXPECT_EQ(entering("\x1b[?1049h\x1b[?25l"), "\x1b[?25l\x1b[?1049h");
  EXPECT_EQ(leaving("\x1b[?1000;1006;2004h"), "\x1b[0m\x1b[?1000l\x1b[?1006l\x1b[?2004l");
  EXPECT_EQ(leaving("\x1b=\x1b[>4;2m\x1b[>1u"), "\x1b[0m\x1b[<1u\x1b[>4;0m\x1b>");
}

TEST(ScreenModes, ModesDisabledByTheProgramAreLeftAlone) {
  EXPECT_EQ(leaving("\x1b[?1049h\x1b[?25l work \x1b[?25h\x1b[?1049l"), "\x1b[0m");
  EXPECT_EQ(leaving("\x1b[>1u\x1b[>5u\x1b[<2u\x1b=\x1b>\x1b[>4;1m\x1b[>4m"), "\x1b[0m");
  EXPECT_EQ(leaving("\x1b[?1049h\x1b[?2004h\x1b"
                    "c"),
            "\x1b[0m")
      << "a full reset";
}

TEST(ScreenModes, SequencesMayBeSplitAnywhere) {
  const std::string output = "x\x1b[?1049;25;1000hy\x1b[?25lz\x1b[?99999999999999999999h";
  const std::string whole = entering(output);
  EXPECT_NE(whole, "");
  for (std::size_t cut = 0; cut <= output.size(); ++cut) {
    ScreenModes modes;
    modes.add(std::string_view(output).substr(0, cut));
    modes.add(std::string_view(output).substr(cut));
    EXPECT_EQ(modes.entering(), whole) << cut;
  }
}

TEST(ScreenModes, EndlessSequenceIsNotBuffered) {
  const std::string endless = "\x1b[?" + std::string(1 << 20, '1') + "h";
  EXPECT_EQ(entering(endless), "");
  EXPECT_EQ(entering("\x1b[?10\x18"
                     "49h"),
            "")
      << "cancelled in the middle";
}

TEST(RecentOutput, KeepsAllOfShortOutput) {
  RecentOutput recent;
  recent.add("one\n");
  recent.add("two");
  EXPECT_EQ(recent.replay(), "one\ntwo");
}

TEST(RecentOutput, KeepsTheLastLinesOfLongOutput) {
  RecentOutput recent;
  std::string all;
  for (int i = 0; i < 100'000; ++i) {
    const std::string line = "line " + std::to_string(i) + "\n";
    all += line;
    recent.add(line);
  }
  const std::string replay = recent.replay();
  EXPECT_GE(replay.size(), RecentOutput::kKept - 4096);
  EXPECT_LE(replay.size(), 2 * RecentOutput::kKept);
  EXPECT_EQ(all.substr(all.size() - replay.size()), replay);
  EXPECT_TRUE(replay.starts_with("line "));
}

TEST(RecentOutput, BeginsInTheCurrentModes) {
  RecentOutput recent;
  recent.add("\x1b[?1049h\x1b[?25l");
  for (int i = 0; i < 20; ++i) recent.add(std::string(16 << 10, 'x'));
  EXPECT_TRUE(recent.replay().starts_with("\x1b[?25l\x1b[?1049hxxx"));
  recent.add("\x1b[?1049l");
  EXPECT_TRUE(recent.replay().ends_with("xxx\x1b[?1049l"));
}

}  // namespace
}  // namespace luzia
