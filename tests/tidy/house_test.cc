// The source tree keeps the house rules.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/paths.h"
#include "tests/tidy/rules.h"

namespace luzia::tidy {
namespace {

class House : public testing::Test {
 protected:
  static const std::vector<SourceFile>& files() {
    static const std::vector<SourceFile> read = read_source_tree(source_path(""));
    return read;
  }

  static std::string all(Findings (*rule)(const SourceFile&)) {
    Findings findings;
    for (const SourceFile& file : files()) {
      const Findings more = rule(file);
      findings.insert(findings.end(), more.begin(), more.end());
    }
    return to_text(findings);
  }
};

TEST_F(House, IsReadCompletely) {
  const auto has = [](std::string_view path) {
    return std::any_of(files().begin(), files().end(),
                       [&](const SourceFile& file) { return file.path == path; });
  };
  EXPECT_TRUE(has("schema/event.fbs"));
  EXPECT_TRUE(has("engine/base/result.h"));
  EXPECT_TRUE(has("tests/tidy/house_test.cc"));
  EXPECT_TRUE(has("tools/test"));
}

TEST_F(House, IncludesOnlyDownwards) {
  EXPECT_EQ(all(check_includes), "");
}

TEST_F(House, FoldersHaveNoCycles) {
  EXPECT_EQ(to_text(check_cycles(files())), "");
}

TEST_F(House, EveryPureFolderExists) {
  for (std::string_view folder : pure_folders()) {
    EXPECT_TRUE(std::ranges::any_of(files(), [&](const SourceFile& file) { return file.is_under(folder); }))
        << folder;
  }
}

TEST_F(House, CallsNothingBanned) {
  EXPECT_EQ(all(check_banned), "");
}

TEST_F(House, IsFinishedAndWithinSizeLimits) {
  EXPECT_EQ(all(check_shape), "");
}

TEST_F(House, StoredSchemaIsNumbered) {
  EXPECT_EQ(all(check_schema), "");
}

TEST_F(House, FunctionsFitAScreen) {
  std::vector<Function> functions;
  SourceFile ratchet;
  for (const SourceFile& file : files()) {
    if (file.path == "tests/tidy/long_functions.txt") ratchet = file;
    const auto more = find_functions(file);
    functions.insert(functions.end(), more.begin(), more.end());
  }
  ASSERT_FALSE(ratchet.lines.empty());
  ASSERT_GT(functions.size(), 100u);
  EXPECT_EQ(to_text(check_lengths(functions, ratchet)), "");
}

}  // namespace
}  // namespace luzia::tidy
