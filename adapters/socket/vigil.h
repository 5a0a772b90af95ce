// Decides from a connection's silence whether the daemon is still alive. A live daemon answers a ping at once
// whatever else it does. So a long wait differs from a daemon that is stopped, hangs or is swapped out.
// Rejected: a deadline for each request, because reports over millions of jobs and waits for people take
// long.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/result.h"

namespace luzia {

/// How long a daemon that owes an answer may be silent.
struct SilenceLimit {
  std::chrono::milliseconds limit{0};         // 0: no limit
  std::function<void(std::string_view)> say;  // gets a line for people after kTellSilenceAfter; may be empty
  std::string machine = {};                   // that the daemon is on, for messages; empty: this one
  bool in_all = false;   // the limit is for the whole connection, however much the other side says meanwhile
  bool reached = false;  // ssh has reached that machine: if anyone is silent, it is its daemon
  bool counts_connecting = false;  // what ssh has taken counts, up to half of the limit
};

inline constexpr std::chrono::milliseconds kUsualPatience{10'000}, kTellSilenceAfter{2'000};

/// The value of --patience, else $LUZIA_PATIENCE (`variable`, may be null), else kUsualPatience; 0: no limit.
/// `bad_value` (usage).
Result<std::chrono::milliseconds> patience_of(const std::string& option, const char* variable);

class Vigil {
 public:
  using Duration = std::chrono::milliseconds;

  /// Without a limit and a `say` it never interrupts a wait.
  explicit Vigil(SilenceLimit silence) : silence_(std::move(silence)) {}

  bool is_kept() const { return silence_.limit.count() > 0 || silence_.say; }
  void daemon_is(pid_t pid) { daemon_ = pid; }
  /// A request was sent that requires an answer.
  void owed();
  /// The request is open-ended: once the daemon has given a sign of life, its silence is reported but is no
  /// longer an error.
  void stays() { stays_ = true; }
  /// Bytes were received, or the daemon accepted some.
  void alive();

  enum class Next { wait, ping };
  /// The longest wait before waited() must be called; negative: no limit.
  Duration slice() const;
  /// Nothing was received during this time. `daemon_silent` (trouble) if that is too long. Time in which the
  /// client itself was suspended must not count: pass at most the time that the wait was meant to take.
  Result<Next> waited(Duration time);
  /// Whether everything was to be said by now. `since`: the connection began.
  bool is_over(std::chrono::nanoseconds since) const {
    return silence_.in_all && limited() && since >= silence_.limit;
  }
  tl::unexpected<Error> too_long() const;

 private:
  bool limited() const { return silence_.limit.count() > 0 && !(stays_ && answered_); }
  Duration ping_after() const;
  void tell() const;
  /// "the daemon", "machine build2"
  std::string whom() const;

  SilenceLimit silence_;
  pid_t daemon_ = 0;
  Duration waited_{0};  // since the last sign of life, or since an answer is owed
  bool owed_ = false, pinged_ = false, told_ = false;
  bool stays_ = false, answered_ = false;
};

}  // namespace luzia
