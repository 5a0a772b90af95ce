#include "engine/base/json_depth.h"

#include <gtest/gtest.h>

#include <string>

namespace luzia {
namespace {

TEST(JsonDepth, CountsNestedObjectsAndLists) {
  EXPECT_FALSE(nests_deeper("[]", 1));
  EXPECT_TRUE(nests_deeper("[]", 0));
  EXPECT_TRUE(nests_deeper(R"({"a":[1]})", 1));
  EXPECT_FALSE(nests_deeper("[[],[],[]]", 2)) << "side by side is not deeper";
  EXPECT_TRUE(nests_deeper(std::string(1'000'000, '['), 100));
}

TEST(JsonDepth, BracketsInTextsDoNotCount) {
  EXPECT_FALSE(nests_deeper(R"({"a":"[[[\"[[["})", 1));
  EXPECT_TRUE(nests_deeper(R"({"a":"\\","b":[]})", 1)) << "a backslash that is escaped escapes nothing";
}

TEST(JsonDepth, InvalidJsonCountsItsBrackets) {
  EXPECT_FALSE(nests_deeper("]]]}}[", 1));
  EXPECT_FALSE(nests_deeper("\"\\", 0));
  EXPECT_FALSE(nests_deeper("", 0));
}

}  // namespace
}  // namespace luzia
