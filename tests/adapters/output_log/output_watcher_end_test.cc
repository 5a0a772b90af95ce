// Passing stretches to the log, the end of an attempt, and the end of the watcher.
#include "tests/adapters/output_log/watcher_fixture.h"
#include "tests/matchers.h"

namespace luzia {
namespace {

class HandOver : public WatcherTest {
 protected:
  /// Holds back findings until the test accepts or drops them.
  void hold() {
    on_found_ = [this](const std::string&, RecordOutput output) { held_.push_back(std::move(output)); };
  }
  void take_held(const std::string& job) {
    ASSERT_EQ(held_.size(), 1u);
    const RecordOutput output = std::move(held_.front());
    held_.clear();
    record(job, output);
    acknowledge(job);
  }
  std::vector<RecordOutput> held_;
};

TEST_F(HandOver, NextStretchWaitsForTheAcknowledgement) {
  hold();
  const JobDir dir;
  dir.append("::error::one\n");
  watch("a", dir);
  ASSERT_TRUE(run_until([&] { return held_.size() == 1; }));
  dir.append("::error::two\n");
  ASSERT_TRUE(run_until([&] { return watcher_->tail("a")->lines == 2; }));
  dir.append("::error::three\n");
  ASSERT_TRUE(run_until([&] { return watcher_->tail("a")->lines == 3; }));
  EXPECT_EQ(held_.size(), 1u);
  take_held("a");
  ASSERT_EQ(held_.size(), 1u) << "output that came meanwhile follows at once as one stretch";
  EXPECT_EQ(held_[0].findings.size(), 2u);
  take_held("a");
  EXPECT_EQ(seen_["a"].findings.size(), 3u);
}

TEST_F(HandOver, UnrecordedFindingsPauseReading) {
  hold();
  const JobDir dir;
  // As many findings of each kind as are recorded one by one.
  for (int i = 0; i < 1500; ++i)
    dir.append(i % 3 == 0 ? "::error::x\n" : i % 3 == 1 ? "::warning::x\n" : "::notice::x\n");
  watch("a", dir);
  ASSERT_TRUE(run_until([&] { return watcher_->tail("a")->lines >= 512; }));
  EXPECT_LT(watcher_->tail("a")->lines, 1500u);
  on_found_ = [this](const std::string& job, const RecordOutput& output) {
    EXPECT_LE(output.findings.size(), 512u);
    record(job, output);
    acknowledge(job);
  };
  take_held("a");
  EXPECT_TRUE(run_until_found("a", 1500));
}

TEST_F(HandOver, DroppedStretchIsReadAgain) {
  const JobDir dir;
  dir.append("::error::one\n");
  int dropped = 0;
  on_found_ = [&](const std::string& job, const RecordOutput& output) {
    if (dropped++ != 1) record(job, output);
    acknowledge(job);
  };
  watch("a", dir);
  ASSERT_TRUE(run_until_found("a", 1));
  dir.append("::error::two\n");
  ASSERT_TRUE(run_until_found("a", 2));
  EXPECT_EQ(dropped, 3);
  EXPECT_THAT(seen_["a"].findings, ElementsAre("error 0-12 one", "error 13-25 two"));
  EXPECT_EQ(watcher_->tail("a")->lines, 2u);
}

TEST_F(HandOver, EndWaitsUntilTheLastStretchIsRecorded) {
  hold();
  const JobDir dir;
  dir.append("text\n::error::last");
  watch("a", dir);
  bool ended = false;
  watcher_->finish("a", 18, [&] { ended = true; });
  ASSERT_TRUE(run_until([&] { return held_.size() == 1; }));
  EXPECT_FALSE(ended);
  take_held("a");
  EXPECT_TRUE(ended);
  EXPECT_THAT(seen_["a"].findings, ElementsAre("error 5-18 last"));
  EXPECT_EQ(seen_["a"].lines, 2u);
}

TEST_F(HandOver, FailedLogDoesNotDelayTheEnd) {
  on_found_ = [this](const std::string& job, const RecordOutput&) { acknowledge(job); };
  const JobDir dir;
  dir.append("::error::x\n");
  watch("a", dir);
  EXPECT_TRUE(finish("a", 11));
  EXPECT_THAT(seen_["a"].trouble, ElementsAre("output_not_recorded"));
}

TEST_F(WatcherTest, OutputBeyondTheRecordedSizeIsNeverRead) {
  const JobDir dir;
  dir.append("::error::a\n\nexit:1\n");
  watch("a", dir, 11);
  ASSERT_TRUE(finish("a", 11));
  EXPECT_EQ(seen_["a"].lines, 1u);
  EXPECT_EQ(seen_["a"].checkpoint.scanned_to, 11u);
  EXPECT_EQ(watcher_->tail("a")->last_line, "a");
}

TEST_F(WatcherTest, CrashAfterTheLastStretchCountsNoLineTwice) {
  const JobDir dir;
  dir.append("a\nb");
  watch("a", dir);
  ASSERT_TRUE(finish("a", 3));
  watch("a", dir);  // as the next daemon would
  ASSERT_TRUE(finish("a", 3));
  EXPECT_EQ(seen_["a"].lines, 2u);
  EXPECT_EQ(seen_["a"].appended, 1u);
}

TEST_F(WatcherTest, EndOfAnUnwatchedJobIsImmediate) {
  start();
  bool ended = false;
  watcher_->finish("nobody", 5, [&] { ended = true; });
  EXPECT_TRUE(ended);
}

TEST_F(WatcherTest, CallbacksMayForgetAndWatchAgain) {
  const JobDir dir;
  dir.append("::error::one\n");
  on_found_ = [&](const std::string& job, const RecordOutput& output) {
    record(job, output);
    watcher_->forget(job);
    if (seen_[job].outputs < 5) watch(job, dir);
    dir.append("::error::more\n");
  };
  watch("a", dir);
  ASSERT_TRUE(run_until([&] { return watcher_->watched() == 0; }));
  EXPECT_EQ(seen_["a"].outputs, 5u);
  EXPECT_EQ(seen_["a"].findings.size(), 5u);
}

TEST_F(WatcherTest, WithoutWatchedJobsTheLoopEnds) {
  limits_.reconcile_every = 10 * kMillisecondUs;
  const JobDir dir;
  watch("a", dir);
  EXPECT_TRUE(uv_loop_alive(&loop_));
  watcher_->forget("a");
  uv_run(&loop_, UV_RUN_DEFAULT);  // returns: no timer runs for unwatched jobs
  EXPECT_FALSE(uv_loop_alive(&loop_));
  dir.append("::error::x\n");
  watch("a", dir);
  ASSERT_TRUE(finish("a", 11));
  uv_run(&loop_, UV_RUN_DEFAULT);  // nor for a job whose output was read to its end
  EXPECT_EQ(seen_["a"].findings.size(), 1u);
}

TEST_F(WatcherTest, StopDuringReadingCallsNothingMore) {
  const JobDir dir;
  for (int i = 0; i < 2000; ++i) dir.append("::error::x\n");
  for (int i = 0; i < 20; ++i) watch("job" + std::to_string(i), dir);
  bool ended = false;
  watcher_->finish("job1", 22'000, [&] { ended = true; });
  std::size_t outputs = 0;
  on_found_ = [&](const std::string&, const RecordOutput&) {
    if (++outputs == 3) watcher_->stop([this] { stopped_ = true; });
  };
  ASSERT_TRUE(run_until([&] { return stopped_; }));
  EXPECT_EQ(outputs, 3u);
  EXPECT_FALSE(ended);
  EXPECT_EQ(watcher_->watched(), 0u);
}

}  // namespace
}  // namespace luzia
