// One hook's progress through the log, as a pure decider: which events it is notified of, which are skipped,
// when the next try is due, and when it gives up. No clock and no I/O: the caller reads the log, does what
// next() returns, and reports the result. One thread.
//
//   take(event)... -> next(now) -> deliver -> finished(now, result) -> next(now) -> record -> recorded()
//
// Events are delivered in order, one at a time: an event waits until the one before it is delivered, skipped
// or given up. Rejected: letting a later event overtake. A "resumed" that arrives before its "paused" says
// the opposite of the truth.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "engine/hook/hook_events.h"
#include "system.fb.h"

namespace luzia {

/// A hook's rules, as configured.
struct HookRule {
  std::string name;
  HookMask on = 0;
  std::vector<std::string> projects;  // empty: all, and events without a project
  std::uint32_t retries = 3;          // after the first try
  std::uint64_t cooldown_ms = 0;   // after a delivery, skips the same event of the same subject for this long
  HookMask cooled = ~HookMask{0};  // events that the cooldown is about
  std::uint64_t dwell_ms = 0;      // notifies only if the condition still holds after this long
  bool unless_watched = false;     // skips events of a job that somebody is watching
  std::string called;              // name of this hook as a target of escalations; empty: none
  HookMask escalated = ~HookMask{0};  // events that it accepts as an escalation
  std::string callbacks_below;  // only ends of jobs whose callback begins with this; empty: no callbacks
};

/// Whether the hook is notified of the event. `project`: of the event's subject.
bool concerns(const HookRule& rule, const HookEvent& event, std::string_view project);

/// The result of one try.
struct HookTry {
  bool delivered = false;
  bool final = false;  // not delivered, and retrying would not help
  std::string detail;
  std::uint64_t elapsed_ms = 0;
  bool nobody = false;               // nobody to notify: skipped, not given up
  std::uint64_t retry_after_ms = 0;  // delay that the other side asked for
};

class HookProgress {
 public:
  /// Maximum number of events that wait in memory. When full() is true, take() must not be called.
  static constexpr std::size_t kMaxWaiting = 256;
  /// Delay between tries: doubles from the first to the longest, plus up to a quarter.
  static constexpr TimeUs kFirstPause = kSecondUs;
  static constexpr TimeUs kLongestPause = 5 * kMinuteUs;
  /// Longest delay that the other side may ask for.
  static constexpr TimeUs kLongestAsked = kHourUs;

  /// Events up to `recorded` are not delivered again.
  HookProgress(HookRule rule, Position recorded)
      : rule_(std::move(rule)), recorded_(recorded), seen_(recorded) {}

  const HookRule& rule() const { return rule_; }
  /// The configuration was reloaded: waiting events are judged by the new rule from now on.
  void change(HookRule rule);

  // Takes an event, in order of positions. Events that were seen before are ignored.
  void take(const HookEvent& event, std::string_view project);
  /// Every event up to here was given to take() or does not concern the hook.
  void seen_up_to(Position position) { seen_ = std::max(seen_, position); }
  /// Quiet hours: delivers nothing until then, and skips events whose condition ends before. 0: no quiet
  /// hours now.
  void quiet_until(TimeUs until);
  /// An earlier daemon already delivered this event; needed for the cooldown.
  void notified_before(const HookEvent& event);
  bool full() const { return waiting_.size() >= kMaxWaiting; }

  /// What the caller must do now.
  struct Nothing {};
  struct Wait {
    TimeUs until;
  };
  struct Deliver {
    Position position;
    std::uint32_t number;  // number of the try, from 1
  };
  struct Record {
    schema::HookDeliveredT fact;
  };
  using Step = std::variant<Nothing, Wait, Deliver, Record>;
  Step next(TimeUs now) const;

  /// Call when the delivery that next() returned has begun, and when it has ended.
  void begun() { under_way_ = true; }
  void finished(TimeUs now, const HookTry& result);
  /// Call when the fact that next() returned was passed to the log.
  void recorded();
  /// The wall clock was stepped: what waits for a moment waits as long as it would have otherwise.
  void clock_stepped(TimeUs step);

  bool under_way() const { return under_way_; }
  std::size_t waiting() const { return waiting_.size(); }
  /// Up to here nothing is left to deliver.
  Position done() const { return waiting_.empty() ? seen_ : waiting_.front().event.position - 1; }
  /// The part of done() that the log has recorded.
  Position recorded_position() const { return recorded_; }
  void recorded_at(Position position) { recorded_ = std::max(recorded_, position); }
  Position seen() const { return seen_; }

 private:
  struct Waiting {
    HookEvent event;
    TimeUs due = 0;
    bool over = false;  // its condition ended before it was delivered
    bool held = false;  // by quiet hours
  };
  bool is_cooling(const HookEvent& event) const;
  const char* why_left_out(const Waiting& waiting) const;
  void note_told(const HookEvent& event);
  schema::HookDeliveredT fact_of(const Waiting& waiting, schema::HookOutcome outcome) const;
  std::string key_of(const HookEvent& event) const;

  HookRule rule_;
  Position recorded_, seen_;
  std::deque<Waiting> waiting_;
  bool under_way_ = false;
  std::uint32_t tries_ = 0;  // of the first waiting event
  TimeUs try_at_ = 0;
  HookTry last_;
  bool given_up_ = false;
  TimeUs quiet_until_ = 0;
  std::map<std::string, TimeUs> told_;  // by event and subject: time of the last delivered event
};

}  // namespace luzia
