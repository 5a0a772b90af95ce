// Watches what running attempts print: nothing for long, the same lines over and over, or too much. Each is
// reported once per attempt, as a warning on the job (WarnJob). Loop thread.
//
// Loops are counted as lines are read (adapters/output_log/repetition.h). Floods are detected from the growth
// of the file. What follows silence besides the warning is configured (when_silent). For silence there is one
// timer, for the attempt that is due first. Output only records its time; when the timer fires, it checks who
// has really been silent.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "adapters/config/config.h"
#include "adapters/output_log/output_watcher.h"
#include "engine/job/job.h"
#include "tools/luziad/base/follower.h"
#include "tools/luziad/base/loop.h"

namespace luzia {

/// Bytes of the last minute, in slots of ten seconds: everything that it counts was printed within the last
/// sixty seconds.
class OutputRate {
 public:
  void add(std::uint64_t bytes, TimeUs monotonic);
  std::uint64_t last_minute() const;

 private:
  static constexpr std::size_t kSlots = 6;
  static constexpr TimeUs kSlot = kMinuteUs / kSlots;
  std::array<std::uint64_t, kSlots> bytes_{};
  TimeUs slot_ = 0;  // number of the last slot with bytes
};

/// How long a line that asks for an answer may stay the last one: nobody is there to give it.
inline constexpr TimeUs kPromptPatience = 30 * kSecondUs;

class OutputMonitor final : public Follower {
 public:
  struct Hooks {
    std::function<void(const std::string& job, WarnJob)> warn;
    /// Builds the question to people about an attempt that they may stop. Unset: nobody is asked.
    std::function<AskQuestion(const JobState&, const std::string& text)> question = {};
    std::function<const JobState*(const std::string& job)> find_job;
    /// Describes the attempt's processes in a few words; empty if unknown.
    std::function<std::string(const JobState&)> processes;
    std::function<TimeUs()> wall_now;
    std::function<TimeUs()> monotonic_now;
  };

  OutputMonitor(uv_loop_t* loop, const Config& config, Hooks hooks)
      : config_(config), hooks_(std::move(hooks)), timer_(std::make_unique<Timer>(loop)) {}

  /// The job's state changed durably. Starts watching a running attempt.
  void job_changed(const JobState& job) override;
  /// At the daemon's start: a job that ran while there was no daemon. Its silence counts from its start, or
  /// from the last write to output.log.
  void adopt(const JobState& job);
  void output_grew(const std::string& job, const LiveTail& tail);
  /// The watcher has found an adopted job's last line again. Silence is not reported before that.
  void last_line_recalled(const std::string& job, const LiveTail& tail);
  void config_changed() override;
  void close() override;

 private:
  struct Listened {
    std::uint32_t attempt = 0;
    bool speaks = false;            // it runs, and nothing keeps it from printing
    std::string asks;               // the last line, if it looks like a prompt
    bool awaits_last_line = false;  // an earlier daemon has read it
    bool asked_about = false;       // people were asked whether to keep waiting
    TimeUs quiet_since = 0;     // monotonic: last output or action of a person, or when it started or resumed
    TimeUs rate_counts_at = 0;  // earlier content of the file is no flood: the daemon may have been away
    std::uint64_t bytes = 0;    // of the file, seen so far
    std::uint32_t generation = 0;
    OutputRate rate;
  };

  Listened& listen(const JobState& job);
  void look_for_silence();
  void arm(TimeUs due);
  std::optional<TimeUs> silent_at(const std::string& id, const Listened& listened) const;
  WhenSilent rule_of(const JobState& job) const;
  void warn_of_silence(const std::string& id, const Listened& listened);
  static bool take_last_line(Listened& listened, const LiveTail& tail);
  void add_what_follows(const JobState& job, TimeUs silent, WarnJob& warning) const;
  void look_for_flood(const std::string& id, Listened& listened, const LiveTail& tail);
  void look_for_loop(const std::string& id, const Listened& listened, const LiveTail& tail);

  const Config& config_;
  Hooks hooks_;
  std::map<std::string, Listened> listened_;
  TimeUs armed_for_ = 0;          // while the timer runs
  std::unique_ptr<Timer> timer_;  // null once closed
};

}  // namespace luzia
