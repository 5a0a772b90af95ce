// Limits of attempts in the configuration.
#include "adapters/config/byte_size.h"
#include "adapters/config/config.h"
#include "tests/matchers.h"

namespace luzia {
namespace {

TEST(LimitKeys, AreOfJobsAgentsAndProjects) {
  const auto config = parse_config(
      "[jobs]\nmemory = \"4G\"\ncpu = 200\n[agents.shell]\nprocesses = 500\n[projects.api]\npath = \"/tmp\"\n"
      "disk = \"10GiB\"\ncpu = \"150 %\"\n[queue]\nstop_when_memory_below = \"512M\"\n",
      "luzia.toml");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->jobs.limits.memory_bytes, std::uint64_t{4} << 30);
  EXPECT_EQ(config->jobs.limits.cpu_percent, 200u);
  EXPECT_EQ(config->agents.at("shell").limits.processes, 500u);
  EXPECT_EQ(config->agents.at("shell").limits.memory_bytes, 0u) << "[jobs] is asked at dispatch";
  EXPECT_EQ(config->projects.at("api").limits.disk_bytes, std::uint64_t{10} << 30);
  EXPECT_EQ(config->projects.at("api").limits.cpu_percent, 150u);
  EXPECT_EQ(config->queue.stop_when_memory_below, 512u << 20);
  const auto back = parse_config(show_config(*config), "luzia.toml");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(show_config(*back), show_config(*config));
  EXPECT_EQ(back->projects.at("api").limits.cpu_percent, 150u);
}

TEST(LimitKeys, MistakesNameLineAndFix) {
  const std::pair<const char*, const char*> bad[] = {
      {"memory = \"4 gigabytes\"", "must be a size"}, {"memory = -1", "must be a size"},
      {"cpu = \"two\"", "must be a percentage"},      {"cpu = 1000001", "must be a percentage"},
      {"processes = -1", "it must be 0 to"},          {"disk = true", "jobs.disk"}};
  for (const auto& [line, why] : bad) {
    const auto config = parse_config(std::string("[jobs]\n") + line + "\n", "luzia.toml");
    ASSERT_FALSE(config) << line;
    EXPECT_THAT(config.error().message, HasSubstr("luzia.toml:2:")) << line;
    EXPECT_THAT(config.error().message, HasSubstr(why)) << line;
  }
}

TEST(Percentages, HaveASignOrNone) {
  EXPECT_EQ(parse_percent("0"), 0u);
  EXPECT_EQ(parse_percent("200"), 200u);
  EXPECT_EQ(parse_percent("200%"), 200u);
  EXPECT_EQ(parse_percent("50 %"), 50u);
  EXPECT_EQ(parse_percent("1000000%"), 1'000'000u);
  for (const char* bad : {"", "%", "-1", "1.5", "200%%", "200% ", "1000001", "99999999999", "two"}) {
    EXPECT_FALSE(parse_percent(bad)) << bad;
  }
}

}  // namespace
}  // namespace luzia
