// Which patterns are in force while others are being compiled.
#include "tools/luziad/watching/known_issues.h"

#include <gtest/gtest.h>

#include "tests/adapters/issues/support.h"

namespace luzia {
namespace {

std::vector<std::string> found_by(const IssueTally::Matcher& matcher, std::string_view text) {
  const auto now = matcher();
  if (now == nullptr) return {"no matcher"};
  std::vector<schema::IssueDetectedT> found;
  now->match({text, 0, 1}, 100, found);
  return told(found);
}

TEST(KnownIssues, ApplyFromTheFirstLookAndAfterReloads) {
  const ScratchFolder folder;
  const auto file = [&folder](const std::string& name) {
    return folder.write(name + ".json", R"({"patterns": [{"name": ")" + name +
                                            R"(", "error_patterns": ["our )" + name + R"("]}]})");
  };
  const std::string text = "our first\nour second\n";
  IssueTally::Matcher matcher;
  {
    KnownIssues issues(folder.path() + "/cache", "");
    issues.reload({file("first")});
    matcher = issues.matcher("web");
    EXPECT_EQ(found_by(matcher, text), std::vector<std::string>{"1@0 first"});
    issues.reload({file("second")});
  }
  EXPECT_EQ(found_by(matcher, text), std::vector<std::string>{"2@10 second"}) << "the last load counts";
}

}  // namespace
}  // namespace luzia
