// Terminal control sequences are found and removed whole.
#include "engine/base/ansi.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

std::string without_ansi(std::string_view line) {
  std::string out;
  append_without_ansi(line, out);
  return out;
}

TEST(Ansi, SequencesAreRemoved) {
  EXPECT_EQ(without_ansi("\x1b[1;31mred\x1b[0m end"), "red end");
  EXPECT_EQ(without_ansi("a\x1b]8;;http://x\x1b\\link\x1b]8;;\ab"), "alinkb");
  EXPECT_EQ(without_ansi("\x1b(Bx\x1b=y\x1b[2Kz"), "xyz");
  EXPECT_EQ(without_ansi("plain"), "plain");
}

TEST(Ansi, UnterminatedSequenceRemovesTheRest) {
  EXPECT_EQ(without_ansi("a\x1b"), "a");
  EXPECT_EQ(without_ansi("a\x1b[12;"), "a");
  EXPECT_EQ(without_ansi("a\x1b]0;title"), "a");
  EXPECT_EQ(without_ansi("a\x1b[\x01m"), "a\x01m");
}

TEST(Ansi, LengthEndsWithTheSequence) {
  EXPECT_EQ(ansi_length("\x1b[1;31mred"), 7U);
  EXPECT_EQ(ansi_length("\x1b]0;cut \x1b[1m"), 8U) << "another sequence ends a string";
  EXPECT_EQ(ansi_length("\x1b(Bx"), 3U);
  EXPECT_EQ(ansi_length("\x1b"), 1U);
}

}  // namespace
}  // namespace luzia
