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

TEST(JsonDepth, CommentsAreSkippedOnRequest) {
  constexpr auto kSkipped = JsonComments::skipped;
  EXPECT_TRUE(nests_deeper("// say \"\n[[[", 2, kSkipped)) << "the quote in a comment opens no string";
  EXPECT_TRUE(nests_deeper("/* \" */[[[/**/", 2, kSkipped));
  EXPECT_TRUE(nests_deeper("/*/ \" */[[[", 2, kSkipped));
  EXPECT_TRUE(nests_deeper("// \"\r[[[", 2, kSkipped));
  EXPECT_FALSE(nests_deeper("// [[[[\n/* [[[ */ [ // [[[[", 1, kSkipped)) << "nor do its brackets count";
  EXPECT_FALSE(nests_deeper("[ /* [[[ ", 1, kSkipped));
  EXPECT_TRUE(nests_deeper(R"({"a":"http://x","b":[[]]})", 2, kSkipped)) << "no comment begins inside quotes";
  EXPECT_TRUE(nests_deeper("[/[[", 2, kSkipped));
  EXPECT_FALSE(nests_deeper("// say \"\n[[[", 2)) << "elsewhere they are no comments";
}

TEST(JsonDepth, InvalidJsonCountsItsBrackets) {
  EXPECT_FALSE(nests_deeper("]]]}}[", 1));
  EXPECT_FALSE(nests_deeper("\"\\", 0));
  EXPECT_FALSE(nests_deeper("", 0));
}

}  // namespace
}  // namespace luzia
