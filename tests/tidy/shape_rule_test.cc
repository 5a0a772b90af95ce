#include "tests/matchers.h"
#include "tests/tidy/rules.h"

namespace luzia::tidy {
namespace {

std::string finding(const std::string& path, const std::string& text) {
  return to_text(check_shape(make_source(path, text)));
}

std::string lines(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += "int x;\n";
  return text;
}

TEST(ShapeRule, FilesHaveFewerThan600Lines) {
  EXPECT_EQ(finding("engine/a.cc", lines(600)), "");
  EXPECT_THAT(finding("engine/a.cc", lines(601)), HasSubstr("engine/a.cc:601: more than 600 lines"));
  EXPECT_EQ(finding("tests/golden/log.txt", lines(601)), "");
  EXPECT_EQ(finding("tests/page/package-lock.json", lines(601)), "");
}

TEST(ShapeRule, HeadersOpenWithACommentAndAGuard) {
  EXPECT_EQ(finding("engine/a.h", "// What it is for.\n#pragma once\n"), "");
  EXPECT_THAT(finding("engine/a.h", "#pragma once\n"), HasSubstr("opens with a comment"));
  EXPECT_THAT(finding("engine/a.h", "\n// Late.\n#pragma once\n"), HasSubstr("opens with a comment"));
  EXPECT_THAT(finding("engine/a.h", "// What it is for.\nint x;\n"), HasSubstr("#pragma once"));
  EXPECT_EQ(finding("engine/a.cc", "int x;\n"), "");
}

TEST(ShapeRule, UnfinishedWorkIsFoundInEveryLanguage) {
  const std::string to_do = std::string("TO") + "DO", fix_me = std::string("FIX") + "ME";
  EXPECT_THAT(finding("engine/a.cc", "// " + to_do + " later\n"), HasSubstr("a.cc:1: " + to_do));
  EXPECT_THAT(finding("tools/test", "true\n# " + fix_me + "\n"), HasSubstr("tools/test:2: " + fix_me));
  EXPECT_THAT(finding("schema/a.fbs", "// " + fix_me + "\n"), HasSubstr(fix_me));
}

}  // namespace
}  // namespace luzia::tidy
