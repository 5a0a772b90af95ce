// Which escapes of JSON are whole characters, pairs, or halves of a pair.
#include "engine/base/json_escape.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

TEST(JsonEscape, HighThenLowIsAPair) {
  EXPECT_EQ(escape_at(R"(\ud83d\ude00)", 0), EscapedUnit::pair);
  EXPECT_EQ(escape_at(R"(x\uD83D\uDE00)", 1), EscapedUnit::pair);
  EXPECT_EQ(escape_at(R"(\u00e9\ude00)", 0), EscapedUnit::whole);
}

TEST(JsonEscape, HalfOfAPairIsLone) {
  for (const char* text : {R"(\ud83d)", R"(\ude00)", R"(\ude00\ud83d)", R"(\ud83d\u00e9)", R"(\ud83d\ude0)",
                           R"(\ud83dx\ude00)"}) {
    EXPECT_EQ(escape_at(text, 0), EscapedUnit::lone) << text;
  }
}

TEST(JsonEscape, OtherTextIsNone) {
  for (const char* text : {"", "a", R"(\n)", R"(\u)", R"(\u12)", R"(\u12g4)", R"(\u-123)", R"(\U0041)"}) {
    EXPECT_EQ(escape_at(text, 0), EscapedUnit::none) << text;
  }
}

}  // namespace
}  // namespace luzia
