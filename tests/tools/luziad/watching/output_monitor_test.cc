// Warnings about an attempt's output, on a real loop with a clock that the test sets.
#include "tools/luziad/watching/output_monitor.h"

#include "engine/job/job_warnings.h"
#include "tests/matchers.h"

namespace luzia {
namespace {

TEST(OutputRate, SumsTheLastMinute) {
  OutputRate rate;
  rate.add(10, 1000 * kSecondUs);
  rate.add(20, 1025 * kSecondUs);
  EXPECT_EQ(rate.last_minute(), 30u);
  rate.add(5, 1059 * kSecondUs);
  EXPECT_EQ(rate.last_minute(), 35u);
  rate.add(0, 1060 * kSecondUs);
  EXPECT_EQ(rate.last_minute(), 25u);
  rate.add(1, 1200 * kSecondUs);
  EXPECT_EQ(rate.last_minute(), 1u);
}

TEST(OutputRate, NeverCountsMoreThanAMinute) {
  OutputRate rate;
  for (int second = 0; second < 600; ++second) {
    rate.add(1, (5000 + second) * kSecondUs);
    EXPECT_LE(rate.last_minute(), 60u);
  }
  EXPECT_GE(rate.last_minute(), 50u);
}

class OutputMonitorTest : public testing::Test {
 protected:
  OutputMonitorTest() {
    uv_loop_init(&loop_);
    config_.monitor.silence_warning_ms = 600'000;
    config_.monitor.loop_warning_repeats = 100;
    config_.monitor.flood_warning_mib = 10;
    OutputMonitor::Hooks hooks;
    hooks.warn = [this](const std::string& job, const WarnJob& warning) {
      told_.push_back(job + " " + std::string(warning_type(warning.kind)));
      last_ = warning;
      // As the log does.
      jobs_[job].warned |= 1U << static_cast<unsigned>(warning.kind);
      if (warning.ask) ask_people(jobs_[job]);
      if (warning.stop) jobs_[job].stop_requested = true;
    };
    hooks.question = [](const JobState&, const std::string& text) {
      AskQuestion question;
      question.text.content = text;
      return question;
    };
    hooks.find_job = [this](const std::string& job) -> const JobState* {
      const auto it = jobs_.find(job);
      return it == jobs_.end() ? nullptr : &it->second;
    };
    hooks.wall_now = [this] { return now_; };
    hooks.monotonic_now = [this] { return now_; };
    monitor_ = std::make_unique<OutputMonitor>(&loop_, config_, std::move(hooks));
  }
  ~OutputMonitorTest() override {
    monitor_->close();
    monitor_.reset();
    uv_run(&loop_, UV_RUN_DEFAULT);
    EXPECT_EQ(uv_loop_close(&loop_), 0);
  }

  JobState& running(const std::string& id) {
    JobState& job = started(id);
    monitor_->job_changed(job);
    return job;
  }
  JobState& started(const std::string& id) {
    JobState& job = jobs_[id];
    job.job = id;
    job.spec = std::make_unique<schema::JobSpecT>();
    job.spec->job_dir = "/nonexistent/" + id;
    job.state = schema::JobState::running;
    job.attempt = 1;
    job.pid = 100;
    job.started_us = now_;
    return job;
  }
  /// Adopts a job that printed something and has been silent for `silent` when the daemon starts.
  void adopt_silent(const std::string& id, TimeUs silent) {
    JobState& job = started(id);
    job.started_us = now_ - silent;
    job.checkpoint = std::make_unique<schema::CheckpointT>();
    job.checkpoint->scanned_to = 100;
    monitor_->adopt(job);
  }
  static void ask_people(JobState& job) {
    auto& question = *job.inputs.emplace_back(std::make_unique<view::InputRequestT>());
    question.id = "q-1";
    question.source = "monitor";
    question.unattended = true;
  }
  LiveTail tail(std::uint64_t bytes, std::uint64_t repeats = 0) const {
    LiveTail tail;
    tail.bytes = bytes;
    if (repeats != 0) tail.repetition = {1, repeats, 90, 100, "again"};
    return tail;
  }
  /// Advances the clock and checks the jobs that are due, as the timer would.
  void pass(TimeUs time) {
    now_ += time;
    monitor_->config_changed();
  }

