// Escape sequences leave no trace in text, whole or cut off.
#include "engine/base/escape_sequences.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

std::string without_escapes(std::string_view line) {
  std::string out;
  append_without_escapes(line, out);
  return out;
}

TEST(EscapeSequences, SequencesAreRemoved) {
  EXPECT_EQ(without_escapes("\x1b[1;31mred\x1b[0m end"), "red end");
  EXPECT_EQ(without_escapes("a\x1b]8;;http://x\x1b\\link\x1b]8;;\ab"), "alinkb");
  EXPECT_EQ(without_escapes("\x1b(Bx\x1b=y\x1b[2Kz"), "xyz");
  EXPECT_EQ(without_escapes("plain"), "plain");
}

TEST(EscapeSequences, UnterminatedSequenceRemovesTheRest) {
  EXPECT_EQ(without_escapes("a\x1b"), "a");
  EXPECT_EQ(without_escapes("a\x1b[12;"), "a");
  EXPECT_EQ(without_escapes("a\x1b]0;title"), "a");
  EXPECT_EQ(without_escapes("a\x1b[\x01m"), "a\x01m");
}

TEST(EscapeSequences, TextIsCutAtTheLimit) {
  std::string out = "ab";
  append_without_escapes("c\x1b[1mdef", out, 5);
  EXPECT_EQ(out, "abcde");
}

}  // namespace
}  // namespace luzia
