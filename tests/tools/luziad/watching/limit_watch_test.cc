// Attempts held to their limits, with real processes on a real loop.
#include "tools/luziad/watching/limit_watch.h"

#include <chrono>
#include <filesystem>
#include <fstream>

#include "adapters/launcher/process_table.h"
#include "tests/process_family.h"
#include "tests/scratch.h"
#include "tests/wait_until.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kEatenMib = 1 << 20;

/// A running job whose luzia-run is a family's first process.
JobState job_of(const ProcessFamily& family, const std::string& id) {
  ProcessStat stat;
  EXPECT_TRUE(read_process(family.pid(), stat));
  JobState state;
  state.job = id;
  state.state = schema::JobState::running;
  state.attempt = 1;
  state.pid = state.runner_pid = static_cast<std::uint32_t>(family.pid());
  state.pid_start = state.runner_start = stat.start;
  state.spec = std::make_unique<schema::JobSpecT>();
  return state;
}

void set_limits(JobState& job, std::uint64_t memory, std::uint64_t disk = 0) {
  job.spec->limits = std::make_unique<schema::AttemptLimitsT>();
  job.spec->limits->memory_bytes = memory;
  job.spec->limits->disk_bytes = disk;
}

class LimitWatchTest : public ScratchTest {
 protected:
  LimitWatchTest() {
    fs::create_directories(folder_ / "proc");
    uv_loop_init(&loop_);
    mailbox_ = std::make_unique<Mailbox>(&loop_);
    LimitWatch::Hooks hooks;
    hooks.stop = [this](const std::string& job, StopAtLimit stop) {
      stops_.emplace_back(job, std::move(stop));
    };
    hooks.each_job = [this](const std::function<void(const JobState&)>& see) {
      for (const JobState& job : jobs_) see(job);
    };
    hooks.cgroup_of = [](const std::string&, std::uint32_t) { return std::string(); };
    hooks.monotonic_now = [] { return monotonic_now(); };
    hooks.proc = (folder_ / "proc").string();
    hooks.redactor = [this](const std::string&) { return redactor_; };
    watch_ = std::make_unique<LimitWatch>(&loop_, *mailbox_, config_, std::move(hooks));
  }
  ~LimitWatchTest() override {
    watch_->close();
    watch_.reset();
    mailbox_->close();
    uv_run(&loop_, UV_RUN_DEFAULT);
    mailbox_.reset();
    EXPECT_EQ(uv_loop_close(&loop_), 0);
  }

  /// Turns the loop until something is stopped; false: nothing was in time.
  bool turn_until_stopped(std::chrono::milliseconds patience) {
    bool over = false;
    Timer timer(&loop_);
    timer.start(static_cast<std::uint64_t>(patience.count()), [&over] { over = true; });
    while (stops_.empty() && !over) uv_run(&loop_, UV_RUN_ONCE);
    return !stops_.empty();
  }
  void set_available(std::uint64_t bytes) const {
    std::ofstream(folder_ / "proc/meminfo")
        << "MemTotal: 99999999 kB\nMemFree: 1 kB\nMemAvailable: " << bytes / 1024 << " kB\n";
  }

  const fs::path folder_ = scratch_;
  uv_loop_t loop_{};
  Config config_;
  std::unique_ptr<Mailbox> mailbox_;
  std::vector<JobState> jobs_;
  std::shared_ptr<const Redactor> redactor_;
  std::vector<std::pair<std::string, StopAtLimit>> stops_;
  std::unique_ptr<LimitWatch> watch_;
};

constexpr std::chrono::seconds kLongLook(20);

TEST_F(LimitWatchTest, AThousandAttemptsWithoutLimitsCostNothing) {
  const ProcessFamily family(kEatenMib);
  const JobState plain = job_of(family, "a");
  for (int i = 0; i < 1'000; ++i) {
    JobState job(plain);
    job.job = "j" + std::to_string(i);
    watch_->job_changed(job);
  }
  EXPECT_FALSE(watch_->looks()) << "no timer, no thread: nothing is looked at";
}

TEST_F(LimitWatchTest, LimitOfCpuAloneLeavesNothingToLookAt) {
  const ProcessFamily family(kEatenMib);
  JobState job = job_of(family, "a");
  job.spec->limits = std::make_unique<schema::AttemptLimitsT>();
  job.spec->limits->cpu_percent = 50;
  watch_->job_changed(job);
  EXPECT_FALSE(watch_->looks());
}

