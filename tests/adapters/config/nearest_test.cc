#include "adapters/config/nearest.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

TEST(Nearest, CountsEditsAndSwappedNeighbors) {
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("ab", "ba"), 1u);
  EXPECT_EQ(edit_distance("same", "same"), 0u);
}

TEST(Nearest, DistantNameHasNoSuggestion) {
  EXPECT_EQ(nearest_name("statsu", {"jobs", "status", "logs"}), "status");
  EXPECT_EQ(nearest_name("web", {"jobs", "status", "logs"}), "");
  EXPECT_EQ(nearest_name("lgos", {"jobs", "logs"}), "logs");
}

TEST(Nearest, DashesDoNotMakeOptionsSimilar) {
  EXPECT_EQ(nearest_name("--title", {"--file", "--tag"}), "");
  EXPECT_EQ(nearest_name("--flie", {"--file", "--tag"}), "--file");
  EXPECT_EQ(nearest_name("--ta", {"--file", "--tag"}), "--tag");
  EXPECT_EQ(nearest_name("--x", {"--y"}), "");
  EXPECT_EQ(nearest_name("x", {"y", ""}), "");
  EXPECT_EQ(nearest_name("--", {"-", "--y"}), "");
}

}  // namespace
}  // namespace luzia
