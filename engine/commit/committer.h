// Group commit. The loop thread adds encoded events. One commit thread writes everything gathered as one
// group, fsyncs it and reports it. An idle committer adds no delay.
//
// While small groups follow each other within kAwakeWait, as when a client dispatches one job after another,
// the thread stays awake for the next. Waking it costs each group 20 to 50 us, a sixth of its latency
// (bench/README.md).
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/log/event_log.h"

namespace luzia {

/// The result of one group's commit. `group` null: the commit failed, nothing from `first` on is durable, and
/// this committer writes nothing more.
struct CommitOutcome {
  Position first = 0;
  std::shared_ptr<const Group> group;
  Error error;
};

/// Groups stay within kMaxGroupEvents and kMaxGroupBytes. Everything added between two calls of end_command()
/// lands in one group. Only a command that exceeds these bounds alone is split where it reaches them.
class Committer {
 public:
  /// The watermark is durable at most this long after a group, and when the committer ends.
  static constexpr std::chrono::milliseconds kWatermarkDelay{100};
  /// Longest time that the thread stays awake for the next small group. It does so only if the last one came
  /// as soon.
  static constexpr std::chrono::microseconds kAwakeWait{200};
  /// Larger groups mostly come from many clients, who need the processor themselves.
  static constexpr std::uint32_t kSmallGroup = 2;
  /// Whether to stay awake after a group of `events` events that came `came_after` after the report of the
  /// group before it.
  static constexpr bool waits_awake_after(std::uint32_t events, std::chrono::nanoseconds came_after) {
    return events <= kSmallGroup && came_after < kAwakeWait;
  }

  /// Calls `told` on the commit thread, in order of positions: after each group's fsync, or once if a commit
  /// fails.
  Committer(EventLog& log, std::function<void(CommitOutcome)> told);
  /// Without a thread: the owner calls step(), as a simulation does that must repeat exactly.
  struct Stepped {};
  Committer(EventLog& log, std::function<void(CommitOutcome)> told, Stepped);
  /// Stepped only: writes the next flushed group and reports it. False: there is none. The destructor does
  /// not write what is left.
  bool step();
  /// Writes what was flushed, makes the watermark durable, then ends the thread.
  ~Committer();

  /// Loop thread: adds the event of the next position. The commit thread gets it with flush().
  void add(Bytes encoded_event);
  /// `event`: position of an event that was added and not flushed, or of the next one.
  void add_blob(Position event, Blob blob);
  Position next_position() const { return command_.next_position(); }
  /// Loop thread: ends a command. A group may end here.
  void end_command();
  /// Loop thread: passes complete commands to the commit thread. Cheap if nothing was added.
  void flush();

 private:
  using Clock = std::chrono::steady_clock;
  void run();
  std::optional<PendingGroup> take();
  std::optional<PendingGroup> first_handed();
  void wait_awake() const;
  Status write(const PendingGroup& group);
  void fail_from(Position first, Error error);

  EventLog& log_;
  std::function<void(CommitOutcome)> told_;
  PendingGroup command_;            // loop thread only: since the last end_command()
  std::deque<PendingGroup> ready_;  // loop thread only: complete commands, not flushed
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<PendingGroup> handed_;      // under mutex_
  bool stopping_ = false;                // under mutex_
  bool failed_ = false;                  // under mutex_
  std::atomic<bool> any_handed_{false};  // changed under mutex_: whether handed_ has one
  // Commit thread only; set if a group came since the last sync.
  std::optional<Clock::time_point> watermark_due_;
  Clock::time_point told_at_{};   // commit thread only: when the last group was reported
  bool next_comes_soon_ = false;  // commit thread only
  std::thread thread_;
};

}  // namespace luzia
