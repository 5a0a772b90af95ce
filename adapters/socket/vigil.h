// Whether the daemon behind a connection is still alive, told from its silence. It answers a ping at once
// whatever else it does, so that a long wait is told from a daemon that is stopped, hangs or is swapped out.
// Rejected: a deadline for each request. Reports over millions of jobs and waits for people take long.
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
  std::chrono::milliseconds limit{0};         // 0: for ever
  std::function<void(std::string_view)> say;  // a line for a person after kTellSilenceAfter; empty: to nobody
};

inline constexpr std::chrono::milliseconds kUsualPatience{10'000}, kTellSilenceAfter{2'000};

/// What --patience says, else $LUZIA_PATIENCE (`variable`, may be null), else kUsualPatience; 0: for ever.
/// `bad_value` (usage).
Result<std::chrono::milliseconds> patience_of(const std::string& option, const char* variable);

class Vigil {
 public:
  using Duration = std::chrono::milliseconds;

  /// Without limit and without anybody to tell it never wakes anybody up.
  explicit Vigil(SilenceLimit silence) : silence_(std::move(silence)) {}

  bool is_kept() const { return silence_.limit.count() > 0 || silence_.say; }
  void daemon_is(pid_t pid) { daemon_ = pid; }
  /// Something was sent that is to be answered.
  void owed();
  /// It was something that may take for ever: once the daemon has given a sign of life, its silence is told,
  /// and no longer an error.
  void stays() { stays_ = true; }
  /// Something has come, or was taken.
  void alive();

  enum class Next { wait, ping };
  /// How long to wait at most before waited() is told; negative: as long as one likes.
  Duration slice() const;
  /// Nothing has come for so long. `daemon_silent` (trouble) when that is too long. Time in which the client
  /// itself stood still does not count: the caller passes what it meant to wait at most.
  Result<Next> waited(Duration time);

 private:
  bool limited() const { return silence_.limit.count() > 0 && !(stays_ && answered_); }
  Duration ping_after() const;
  void tell() const;
  tl::unexpected<Error> too_long() const;

  SilenceLimit silence_;
  pid_t daemon_ = 0;
  Duration waited_{0};  // since the last sign of life, or since something is owed
  bool owed_ = false, pinged_ = false, told_ = false;
  bool stays_ = false, answered_ = false;
};

}  // namespace luzia
