// Text wrapped into lines.
#include "projections/rows/wrapped.h"

#include "tests/matchers.h"

namespace luzia::test {
namespace {

TEST(WrappedText, BreaksAtSpacesAndKeepsLineBreaks) {
  EXPECT_THAT(wrap_text("one two three\nfour", 8, 10).lines, ElementsAre("one two", "three", "four"));
  EXPECT_THAT(wrap_text("one\n\ntwo\n", 8, 10).lines, ElementsAre("one", "", "two"));
  EXPECT_THAT(wrap_text("", 8, 10).lines, IsEmpty());
}

TEST(WrappedText, BreaksOnlyWordsTooWideForALine) {
  EXPECT_THAT(wrap_text("a abcdefghij b", 4, 10).lines, ElementsAre("a", "abcd", "efgh", "ij b"));
}

TEST(WrappedText, CountsColumnsNotBytes) {
  EXPECT_THAT(wrap_text("ééééé", 3, 10).lines, ElementsAre("ééé", "éé"));
  EXPECT_THAT(wrap_text("漢字漢字", 4, 10).lines, ElementsAre("漢字", "漢字"));
  EXPECT_THAT(wrap_text("漢字", 1, 10).lines, ElementsAre("漢", "字"));
}

TEST(WrappedText, KeepsTheIndentOfALine) {
  EXPECT_THAT(wrap_text("    code", 20, 10).lines, ElementsAre("    code"));
  EXPECT_THAT(wrap_text("        x", 4, 10).lines, ElementsAre("    ", "x"));
}

TEST(WrappedText, EndsAtTheLineLimitWithANote) {
  const WrappedText cut = wrap_text("a\nb\nc", 8, 2);
  EXPECT_THAT(cut.lines, ElementsAre("a", "b"));
  EXPECT_TRUE(cut.is_cut);
  EXPECT_FALSE(wrap_text("a\nb", 8, 2).is_cut);
}

TEST(WrappedText, WithoutAWidthLinesAreUnchanged) {
  EXPECT_THAT(wrap_text("one two  three \nfour", 0, 10).lines, ElementsAre("one two  three ", "four"));
}

TEST(WrapHanging, IndentsAllLinesButTheFirst) {
  EXPECT_EQ(wrap_hanging("one two three four five", 34, 14), "one two three four\n              five");
  EXPECT_EQ(wrap_hanging("one two", 0, 4), "one two");
  EXPECT_EQ(wrap_hanging("", 40, 4), "");
  EXPECT_EQ(wrap_hanging("one two\nthree\n\nfour", 80, 0), "one two\nthree\n\nfour");
}

TEST(WrapHanging, KeepsAnOverlongWordWhole) {
  EXPECT_EQ(wrap_hanging("is /a/long/path/to here", 10, 2), "is\n  /a/long/path/to\n  here");
  EXPECT_EQ(wrap_hanging("漢字 漢字 漢字", 10, 0), "漢字 漢字\n漢字") << "columns, not bytes";
}

}  // namespace
}  // namespace luzia::test
