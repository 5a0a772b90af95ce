#include "bench/harness/page_script.h"

#include <stdlib.h>

#include <filesystem>

#include "tests/scratch.h"

namespace luzia::bench {
namespace {

TEST(PageScript, WithoutABrowserSaysSoAndMeasuresNothing) {
  const ScratchFolder folder;
  ASSERT_EQ(setenv("CHROMIUM", "/nowhere/chromium", 1), 0);
  PageScript page(folder.path());
  unsetenv("CHROMIUM");
  EXPECT_THAT(page.missing(), testing::StartsWith("there is no "));
  EXPECT_TRUE(page.run("now", {}).is_null());
}

TEST(PageScript, NumbersOfAnAnswerAreRead) {
  const auto answer = nlohmann::json::parse(R"({"still": {"rows": 40}, "full": [1.5, 2]})");
  EXPECT_EQ(number_in(object_in(answer, "still"), "rows"), 40);
  EXPECT_THAT(numbers_in(answer, "full"), testing::ElementsAre(1.5, 2));
}

}  // namespace
}  // namespace luzia::bench
