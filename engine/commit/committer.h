// Group commit: the loop thread adds encoded events; one commit thread writes everything that has gathered as
// one group, fsyncs it, and tells. No added wait when idle. Where small groups follow each other within
// kAwakeWait, as with a client that dispatches one job after the other, the thread stays awake for the next:
// to be woken costs each of them 20 to 50 us, a sixth of their latency (bench/README.md).
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

/// One group's fate. `group` is null when it failed: then nothing from `first` on is durable, and nothing
/// more will be written by this committer.
struct CommitOutcome {
  Position first = 0;
  std::shared_ptr<const Group> group;
  Error error;
};

/// Groups stay within kMaxGroupEvents and kMaxGroupBytes. What was added between two calls of end_command()
/// lands in one group, unless it alone is over those bounds: then it is cut where it reaches them.
class Committer {
 public:
  /// The watermark is made durable at the latest this long after a group, and at the end.
  static constexpr std::chrono::milliseconds kWatermarkDelay{100};
  /// The next small group is waited for awake for so long at most, and only if the last one came as soon.
  static constexpr std::chrono::microseconds kAwakeWait{200};
  /// Groups of more events are mostly of many clients, who need the processor themselves.
  static constexpr std::uint32_t kSmallGroup = 2;
  /// Whether to wait awake for what follows a group of so many events that came so long after the one before
  /// it had been told.
  static constexpr bool waits_awake_after(std::uint32_t events, std::chrono::nanoseconds came_after) {
    return events <= kSmallGroup && came_after < kAwakeWait;
  }

  /// `told` is called on the commit thread, in order of positions, after each group's fsync or once on
  /// failure.
  Committer(EventLog& log, std::function<void(CommitOutcome)> told);
  /// Without a thread: its owner calls step(), as a simulation does that must repeat exactly.
  struct Stepped {};
  Committer(EventLog& log, std::function<void(CommitOutcome)> told, Stepped);
  /// Stepped only: writes the next group that was flushed and tells of it; false when there is none. What is
  /// left at the end is not written.
  bool step();
  /// Writes what was flushed, makes the watermark durable, then ends the thread.
  ~Committer();

  /// Loop thread: adds one event of the next position. Not handed over before flush().
  void add(Bytes encoded_event);
  /// Of an event already added and not flushed, or of the next one.
  void add_blob(Position event, Blob blob);
  Position next_position() const { return command_.next_position(); }
  /// Loop thread: a group may end here.
  void end_command();
  /// Loop thread: hands what was added to the commit thread. Cheap when nothing was added.
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
  std::deque<PendingGroup> handed_;                 // under mutex_
  bool stopping_ = false;                           // under mutex_
  bool failed_ = false;                             // under mutex_
  std::atomic<bool> any_handed_{false};             // changed under mutex_: whether there is one in handed_
  std::optional<Clock::time_point> watermark_due_;  // commit thread only; set: a group since the last sync
  Clock::time_point told_at_{};                     // commit thread only: of the last group
  bool next_comes_soon_ = false;                    // commit thread only
  std::thread thread_;
};

}  // namespace luzia
