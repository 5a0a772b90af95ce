// A real watcher on a real libuv loop, with a log that accepts stretches by the decider's rule.
#pragma once

#include <uv.h>

#include <chrono>
#include <map>

#include "adapters/output_log/output_watcher.h"
#include "tests/adapters/output_log/support.h"

namespace luzia {

/// An interval of the reconcile timer that never passes in a test, so that only hints trigger a look.
constexpr TimeUs kNever = 10 * kHourUs;

class WatcherTest : public testing::Test {
 protected:
  /// What the log holds about a job, and what the watcher reported about it.
  struct Seen {
    schema::CheckpointT checkpoint;
    std::uint64_t lines = 0;
    std::vector<std::string> findings;
    std::vector<schema::OutputReset> restarts;
    std::size_t outputs = 0;  // calls of the hook `found`
    std::size_t appended = 0;
    std::vector<std::string> trouble;
    std::vector<std::optional<RequestMarks>> requests;  // reported by the hook, in order
    LiveTail tail;
    std::size_t grew = 0;
    std::vector<std::string> recalled;  // the last lines that were reported
  };

  WatcherTest() {
    uv_loop_init(&loop_);
    uv_timer_init(&loop_, &heartbeat_);
    limits_.reconcile_every = kNever;
  }
  ~WatcherTest() override {
    if (watcher_ && !stopped_) stop();
    watcher_.reset();
    uv_close(reinterpret_cast<uv_handle_t*>(&heartbeat_), nullptr);
    uv_run(&loop_, UV_RUN_DEFAULT);
    EXPECT_EQ(uv_loop_close(&loop_), 0) << "handles were left open on the loop";
  }

  void start() {
    OutputWatcher::Hooks hooks;
    hooks.found = [this](const std::string& job, RecordOutput output) {
      EXPECT_FALSE(stopped_);
      ++seen_[job].outputs;
      on_found_(job, std::move(output));
    };
    hooks.grew = [this](const std::string& job, const LiveTail& tail) {
      EXPECT_FALSE(stopped_);
      seen_[job].tail = tail;
      ++seen_[job].grew;
    };
    hooks.recalled = [this](const std::string& job, const LiveTail& tail) {
      EXPECT_FALSE(stopped_);
      seen_[job].recalled.push_back(tail.last_line);
    };
    hooks.trouble = [this](const std::string& job, const Error& error) {
      seen_[job].trouble.push_back(error.code);
    };
    hooks.requests = [this](const std::string& job, const std::optional<RequestMarks>& marks) {
      EXPECT_FALSE(stopped_);
      seen_[job].requests.push_back(marks);
    };
    hooks.monotonic_now = [this] { return static_cast<TimeUs>(uv_hrtime() / 1000) + clock_ahead_; };
    watcher_ = std::make_unique<OutputWatcher>(&loop_, line_decoders(), std::move(hooks), limits_);
  }

  void watch(const std::string& job, const JobDir& dir, std::optional<std::uint64_t> final_size = {}) {
    if (!watcher_) start();
    WatchSpec spec;
    spec.job = job;
    spec.attempt = 3;
    spec.job_dir = dir.path();
    spec.owner_uid = getuid();
    if (final_size) spec.final_size = [final_size] { return final_size; };
    spec.checkpoint = seen_[job].checkpoint;
    spec.lines_before = seen_[job].lines;
    watcher_->watch(std::move(spec));
  }

  /// Accepts a stretch as the decider does: only if it begins where the log's last one ended.
  void record(const std::string& job, const RecordOutput& output) {
    Seen& seen = seen_[job];
    EXPECT_EQ(output.attempt, 3u);
    EXPECT_EQ(output.from, seen.checkpoint.scanned_to);
    EXPECT_EQ(output.from_generation, seen.checkpoint.generation);
    if (output.restarted) {
      seen.restarts.push_back(output.restarted->reason);
      seen.checkpoint = *output.restarted->checkpoint;
    }
    if (output.appended) {
      EXPECT_EQ(output.appended->from, seen.checkpoint.scanned_to);
      EXPECT_EQ(output.appended->to, output.appended->checkpoint->scanned_to);
      seen.lines += output.appended->lines;
      seen.checkpoint = *output.appended->checkpoint;
      ++seen.appended;
    }
    for (const auto& text : describe(output.findings)) seen.findings.push_back(text);
  }
  void acknowledge(const std::string& job) {
    const schema::CheckpointT checkpoint = seen_[job].checkpoint;
    watcher_->recorded(job, checkpoint);
  }

  /// Runs the loop until `done`; the test fails after a minute.
  template <class Condition>
  [[nodiscard]] bool run_until(Condition done) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    uv_timer_start(
        &heartbeat_, [](uv_timer_t*) {}, 50, 50);  // wakes an idle loop, so that the deadline is noticed
    while (!done() && std::chrono::steady_clock::now() < deadline) uv_run(&loop_, UV_RUN_ONCE);
    uv_timer_stop(&heartbeat_);
    return done();
  }
  [[nodiscard]] bool run_until_found(const std::string& job, std::size_t findings) {
    return run_until([&] { return seen_[job].findings.size() >= findings; });
  }
  [[nodiscard]] bool finish(const std::string& job, std::uint64_t size) {
    bool ended = false;
    watcher_->finish(job, size, [&ended] { ended = true; });
    return run_until([&ended] { return ended; });
  }
  void stop() {
    watcher_->stop([this] { stopped_ = true; });
    EXPECT_TRUE(run_until([this] { return stopped_; }));
  }

  uv_loop_t loop_{};
  uv_timer_t heartbeat_{};
  OutputWatcher::Limits limits_;
  std::unique_ptr<OutputWatcher> watcher_;
  std::map<std::string, Seen> seen_;
  /// By default records the stretch at once, like a decider that is called from the hook.
  std::function<void(const std::string&, RecordOutput)> on_found_ = [this](const std::string& job,
                                                                           const RecordOutput& output) {
    record(job, output);
    acknowledge(job);
  };
  TimeUs clock_ahead_ = 0;
  bool stopped_ = false;
};

}  // namespace luzia
