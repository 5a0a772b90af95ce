// What keeps jobs from starting on a loaded machine.
#include "tools/luziad/upkeep/gates.h"

#include <filesystem>
#include <fstream>

#include "tests/adapters/config/parsed_config.h"
#include "tests/scratch.h"

namespace luzia {
namespace {

TEST(Gates, CloseAboveTheLimitAndOpenATenthBelowIt) {
  const Config config = config_of("[queue]\nmax_load = 10.0\n");
  ASSERT_TRUE(Gates::any(config));
  Gates gates;
  EXPECT_EQ(gates.closed(config, {.load = 10}), "");
  EXPECT_EQ(gates.closed(config, {.load = 10.5}), "the load average is 10.5, over 10.0");
  EXPECT_EQ(gates.closed(config, {.load = 9.5}), "the load average is 9.5, over 10.0");
  EXPECT_EQ(gates.closed(config, {.load = 8.9}), "");
  EXPECT_EQ(gates.closed(config, {.load = 9.5}), "");
}

TEST(Gates, CoverMemoryAndItsPressure) {
  const Config config =
      config_of("[queue]\nmin_free_memory_percent = 20\nmax_memory_pressure_percent = 30.0\n");
  Gates gates;
  EXPECT_EQ(gates.closed(config, {.free_memory_percent = 25, .memory_pressure_percent = 1}), "");
  EXPECT_EQ(gates.closed(config, {.free_memory_percent = 15, .memory_pressure_percent = 1}),
            "15.0 % of the memory is free, less than 20 %");
  EXPECT_EQ(gates.closed(config, {.free_memory_percent = 40, .memory_pressure_percent = 31}),
            "work waits for memory 31.0 % of the time, over 30.0 %");
}

TEST(Gates, MissingKernelDataClosesNone) {
  const Config config =
      config_of("[queue]\nmax_load = 1.0\nmin_free_memory_percent = 90\nmax_memory_pressure_percent = 1.0\n");
  Gates gates;
  EXPECT_EQ(gates.closed(config, {}), "");
  EXPECT_FALSE(Gates::any(config_of("")));
}

TEST(MachineLoad, IsReadFromTheKernelsFiles) {
  const ScratchFolder scratch;
  const std::string& folder = scratch.path();
  const MachineLoad none = read_machine_load(folder);
  EXPECT_FALSE(none.load || none.free_memory_percent || none.memory_pressure_percent);
  std::filesystem::create_directory(folder + "/pressure");
  std::ofstream(folder + "/loadavg") << "1.25 0.50 0.10 2/300 4711\n";
  std::ofstream(folder + "/meminfo") << "MemTotal:  2000 kB\nMemFree:  100 kB\nMemAvailable:  500 kB\n";
  std::ofstream(folder + "/pressure/memory")
      << "some avg10=3.50 avg60=0.00 avg300=0.00 total=1\nfull avg10=0\n";
  const MachineLoad load = read_machine_load(folder);
  EXPECT_EQ(load.load, 1.25);
  EXPECT_EQ(load.free_memory_percent, 25);
  EXPECT_EQ(load.memory_pressure_percent, 3.5);
  EXPECT_TRUE(read_machine_load().load) << "of this machine";
}

TEST(CapacityOf, IncludesLimitsOfProjectsAgentsAndTags) {
  const Capacity capacity = capacity_of(config_of(
      "[queue]\nmax_running = 7\nmax_per_project = 3\nmax_per_agent = 4\nageing = \"10m\"\n"
      "tags = { gpu = 1, \"big memory\" = 2 }\n"
      "[projects.web]\npath = \"/srv\"\nmax_running = 5\nshare = 2\n[agents.claude]\nmax_running = 2\n"));
  EXPECT_EQ(capacity.max_running, 7U);
  EXPECT_EQ(capacity.max_per_project, 3U);
  EXPECT_EQ(capacity.max_per_agent, 4U);
  EXPECT_EQ(capacity.ageing, 600 * kSecondUs);
  EXPECT_EQ(capacity.of_project.at("web"), 5U);
  EXPECT_EQ(capacity.share.at("web"), 2U);
  EXPECT_EQ(capacity.of_agent.at("claude"), 2U);
  EXPECT_EQ(capacity.of_tag.at("gpu"), 1U);
  EXPECT_EQ(capacity.of_tag.at("big memory"), 2U);
  EXPECT_GT(capacity_of(config_of("")).max_running, 0U);
}

}  // namespace
}  // namespace luzia
