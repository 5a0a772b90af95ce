// Processes that Luzia did not start: each is known by boot, pid and start time.
#include "tools/luziad/watching/tracked_jobs.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tests/wait_until.h"
#include "tools/luziad/base/process_watching.h"

namespace luzia {
namespace {

/// A process that sleeps until it is killed.
class Sleeper {
 public:
  Sleeper() : pid_(::fork()) {
    if (pid_ > 0) return;
    while (true) ::pause();
  }
  ~Sleeper() { kill(); }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  ProcessId id() const {
    const auto pid = static_cast<std::uint32_t>(pid_);
    return {pid, process_start_time(pid).value_or(0)};
  }

 private:
  pid_t pid_;
};

class TrackedJobsTest : public testing::Test {
 protected:
  TrackedJobsTest() {
    uv_loop_init(&loop_);
    mailbox_ = std::make_unique<Mailbox>(&loop_);
    OutputWatcher::Hooks hooks;
    hooks.monotonic_now = [] { return monotonic_now(); };
    watcher_ = std::make_unique<OutputWatcher>(&loop_, LineDecoderSource{}, std::move(hooks),
                                               OutputWatcher::Limits{});
    TrackedJobs::Setting setting;
    setting.boot_id = "this";
    setting.report = [this](const std::string& job, const JobCommand& command) {
      const auto* gone = std::get_if<ReportTrackedGone>(&command);
      ASSERT_NE(gone, nullptr);
      reports_.push_back(job + ":" + gone->detail);
    };
    tracked_ = std::make_unique<TrackedJobs>(&loop_, *mailbox_, *watcher_, std::move(setting));
  }
  ~TrackedJobsTest() override {
    tracked_->close();
    watcher_->stop([] {});
    mailbox_->close();
    uv_run(&loop_, UV_RUN_DEFAULT);
    watcher_.reset();
    tracked_.reset();
    mailbox_.reset();
    EXPECT_EQ(uv_loop_close(&loop_), 0) << "handles were left open on the loop";
  }

  static JobState job(const std::string& id, const ProcessId& process, const std::string& boot = "this") {
    JobState job;
    job.job = id;
    job.spec = std::make_unique<schema::JobSpecT>();
    job.tracked = true;
    job.attempt_over = true;
    job.attempt = 1;
    job.state = schema::JobState::running;
    job.pid = process.pid;
    job.pid_start = process.start;
    job.boot_id = boot;
    return job;
  }
  /// Turns the loop until that many ends were reported.
  void run_until_reported(std::size_t count) {
    EXPECT_TRUE(wait_until([&] {
      uv_run(&loop_, UV_RUN_NOWAIT);
      return reports_.size() >= count;
    }));
  }
  using Reports = std::vector<std::string>;

  uv_loop_t loop_{};
  std::unique_ptr<Mailbox> mailbox_;
  std::unique_ptr<OutputWatcher> watcher_;
  std::unique_ptr<TrackedJobs> tracked_;
  Reports reports_;
};

TEST_F(TrackedJobsTest, ReportsTheEndOfAProcessOnce) {
  Sleeper first, second;
  tracked_->job_changed(job("first", first.id()));
  tracked_->job_changed(job("second", second.id()));
  tracked_->job_changed(job("first", first.id()));  // any later event
  uv_run(&loop_, UV_RUN_NOWAIT);
  first.kill();
  run_until_reported(1);
  second.kill();
  run_until_reported(2);
  EXPECT_EQ(reports_, Reports({"first:", "second:"}));
}

TEST_F(TrackedJobsTest, AnotherProcessWithThePidIsNotTakenForIt) {
  const Sleeper sleeper;
  ProcessId earlier = sleeper.id();
  ASSERT_NE(earlier.start, 0U);
  --earlier.start;
  tracked_->job_changed(job("reused", earlier));
  run_until_reported(1);
  EXPECT_EQ(reports_, Reports({"reused:"}));
}

TEST_F(TrackedJobsTest, ProcessOfAnEarlierBootIsGone) {
  const Sleeper sleeper;
  tracked_->job_changed(job("old", sleeper.id(), "before"));
  run_until_reported(1);
  EXPECT_EQ(reports_, Reports({"old:the machine has restarted"}));
}

TEST_F(TrackedJobsTest, EndedJobIsNotWatchedAnyMore) {
  Sleeper ended, other;
  tracked_->job_changed(job("ended", ended.id()));
  tracked_->job_changed(job("other", other.id()));
  uv_run(&loop_, UV_RUN_NOWAIT);
  JobState over = job("ended", ended.id());
  over.state = schema::JobState::cancelled;
  tracked_->job_changed(over);
  ended.kill();
  other.kill();
  run_until_reported(1);
  uv_run(&loop_, UV_RUN_NOWAIT);
  EXPECT_EQ(reports_, Reports({"other:"}));
}

TEST_F(TrackedJobsTest, OtherJobsAreNoneOfItsBusiness) {
  const Sleeper sleeper;
  JobState dispatched = job("dispatched", {sleeper.id().pid, 1});
  dispatched.tracked = false;
  tracked_->job_changed(dispatched);
  tracked_->job_changed(job("published", {}));
  tracked_->job_changed(job("reused", {sleeper.id().pid, 1}));
  run_until_reported(1);
  EXPECT_EQ(reports_, Reports({"reused:"}));
}

}  // namespace
}  // namespace luzia