  uv_loop_t loop_{};
  Config config_;
  TimeUs now_ = 1'767'225'600'000'000;
  std::map<std::string, JobState> jobs_;
  std::vector<std::string> told_;
  WarnJob last_;
  std::unique_ptr<OutputMonitor> monitor_;
};

TEST_F(OutputMonitorTest, LastingSilenceIsReported) {
  running("a");
  pass(9 * kMinuteUs);
  EXPECT_THAT(told_, IsEmpty());
  pass(2 * kMinuteUs);
  EXPECT_THAT(told_, ElementsAre("a SILENCE"));
  EXPECT_THAT(last_.message, HasSubstr("has printed nothing for 11m"));
  EXPECT_THAT(last_.message, HasSubstr("since 2026-01-01T00:00:00"));
  EXPECT_THAT(last_.recommendation, HasSubstr("luzia cancel a"));
  pass(kHourUs);
  EXPECT_EQ(told_.size(), 1u);
}

TEST_F(OutputMonitorTest, OutputEndsSilence) {
  running("a");
  pass(9 * kMinuteUs);
  monitor_->output_grew("a", tail(10));
  pass(9 * kMinuteUs);
  EXPECT_THAT(told_, IsEmpty());
  pass(kMinuteUs);
  EXPECT_THAT(told_, ElementsAre("a SILENCE"));
}

TEST_F(OutputMonitorTest, PausedOrWaitingJobsMayBeSilent) {
  for (const bool pauses : {true, false}) {
    JobState& job = running("a");
    job.paused = pauses;
    job.state = pauses ? schema::JobState::running : schema::JobState::waiting;
    monitor_->job_changed(job);
    pass(kHourUs);
    EXPECT_THAT(told_, IsEmpty());
    job.paused = false;
    job.state = schema::JobState::running;
    monitor_->job_changed(job);
    pass(9 * kMinuteUs);
    EXPECT_THAT(told_, IsEmpty());
  }
}

TEST_F(OutputMonitorTest, SilenceFromBeforeTheDaemonCounts) {
  JobState& job = running("a");
  job.attempt = 2;  // an attempt whose start this daemon did not see
  job.started_us = now_ - kHourUs;
  monitor_->adopt(job);
  pass(0);
  EXPECT_THAT(told_, ElementsAre("a SILENCE"));
  EXPECT_THAT(last_.message, HasSubstr("for 1h00m"));
}

TEST_F(OutputMonitorTest, EarlierPromptIsKnownOnceRead) {
  adopt_silent("a", kMinuteUs);
  pass(0);
  EXPECT_THAT(told_, IsEmpty());
  LiveTail asks = tail(100);
  asks.last_line = "Password:";
  monitor_->last_line_recalled("a", asks);
  pass(0);
  EXPECT_THAT(told_, ElementsAre("a SILENCE"));
  EXPECT_THAT(last_.message, HasSubstr("for 1m00s"));
  EXPECT_THAT(last_.message, HasSubstr("its last line asks: Password:"));
}

TEST_F(OutputMonitorTest, EarlierSilenceIsReportedWithItsLastLine) {
  adopt_silent("a", kHourUs);
  pass(0);
  EXPECT_THAT(told_, IsEmpty()) << "it may be waiting at a prompt";
  monitor_->last_line_recalled("a", tail(100));
  uv_run(&loop_, UV_RUN_DEFAULT);
  EXPECT_THAT(told_, ElementsAre("a SILENCE"));
}

TEST_F(OutputMonitorTest, JobPrintingAfterARestartIsMonitored) {
  config_.monitor.silence_warning_ms = 30;
  adopt_silent("a", kHourUs);
  monitor_->output_grew("a", tail(200));
  now_ += 31 * kMillisecondUs;
  uv_run(&loop_, UV_RUN_DEFAULT);
  EXPECT_THAT(told_, ElementsAre("a SILENCE"));
}

TEST_F(OutputMonitorTest, SilenceBeforeAPauseNeverCounts) {
  JobState& job = running("a");
  job.attempt = 2;
  job.started_us = now_ - kHourUs;
  job.went_on_us = now_ - kMinuteUs;
  monitor_->adopt(job);
  pass(8 * kMinuteUs);
  EXPECT_THAT(told_, IsEmpty());
  pass(kMinuteUs);
  EXPECT_THAT(told_, ElementsAre("a SILENCE"));
}

TEST_F(OutputMonitorTest, EndedAttemptIsNotMonitored) {
  JobState& job = running("a");
  job.attempt_over = true;
  job.state = schema::JobState::completed;
  monitor_->job_changed(job);
  pass(kHourUs);
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(OutputMonitorTest, ZeroDisablesEachWarning) {
  config_.monitor.silence_warning_ms = 0;
  config_.monitor.loop_warning_repeats = 0;
  config_.monitor.flood_warning_mib = 0;
  running("a");
  monitor_->output_grew("a", tail(1ULL << 40, 1'000'000));
  pass(kDayUs);
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(OutputMonitorTest, ShorterLimitAppliesAtOnce) {
  running("a");
  pass(5 * kMinuteUs);
  config_.monitor.silence_warning_ms = 60'000;
  monitor_->config_changed();
  EXPECT_THAT(told_, ElementsAre("a SILENCE"));
}

TEST_F(OutputMonitorTest, TimerFiresForTheEarliestAttempt) {
  config_.monitor.silence_warning_ms = 30;
  running("a");
  running("b");
  now_ += 31 * kMillisecondUs;
  // Only one timer; it ends when no job is left to watch.
  uv_run(&loop_, UV_RUN_DEFAULT);
  EXPECT_THAT(told_, ElementsAre("a SILENCE", "b SILENCE"));
}

TEST_F(OutputMonitorTest, FloodExceedsTheLimitWithinAMinute) {
  running("a");
  monitor_->output_grew("a", tail(6 << 20));
  now_ += 2 * kMinuteUs;
  monitor_->output_grew("a", tail(12 << 20));
  EXPECT_THAT(told_, IsEmpty());
  now_ += 10 * kSecondUs;
  monitor_->output_grew("a", tail(17 << 20));
  EXPECT_THAT(told_, ElementsAre("a OUTPUT_FLOOD"));
  EXPECT_THAT(last_.message, HasSubstr("printed 11 MiB within a minute"));
  monitor_->output_grew("a", tail(90 << 20));
  EXPECT_EQ(told_.size(), 1u);
}

TEST_F(OutputMonitorTest, ReplacedFileCountsFromItsStart) {
  running("a");
  monitor_->output_grew("a", tail(8 << 20));
  LiveTail other = tail(1 << 20);
  other.generation = 1;
  monitor_->output_grew("a", other);
  EXPECT_THAT(told_, IsEmpty());
  other.bytes = 3 << 20;
  monitor_->output_grew("a", other);
  EXPECT_THAT(told_, ElementsAre("a OUTPUT_FLOOD"));
}

TEST_F(OutputMonitorTest, OutputWithoutADaemonIsNoFlood) {
  JobState& job = running("a");
  job.attempt = 2;
  monitor_->adopt(job);
  monitor_->output_grew("a", tail(1 << 30));
  EXPECT_THAT(told_, IsEmpty());
  now_ += kMinuteUs;
  monitor_->output_grew("a", tail((1 << 30) + (11 << 20)));
  EXPECT_THAT(told_, ElementsAre("a OUTPUT_FLOOD"));
}

TEST_F(OutputMonitorTest, LoopIsReportedAtItsLimit) {
  running("a");
  monitor_->output_grew("a", tail(100, 99));
  EXPECT_THAT(told_, IsEmpty());
  monitor_->output_grew("a", tail(200, 100));
  EXPECT_THAT(told_, ElementsAre("a OUTPUT_LOOP"));
  EXPECT_EQ(last_.message, "printed the same line 100 times in a row: again");
  ASSERT_TRUE(last_.evidence);
  EXPECT_EQ(last_.evidence->log_from, 90u);
  EXPECT_EQ(last_.evidence->log_to, 100u);
  EXPECT_EQ(last_.evidence->rule, "output-loop");
}

TEST_F(OutputMonitorTest, OutputBeforeTheStartReportCounts) {
  JobState& job = jobs_["a"];
  job.job = "a";
  job.state = schema::JobState::starting;
  job.attempt = 1;
  job.spec = std::make_unique<schema::JobSpecT>();
  monitor_->output_grew("a", tail(100, 100));
  EXPECT_THAT(told_, ElementsAre("a OUTPUT_LOOP"));
}

TEST_F(OutputMonitorTest, SilenceAfterAPromptIsReportedSooner) {
  running("a");
  LiveTail asks = tail(100);
  asks.last_line = "Do you want to continue? [Y/n] ";
  monitor_->output_grew("a", asks);
  pass(kPromptPatience - 1);
  EXPECT_THAT(told_, IsEmpty());
  pass(1);
  EXPECT_THAT(told_, ElementsAre("a SILENCE"));
  EXPECT_THAT(last_.message, HasSubstr("its last line asks: Do you want to continue?"));
  EXPECT_THAT(last_.recommendation, HasSubstr("nobody can answer"));
}

TEST_F(OutputMonitorTest, PeopleAreAskedAgainAfterWaiting) {
  config_.monitor.when_silent = "ask";
  JobState& job = running("a");
  pass(10 * kMinuteUs);
  ASSERT_TRUE(last_.ask);
  EXPECT_THAT(last_.ask->text.content, HasSubstr("It has printed nothing for 10m"));
  monitor_->job_changed(job);
  pass(kHourUs);
  EXPECT_EQ(told_.size(), 1u) << "the question is open";
  job.inputs.clear();
  monitor_->job_changed(job);
  pass(9 * kMinuteUs);
  EXPECT_EQ(told_.size(), 1u);
  pass(kMinuteUs);
  EXPECT_EQ(told_.size(), 2u);
}

TEST_F(OutputMonitorTest, StopAppliesAtTheLimitPromptOnlyWarns) {
  config_.monitor.when_silent = "kill";
  running("a");
  LiveTail asks = tail(100);
  asks.last_line = "Password:";
  monitor_->output_grew("a", asks);
  pass(kPromptPatience);
  EXPECT_EQ(told_.size(), 1u);
  EXPECT_FALSE(last_.stop);
  pass(10 * kMinuteUs - kPromptPatience);
  EXPECT_EQ(told_.size(), 2u);
  EXPECT_TRUE(last_.stop);
}

TEST_F(OutputMonitorTest, ProjectSettingOutranksAgentsAndGeneral) {
  config_.monitor.when_silent = "kill";
  config_.agents["mine"].when_silent = "ask";
  config_.projects["calm"].when_silent = "warn";
  config_.projects["other"];
  EXPECT_EQ(when_silent(config_, "none", "none"), WhenSilent::kill);
  EXPECT_EQ(when_silent(config_, "other", "mine"), WhenSilent::ask);
  EXPECT_EQ(when_silent(config_, "calm", "mine"), WhenSilent::warn);
}

TEST_F(OutputMonitorTest, LineAfterThePromptEndsIt) {
  running("a");
  LiveTail asks = tail(100);
  asks.last_line = "Password:";
  monitor_->output_grew("a", asks);
  LiveTail answer = tail(200);
  answer.last_line = "welcome";
  monitor_->output_grew("a", answer);
  pass(2 * kPromptPatience);
  EXPECT_THAT(told_, IsEmpty());
}

}  // namespace
}  // namespace luzia
