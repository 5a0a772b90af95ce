// Tables on a narrow terminal.
#include "tests/tools/luzia_query/run_query.h"

namespace luzia::test {
namespace {

TEST(Style, FitsTablesToTheWidth) {
  const SmallStore store;
  Circumstances narrow;
  narrow.environment["COLUMNS"] = "60";
  EXPECT_GT(ask(store, {"why", kBuild}).text_lines()[11].size(), 60u);
  for (const std::string& line : ask(store, {"why", kBuild}, narrow).text_lines())
    EXPECT_LE(line.size(), 60u) << line;
  narrow.environment["COLUMNS"] = "90";
  for (const std::string& line : ask(store, {"jobs", "--all"}, narrow).text_lines())
    EXPECT_LE(line.size(), 90u) << line;
}

}  // namespace
}  // namespace luzia::test
