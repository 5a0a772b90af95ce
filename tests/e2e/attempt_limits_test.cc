// Attempts that use more than they may, with real processes that eat memory, fork and fill the disk: they die
// alone, and the log says of what.
#include <chrono>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

/// tail keeps all that it reads until a line ends, and none does.
constexpr const char* kEats128MiB = "{ head -c 128M /dev/zero; sleep 600; } | tail";

class AttemptLimitsTest : public DaemonTest {
 protected:
  Json only_stop(const std::string& id) const {
    const auto stops = events_of(id, "StopRequested");
    EXPECT_EQ(stops.size(), 1u) << id;
    return stops.empty() ? Json::object() : stops.front()["data"];
  }
};

TEST_F(AttemptLimitsTest, MemoryRunawayDiesAloneAndTheLogSaysOfWhat) {
  const std::string beside = dispatch("sleep 3; echo done", {"--memory", "64M"});
  const std::string id = dispatch(kEats128MiB, {"--memory", "64M"});
  ended_as(id, "killed", "memory_limit");
  EXPECT_TRUE(processes_of("LUZIA_JOB_ID=" + id).empty());
  EXPECT_EQ(ended(beside)["state"], "completed") << "a job beside it does not notice";
  const Json stop = only_stop(id);
  EXPECT_EQ(stop["reason"], "memory_limit");
  ASSERT_FALSE(stop["largest"].empty());
  EXPECT_EQ(stop["largest"][0]["name"], "tail");
  EXPECT_GT(stop["largest"][0]["resident_bytes"].get<std::uint64_t>(), 64u << 20);
  EXPECT_THAT(
      luzia({"why", id}).out,
      AllOf(HasSubstr("stop requested (memory_limit): used"), HasSubstr("largest: tail (pid "),
            HasSubstr(
                "to allow more: --memory, or memory in [projects.demo], which counts before [agents.shell] "
                "and [jobs]")));
  EXPECT_THAT(luzia({"job", id}).out, HasSubstr("limits      64 MiB of memory\n"));
  EXPECT_EQ(job(id)["limits"]["memory_bytes"], 64u << 20);
  EXPECT_EQ(job(id)["limits"]["cpu_percent"], nullptr);
  EXPECT_FALSE(job(id)["retriable"].get<bool>());
  expect_verified();
}

TEST_F(AttemptLimitsTest, RunawayOfGigabytesASecondDiesInTime) {
  const std::string id = dispatch("head -c 2G /dev/zero | tail; sleep 600", {"--memory", "64M"});
  const Json row = ended_as(id, "killed", "memory_limit");
  EXPECT_LT(row["elapsed_seconds"].get<double>(), 10) << "2 s on a machine of its own";
}

TEST_F(AttemptLimitsTest, ForkBombDiesAlone) {
  const std::string beside = dispatch("sleep 3; echo done");
  const std::string id =
      dispatch("i=0; while [ $i -lt 200 ]; do sleep 600 & i=$((i+1)); done; wait", {"--processes", "50"});
  const Json row = ended(id);
  EXPECT_EQ(row["reason"], "process_limit") << row;
  EXPECT_TRUE(processes_of("LUZIA_JOB_ID=" + id).empty());
  EXPECT_EQ(ended(beside)["state"], "completed");
  EXPECT_THAT(luzia({"why", id}).out, HasSubstr("--processes, or processes in [projects.demo]"));
  expect_verified();
}

TEST_F(AttemptLimitsTest, FilesAndOutputOfTheJobDirectoryAreLimited) {
  const std::string files =
      dispatch("head -c 8M /dev/zero > $LUZIA_JOB_DIR/big; sleep 600", {"--disk", "4M"});
  const std::string output = dispatch("yes | head -c 8M; sleep 600", {"--disk", "4M"});
  const std::string small =
      dispatch("head -c 1M /dev/zero > $LUZIA_JOB_DIR/small; sleep 4", {"--disk", "4M"});
  for (const std::string& id : {files, output}) {
    ended_as(id, "killed", "disk_limit");
    EXPECT_THAT(only_stop(id)["note"], HasSubstr("its job directory took "));
  }
  EXPECT_EQ(ended(small)["state"], "completed");
}

TEST_F(AttemptLimitsTest, ReachedLimitIsNotRetried) {
  configure("[retry]\nmax = 3\nbackoff = \"0s\"\n");
  const std::string id = dispatch(kEats128MiB, {"--memory", "64M", "--retries", "3"});
  EXPECT_EQ(ended_as(id, "killed", "memory_limit")["attempts"], 1);
}

