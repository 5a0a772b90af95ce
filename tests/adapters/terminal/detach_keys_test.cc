#include "adapters/terminal/detach_keys.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

/// What the agent receives of keys that arrive in these pieces; " detached" follows if the person has
/// detached.
std::string passed(std::initializer_list<std::string_view> pieces) {
  DetachKeys keys;
  std::string all;
  for (const std::string_view piece : pieces) all += keys.pass(piece);
  return all + (keys.detached() ? " detached" : "");
}

TEST(DetachKeys, OtherKeysGoToTheAgent) {
  EXPECT_EQ(passed({"ls -l\r", "\x03\x04\x1a\x1b[A\x1bOP", "d", "\x1b"}),
            "ls -l\r\x03\x04\x1a\x1b[A\x1bOPd\x1b");
}

TEST(DetachKeys, PrefixAndDDetachEvenInPieces) {
  EXPECT_EQ(passed({"ab\x1c"
                    "dcd"}),
            "ab detached");
  EXPECT_EQ(passed({"ab", "\x1c", "d", "more"}), "ab detached");
  EXPECT_EQ(passed({"\x1b[92;5ud"}), " detached") << "as terminals with unambiguous keys send it";
  EXPECT_EQ(passed({"\x1b[92;5u", "\x1b[100u"}), " detached");
}

TEST(DetachKeys, DoublePrefixSendsOne) {
  EXPECT_EQ(passed({"\x1c\x1c"}), "\x1c");
  EXPECT_EQ(passed({"\x1c", "\x1c", "d"}),
            "\x1c"
            "d");
  EXPECT_EQ(passed({"\x1b[92;5u\x1b[92;5u"}), "\x1b[92;5u");
}

TEST(DetachKeys, PrefixBeforeAnotherKeyIsSent) {
  EXPECT_EQ(passed({"\x1c", "x"}), "\x1cx");
  EXPECT_EQ(passed({"\x1c\x0e", "d"}),
            "\x1c\x0e"
            "d");
}

}  // namespace
}  // namespace luzia
