// Halves of surrogate pairs become U+FFFD; everything else stays.
#include "engine/base/lone_surrogates.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

TEST(LoneSurrogates, HalvesAreReplacedAndPairsStay) {
  EXPECT_EQ(without_lone_surrogates(R"("\ud83d\ude00 \ud83d \uDE00 \u0041 \\ud83d")"),
            R"("\ud83d\ude00 \ufffd \ufffd \u0041 \\ud83d")");
  EXPECT_EQ(without_lone_surrogates(R"(\ud83d\ud83d\ude00)"), R"(\ufffd\ud83d\ude00)");
}

TEST(LoneSurrogates, TextThatEndsWithinAnEscapeStays) {
  for (const char* text : {"", "\\", "\\u", "\\ud83", "a\\ud8zz", "\\\\"}) {
    EXPECT_EQ(without_lone_surrogates(text), text);
  }
}

}  // namespace
}  // namespace luzia
