// [git], and sizes.
#include "adapters/config/byte_size.h"
#include "adapters/config/config.h"
#include "tests/matchers.h"

namespace luzia {
namespace {

TEST(GitConfig, SnapshotsAreOnByDefault) {
  const auto plain = parse_config("[projects.web]\npath = \"/srv\"\n", "luzia.toml");
  ASSERT_TRUE(plain);
  EXPECT_TRUE(plain->git.snapshot);
  EXPECT_EQ(plain->git.snapshot_max_file, 10u << 20);
  EXPECT_EQ(plain->git.keep_snapshots_ms, 30ull * 86'400'000);
  EXPECT_FALSE(plain->projects.at("web").snapshot.has_value());
  const auto set = parse_config(
      "[git]\nsnapshot = false\nsnapshot_max_file = \"1GiB\"\nkeep_snapshots = \"2d\"\n"
      "[projects.web]\nsnapshot = true\n[projects.api]\nsnapshot = false\n",
      "luzia.toml");
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_FALSE(set->git.snapshot);
  EXPECT_EQ(set->git.snapshot_max_file, 1u << 30);
  EXPECT_EQ(set->git.keep_snapshots_ms, 2ull * 86'400'000);
  EXPECT_EQ(set->projects.at("web").snapshot, true);
  EXPECT_EQ(set->projects.at("api").snapshot, false);
  const auto back = parse_config(show_config(*set), "luzia.toml");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(show_config(*back), show_config(*set));
  EXPECT_EQ(back->projects.at("api").snapshot, false);
}

TEST(GitConfig, SizesHaveUnits) {
  EXPECT_EQ(parse_bytes("0"), 0u);
  EXPECT_EQ(parse_bytes("512"), 512u);
  EXPECT_EQ(parse_bytes("3KiB"), 3072u);
  EXPECT_EQ(parse_bytes("16TiB"), std::uint64_t{16} << 40);
  EXPECT_EQ(parse_bytes("512M"), 512u << 20);
  EXPECT_EQ(parse_bytes("4g"), std::uint64_t{4} << 30);
  EXPECT_EQ(parse_bytes("7b"), 7u);
  for (const char* bad : {"", "x", "10 MiB", "10MB", "4Gi", "-1", "1.5MiB", "99999999999TiB", "MiB"}) {
    EXPECT_FALSE(parse_bytes(bad)) << bad;
  }
  for (const std::uint64_t bytes : {0ull, 1ull, 1023ull, 1024ull, 10ull << 20, 3ull << 30, 1ull << 42}) {
    EXPECT_EQ(parse_bytes(bytes_text(bytes)), bytes);
  }
  EXPECT_EQ(bytes_text(10 << 20), "10MiB");
}

TEST(GitConfig, MistakesNameLineAndFix) {
  for (const char* bad : {"[git]\nsnapshot_max_file = \"10MB\"\n", "[git]\nsnapshot_max_file = -5\n"}) {
    const auto config = parse_config(bad, "luzia.toml");
    ASSERT_FALSE(config) << bad;
    EXPECT_THAT(config.error().message, HasSubstr("luzia.toml:2:"));
    EXPECT_THAT(config.error().message, HasSubstr("must be a size"));
    EXPECT_THAT(config.error().hint, HasSubstr("MiB"));
  }
  const auto unknown = parse_config("[git]\nsnapshots = true\n", "luzia.toml");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message + unknown.error().hint, HasSubstr("snapshot"));
  EXPECT_FALSE(parse_config("[projects.web]\nsnapshot = \"yes\"\n", "luzia.toml"));
}

}  // namespace
}  // namespace luzia
