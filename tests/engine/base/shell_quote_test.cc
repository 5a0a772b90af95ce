#include "engine/base/shell_quote.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

TEST(ShellQuote, OnlyPlainWordsStayUnquoted) {
  EXPECT_EQ(shell_quote("/usr/bin/x-1_2.3=@%+:,"), "/usr/bin/x-1_2.3=@%+:,");
  EXPECT_EQ(shell_quote(""), "''");
  EXPECT_EQ(shell_quote("two words"), "'two words'");
  EXPECT_EQ(shell_quote("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quote("~"), "'~'");
  EXPECT_EQ(shell_quote("a\nb"), "'a\nb'");
  EXPECT_EQ(shell_quote("\xc3\xa4"), "'\xc3\xa4'");
}

}  // namespace
}  // namespace luzia