TEST_F(AttemptLimitsTest, NarrowestSettingWins) {
  configure(
      "[jobs]\nmemory = \"2G\"\nprocesses = 300\ncpu = \"150%\"\n"
      "[agents.eater]\ncommand = [\"sh\", \"-c\", \"{task}\"]\nmemory = \"1GiB\"\ndisk = \"10M\"\n");
  const auto limits = [this](const Words& options) {
    Words words{"dispatch", "demo", "true", "--dry-run", "--json"};
    words.insert(words.end(), options.begin(), options.end());
    return luzia_json(words)["jobs"][0]["attempt_limits"];
  };
  EXPECT_EQ(limits({})["memory_bytes"], 2ULL << 30);
  EXPECT_EQ(limits({})["cpu_percent"], 150);
  EXPECT_EQ(limits({})["disk_bytes"], nullptr);
  EXPECT_EQ(limits({"-a", "eater"})["memory_bytes"], 1ULL << 30);
  EXPECT_EQ(limits({"-a", "eater"})["disk_bytes"], 10ULL << 20);
  EXPECT_EQ(limits({"-a", "eater", "--memory", "512M", "--processes", "7"})["memory_bytes"], 512ULL << 20);
  EXPECT_EQ(limits({"--processes", "7"})["processes"], 7);
  EXPECT_THAT(
      luzia({"dispatch", "demo", "true", "--dry-run", "--disk", "3G"}).out,
      HasSubstr("may use     2 GiB of memory, 150 % of a core, 300 processes and threads, 3 GiB of disk\n"));
}

TEST_F(AttemptLimitsTest, BadLimitsAreRefused) {
  start_daemon();
  expect_refused({"dispatch", "demo", "true", "--memory", "much"}, 2,
                 "'much' is not a size such as 512M or 4G");
  expect_refused({"dispatch", "demo", "true", "--memory", "5"}, 2, "5 bytes of memory is below 1 MiB");
  expect_refused({"dispatch", "demo", "true", "--cpu", "two"}, 2, "'two' is not a percentage such as 200%");
  expect_refused({"dispatch", "demo", "true", "--processes", "99999999999"}, 2, "is too many");
}

TEST_F(AttemptLimitsTest, LimitOfCpuThatNobodyHoldsIsTold) {
  const std::string id = dispatch("true", {"--cpu", "50%"});
  ended(id);
  const auto held = events_of(id, "AttemptLimited");
  ASSERT_EQ(held.size(), 1u);
  const bool by_kernel = held.front()["data"]["cgroup"] != "";
  EXPECT_EQ(held.front()["data"]["not_held"] != "", !by_kernel);
  EXPECT_EQ(job(id)["warnings"], by_kernel ? 0 : 1);
  configure("[jobs]\ncpu = \"50%\"\n");
  EXPECT_EQ(luzia({"daemon", "reload"}).code, 0);
  EXPECT_THAT(luzia({"doctor"}).out, HasSubstr("limits of attempts are held: "));
}

TEST_F(AttemptLimitsTest, JobsWithoutLimitsSayNothingOfThem) {
  const std::string id = dispatch("true");
  ended(id);
  EXPECT_TRUE(events_of(id, "AttemptLimited").empty());
  EXPECT_FALSE(job(id).contains("limits"));
  EXPECT_THAT(luzia({"job", id}).out, Not(HasSubstr("limits")));
}

TEST_F(AttemptLimitsTest, AttemptIsHeldToItsLimitAfterARestart) {
  const std::string id =
      dispatch("while [ ! -e go ]; do sleep 0.05; done; " + std::string(kEats128MiB), {"--memory", "64M"});
  ASSERT_TRUE(becomes(id, "running"));
  kill_daemon();
  write_text(project() + "/go", "");
  start_daemon();
  ended_as(id, "killed", "memory_limit");
  EXPECT_EQ(events_of(id, "AttemptLimited").size(), 1u);
}

TEST_F(AttemptLimitsTest, DaemonKilledAtTheMomentOfTheStopTellsItOnce) {
  for (const char* point : {"limit.stop@1", "end.report@1"}) {
    const auto [started, failing] = start_daemon_that_ends_at(point);
    ASSERT_NE(failing, 0) << started.err;
    const std::string id = dispatch(kEats128MiB, {"--memory", "64M"});
    EXPECT_TRUE(wait_until([pid = failing] { return !is_running(pid); })) << point;
    ended_as(id, "killed", "memory_limit");
    only_stop(id);
    EXPECT_EQ(events_of(id, "JobEnded").size(), 1u) << point;
    expect_verified();
    kill_daemon();
  }
}

}  // namespace
}  // namespace luzia