TEST_F(LimitWatchTest, AgentWithoutItsLuziaRunIsStillHeld) {
  const ProcessFamily family(128 * kEatenMib);
  JobState job = job_of(family, "a");
  set_limits(job, 64 * kEatenMib);
  job.runner_pid = 1;  // not the process that it was
  job.runner_start = 1;
  watch_->job_changed(job);
  EXPECT_FALSE(turn_until_stopped(std::chrono::milliseconds(500)));
  job.runner_gone = true;
  watch_->job_changed(job);
  EXPECT_TRUE(turn_until_stopped(kLongLook));
}

TEST_F(LimitWatchTest, RetriedJobIsNotLookedAtWhileItIsQueued) {
  const ProcessFamily family(kEatenMib);
  JobState job = job_of(family, "a");
  set_limits(job, 64 * kEatenMib);
  watch_->job_changed(job);
  job.state = schema::JobState::queued;
  watch_->job_changed(job);
  EXPECT_FALSE(turn_until_stopped(std::chrono::milliseconds(1'500)));
  EXPECT_FALSE(watch_->looks());
}

TEST_F(LimitWatchTest, RunawayIsStoppedAloneAndOnce) {
  const ProcessFamily eats(128 * kEatenMib), beside(kEatenMib);
  JobState runaway = job_of(eats, "runaway"), good = job_of(beside, "good");
  set_limits(runaway, 64 * kEatenMib);
  set_limits(good, 64 * kEatenMib);
  watch_->job_changed(good);
  watch_->job_changed(runaway);
  ASSERT_TRUE(turn_until_stopped(kLongLook));
  EXPECT_EQ(stops_.front().first, "runaway");
  EXPECT_EQ(stops_.front().second.reason, schema::StopReason::memory_limit);
  EXPECT_EQ(stops_.front().second.attempt, 1u);
  EXPECT_GT(stops_.front().second.used, 64 * kEatenMib);
  ASSERT_FALSE(stops_.front().second.largest.empty());
  EXPECT_GT(stops_.front().second.largest.front().resident_bytes, 64 * kEatenMib);
  stops_.clear();
  EXPECT_FALSE(turn_until_stopped(std::chrono::milliseconds(1'500))) << "it is not told again";
}

TEST_F(LimitWatchTest, NamesOfProcessesShowNoSecret) {
  const std::string name = "family";
  redactor_ =
      std::make_shared<const Redactor>(std::vector<SecretValue>{{"TOKEN", name + "-and-what-was-cut"}});
  const ProcessFamily family(128 * kEatenMib);
  JobState job = job_of(family, "a");
  set_limits(job, 64 * kEatenMib);
  watch_->job_changed(job);
  ASSERT_TRUE(turn_until_stopped(kLongLook));
  ASSERT_FALSE(stops_.front().second.largest.empty());
  EXPECT_EQ(stops_.front().second.largest.front().name, std::string(name.size(), '*'));
}

TEST_F(LimitWatchTest, KeeperOfASandboxIsNoProcessOfTheJob) {
  const ProcessFamily within(kEatenMib, 2), beyond(kEatenMib, 2);
  JobState confined = job_of(within, "confined"), plain = job_of(beyond, "plain");
  for (JobState* job : {&confined, &plain}) {
    set_limits(*job, 0);
    job->spec->limits->processes = 1;
  }
  confined.spec->sandbox = std::make_unique<schema::SandboxT>();
  watch_->job_changed(confined);
  EXPECT_FALSE(turn_until_stopped(std::chrono::milliseconds(1'500)));
  watch_->job_changed(plain);
  ASSERT_TRUE(turn_until_stopped(kLongLook));
  EXPECT_EQ(stops_.front().first, "plain");
}

TEST_F(LimitWatchTest, ThreadsOfAProxyAreNotOfTheJob) {
  const ProcessFamily family(kEatenMib, 4);
  JobState reaching = job_of(family, "reaching");
  set_limits(reaching, 0);
  reaching.spec->limits->processes = 1;
  reaching.spec->sandbox = std::make_unique<schema::SandboxT>();
  reaching.spec->sandbox->hosts = {"example.org"};
  watch_->job_changed(reaching);
  EXPECT_FALSE(turn_until_stopped(std::chrono::milliseconds(1'500)));
}

TEST_F(LimitWatchTest, FullJobDirectoryStopsItsAttempt) {
  const ProcessFamily family(kEatenMib);
  JobState writer = job_of(family, "writer");
  set_limits(writer, 0, kEatenMib);
  writer.spec->job_dir = (folder_ / "job").string();
  fs::create_directories(folder_ / "job/worktree");
  std::ofstream(folder_ / "job/worktree/big") << std::string(2 * kEatenMib, 'x');
  watch_->job_changed(writer);
  ASSERT_TRUE(turn_until_stopped(kLongLook));
  EXPECT_EQ(stops_.front().second.reason, schema::StopReason::disk_limit);
  EXPECT_GE(stops_.front().second.used, 2 * kEatenMib);
}

TEST_F(LimitWatchTest, AttemptThatIsOverIsForgotten) {
  const ProcessFamily family(kEatenMib);
  JobState job = job_of(family, "a");
  set_limits(job, kEatenMib);
  watch_->job_changed(job);
  EXPECT_TRUE(watch_->looks());
  job.attempt_over = true;
  watch_->job_changed(job);
  EXPECT_FALSE(turn_until_stopped(std::chrono::milliseconds(1'500)));
  EXPECT_FALSE(watch_->looks());
}

TEST_F(LimitWatchTest, ReserveStopsTheLargestOfThoseThatDoNotGrow) {
  set_available(100 * kEatenMib);
  const ProcessFamily large(128 * kEatenMib), small(kEatenMib);
  jobs_.push_back(job_of(large, "large"));
  jobs_.push_back(job_of(small, "small"));
  for (const JobState& job : jobs_) watch_->job_changed(job);
  EXPECT_FALSE(watch_->looks()) << "no reserve is set";
  const ProcessTree tree{static_cast<pid_t>(jobs_[0].runner_pid), jobs_[0].runner_start, false};
  ASSERT_TRUE(
      wait_until([&] { return use_of_trees(std::span(&tree, 1)).front().resident >= 128 * kEatenMib; }));
  config_.queue.stop_when_memory_below = 512 * kEatenMib;
  watch_->config_changed();
  ASSERT_TRUE(turn_until_stopped(kLongLook));
  EXPECT_EQ(stops_.front().first, "large");
  EXPECT_EQ(stops_.front().second.reason, schema::StopReason::memory_pressure);
  EXPECT_EQ(stops_.front().second.free_memory, 100 * kEatenMib);
}

TEST_F(LimitWatchTest, NothingIsStoppedWhileThereIsMemory) {
  set_available(4'000 * kEatenMib);
  config_.queue.stop_when_memory_below = 512 * kEatenMib;
  const ProcessFamily family(64 * kEatenMib);
  watch_->job_changed(job_of(family, "a"));
  EXPECT_TRUE(watch_->looks());
  EXPECT_FALSE(turn_until_stopped(std::chrono::milliseconds(1'500)));
}

TEST_F(LimitWatchTest, EndByTheKernelGetsTheProcessesSeenLast) {
  const ProcessFamily family(32 * kEatenMib);
  JobState job = job_of(family, "a");
  set_limits(job, 1'024 * kEatenMib);
  watch_->job_changed(job);
  EXPECT_FALSE(turn_until_stopped(std::chrono::milliseconds(1'500)));
  RecordExit exit;
  exit.end.attempt = 1;
  watch_->complete("a", exit);
  EXPECT_EQ(exit.end.reached, nullptr) << "the kernel held it to nothing";
  exit.end.reached = std::make_unique<schema::ReachedLimitT>();
  watch_->complete("a", exit);
  ASSERT_EQ(exit.end.reached->largest.size(), 1u);
  EXPECT_GT(exit.end.reached->largest.front()->resident_bytes, 16 * kEatenMib);
}

TEST(AvailableMemory, IsThatOfTheKernel) {
  const auto bytes = available_memory("/proc");
  ASSERT_TRUE(bytes);
  EXPECT_GT(*bytes, kEatenMib);
  EXPECT_EQ(available_memory("/nowhere"), std::nullopt);
}

}  // namespace
}  // namespace luzia
