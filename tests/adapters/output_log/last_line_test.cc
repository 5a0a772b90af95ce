// The last line as a terminal would show it.
#include "adapters/output_log/last_line.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

TEST(VisibleText, CarriageReturnsOverwrite) {
  EXPECT_EQ(visible_text("10%\r20%\r30%"), "30%");
  EXPECT_EQ(visible_text("10%\r20%\r"), "20%");
  EXPECT_EQ(visible_text("10%\r20%\r\x1b[0m"), "20%");
  EXPECT_EQ(visible_text("\r\r\r"), "");
}

TEST(VisibleText, EscapeSequencesLeaveNoTrace) {
  EXPECT_EQ(visible_text("\x1b[1;31mred\x1b[0m plain"), "red plain");
  EXPECT_EQ(visible_text("\x1b]0;title\aafter"), "after");
  EXPECT_EQ(visible_text("\x1b]9;4;1;50\x1b\\after"), "after");
  EXPECT_EQ(visible_text("\x1bPq#0\x1b\\after"), "after");
  EXPECT_EQ(visible_text("\x1b(Bafter\x1b=\x1bM"), "after");
  EXPECT_EQ(visible_text("before\x1b[3"), "before") << "an unfinished sequence shows nothing";
  EXPECT_EQ(visible_text("before\x1b]0;never ends"), "before");
  EXPECT_EQ(visible_text("before\x1b"), "before");
  EXPECT_EQ(visible_text("\x1b]0;cut \x1b[1mshort"), "short") << "another sequence ends a string";
}

TEST(VisibleText, LongTextIsCutBetweenCharacters) {
  EXPECT_EQ(visible_text(std::string(600, 'x')), std::string(512, 'x'));
  EXPECT_EQ(visible_text(std::string(511, 'x') + "ä"), std::string(511, 'x'));
  EXPECT_EQ(visible_text(std::string(510, 'x') + "ä"), std::string(510, 'x') + "ä");
  EXPECT_EQ(visible_text(std::string(600, '\xBF')).size(), 512u) << "invalid UTF-8 is cut at the byte";
  EXPECT_EQ(visible_text(std::string(300, 'a') + "\x1b[1m" + std::string(300, 'b')),
            std::string(300, 'a') + std::string(212, 'b'));
}

TEST(LastVisibleLine, BlankLinesAreSkipped) {
  EXPECT_EQ(last_visible_line("one\ntwo\n\n \t\n\x1b[0m\n"), "two");
  EXPECT_EQ(last_visible_line("one\ntwo\nthr"), "thr");
  EXPECT_EQ(last_visible_line("\n\n\n"), std::nullopt);
  EXPECT_EQ(last_visible_line(""), std::nullopt);
  EXPECT_EQ(last_visible_line("one\r\n"), "one");
}

TEST(LastVisibleLine, LooksAtABoundedNumberOfLines) {
  EXPECT_EQ(last_visible_line("one\n" + std::string(62, '\n')), "one");
  EXPECT_EQ(last_visible_line("one\n" + std::string(100, '\n')), std::nullopt);
}

TEST(LastVisibleLine, LinesWithoutReadableTextAreSkipped) {
  const LineReading reading = [](std::string_view line) -> std::optional<std::string> {
    if (line.starts_with("say "))
      return std::string(line.substr(4)) + "\nlast of " + std::string(line.substr(4)) + "\n";
    return line.starts_with("{") ? std::optional<std::string>("") : std::nullopt;
  };
  EXPECT_EQ(last_visible_line("text\nsay words\n{}\n{}\n", reading), "last of words");
  EXPECT_EQ(last_visible_line("text\n{}\n", reading), "text");
  EXPECT_EQ(last_visible_line("{}\n", reading), std::nullopt);
}

}  // namespace
}  // namespace luzia
