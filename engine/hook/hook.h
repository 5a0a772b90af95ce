// One hook's progress through the log, as a pure decider: which events concern it, which of them are left
// out, when the next try is due and when it is given up. No clock, no input or output; the caller reads the
// log, carries out what next() says and records what became of it. One thread.
//
//   take(event)... -> next(now) -> deliver -> finished(now, result) -> next(now) -> record -> recorded()
//
// In order, one at a time: an event waits until the one before it is delivered, left out or given up. (To let
// a later one overtake was rejected: a "resumed" that arrives before its "paused" says the opposite of the
// truth.)
#pragma once

#include <deque>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "engine/hook/hook_events.h"
#include "system.fb.h"

namespace luzia {

/// A hook's rules, as configured. Durations in milliseconds.
struct HookRule {
  std::string name;
  HookMask on = 0;
  std::vector<std::string> projects;  // empty: all, and what concerns no project
  std::uint32_t retries = 3;          // after the first try
  std::uint64_t cooldown_ms = 0;  // after a delivery the same event of the same subject is left out so long
  std::uint64_t dwell_ms = 0;     // told only of what is still so after this long
  bool unless_watched = false;    // what happens to a job that somebody looks at is left out
  std::string called;             // the name by which escalations mean it; empty: nobody escalates to it
  HookMask escalated = ~HookMask{0};  // which of those it takes
};

/// Whether the hook is told of the event; `project` is the subject's.
bool concerns(const HookRule& rule, const HookEvent& event, std::string_view project);

/// How one try went.
struct HookTry {
  bool delivered = false;
  bool final = false;  // not delivered, and trying again would not help
  std::string detail;
  std::uint64_t elapsed_ms = 0;
  bool nobody = false;               // there is nobody to tell: left out, not given up
  std::uint64_t retry_after_ms = 0;  // the other side asked for so much time
};

class HookProgress {
 public:
  /// Events that wait in memory, at most; beyond that take() is not to be called: see full().
  static constexpr std::size_t kMaxWaiting = 256;
  /// Between tries: doubles from the first to the last of these, and up to a quarter more.
  static constexpr TimeUs kFirstPause = kSecondUs;
  static constexpr TimeUs kLongestPause = 5 * kMinuteUs;
  /// What the other side may ask for, at most.
  static constexpr TimeUs kLongestAsked = kHourUs;

  /// Nothing up to `recorded` is told again.
  HookProgress(HookRule rule, Position recorded)
      : rule_(std::move(rule)), recorded_(recorded), seen_(recorded) {}

  const HookRule& rule() const { return rule_; }
  /// The configuration was read again: what waits is judged by the new rule from now on.
  void change(HookRule rule);

  // What it is told. In order of positions; what was seen before is passed over.
  void take(const HookEvent& event, std::string_view project);
  /// Everything up to here was given to take() or is of no concern.
  void seen_up_to(Position position) { seen_ = std::max(seen_, position); }
  /// Until then nothing is told (quiet hours); what is over by then is left out. 0: now is no such time.
  void quiet_until(TimeUs until);
  /// It was told of this before, by a daemon that is gone: for the cooldown.
  void told_before(const HookEvent& event);
  bool full() const { return waiting_.size() >= kMaxWaiting; }

  /// What is to be done now.
  struct Nothing {};
  struct Wait {
    TimeUs until;
  };
  struct Deliver {
    Position position;
    std::uint32_t number;  // of the try, from 1
  };
  struct Record {
    schema::HookDeliveredT fact;
  };
  using Step = std::variant<Nothing, Wait, Deliver, Record>;
  Step next(TimeUs now) const;

  /// The delivery that next() asked for has begun, has ended.
  void begun() { under_way_ = true; }
  void finished(TimeUs now, const HookTry& result);
  /// What next() said to record was handed to the log.
  void recorded();
  /// The wall clock stepped: what waits for a time goes on waiting as long as it would have.
  void clock_stepped(TimeUs step);

  bool under_way() const { return under_way_; }
  std::size_t waiting() const { return waiting_.size(); }
  /// Up to here nothing is left to tell.
  Position done() const { return waiting_.empty() ? seen_ : waiting_.front().event.position - 1; }
  /// What the log holds of that.
  Position recorded_position() const { return recorded_; }
  void recorded_at(Position position) { recorded_ = std::max(recorded_, position); }
  Position seen() const { return seen_; }

 private:
  struct Waiting {
    HookEvent event;
    TimeUs due = 0;
    bool over = false;  // the condition ended before it was told
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
  std::uint32_t tries_ = 0;  // of the first that waits
  TimeUs try_at_ = 0;
  HookTry last_;
  bool given_up_ = false;
  TimeUs quiet_until_ = 0;
  std::map<std::string, TimeUs> told_;  // by event and subject: the time of the last event that was delivered
};

}  // namespace luzia
