// [keep]: everything is kept unless a rule says otherwise.
#include "adapters/config/config.h"
#include "tests/matchers.h"

namespace luzia {
namespace {

TEST(KeepConfig, EverythingIsKeptByDefault) {
  EXPECT_TRUE(parse_config("", "luzia.toml")->keep.keeps_all());
  EXPECT_TRUE(parse_config("[keep]\noutputs = \"0s\"\n", "luzia.toml")->keep.keeps_all());
}

TEST(KeepConfig, RulesReadBack) {
  const auto set = parse_config(
      "[keep]\noutputs = \"30d\"\njob_dirs = \"90d\"\njobs = \"365d\"\ntexts = \"730d\"\nsize = \"50GiB\"\n",
      "luzia.toml");
  ASSERT_TRUE(set) << set.error().message;
  constexpr std::uint64_t kDayMs = 86'400'000;
  EXPECT_EQ(set->keep.outputs_ms, 30 * kDayMs);
  EXPECT_EQ(set->keep.job_dirs_ms, 90 * kDayMs);
  EXPECT_EQ(set->keep.jobs_ms, 365 * kDayMs);
  EXPECT_EQ(set->keep.texts_ms, 730 * kDayMs);
  EXPECT_EQ(set->keep.size, std::uint64_t{50} << 30);
  const auto back = parse_config(show_config(*set), "luzia.toml");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(show_config(*back), show_config(*set));
}

TEST(KeepConfig, AMistakeIsNamed) {
  const auto set = parse_config("[keep]\noutput = \"30d\"\n", "luzia.toml");
  ASSERT_FALSE(set);
  EXPECT_THAT(set.error().message + set.error().hint, HasSubstr("outputs"));
  EXPECT_FALSE(parse_config("[keep]\nsize = \"much\"\n", "luzia.toml"));
}

}  // namespace
}  // namespace luzia
