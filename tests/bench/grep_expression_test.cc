#include "bench/harness/grep_expression.h"

#include <gtest/gtest.h>

namespace luzia::bench {
namespace {

TEST(GrepExpression, IsTranslatedToGrep) {
  EXPECT_EQ(grep_expression(R"(^error: (?:a|b)+?\.$)"), R"(^error: (a|b)+\.$)");
  EXPECT_EQ(grep_expression(R"(port (?P<port>\d{1,5}) \S+\s*\w\b)"),
            R"(port ([0-9]{1,5}) [^[:space:]]+[[:space:]]*[[:alnum:]_]\b)");
  EXPECT_EQ(grep_expression(R"(\'x\' \<y\> a\/b \"z\")"), R"('x' <y> a/b "z")");
  EXPECT_EQ(grep_expression(R"([\w.\-/] [^\]\s] [a-f0-9^])"), R"([[:alnum:]_./-] [^][:space:]] [a-f0-9^])");
  EXPECT_EQ(grep_expression(R"([]a] \{x\})"), R"([]a] \{x\})");
}

TEST(GrepExpression, UntranslatablePartsAreOmitted) {
  for (const char* python : {"(?i)a", "a(?!b)", "(?<=a)b", R"(\tx)", R"(\x41)", R"([\t ])", "\xc3\xbc", "a{",
                             "{2}x}", "a++", R"(\1)", R"(\Aa)", R"(a\)", "[a", "[^", ""}) {
    EXPECT_EQ(grep_expression(python), std::nullopt) << python;
  }
}

}  // namespace
}  // namespace luzia::bench
