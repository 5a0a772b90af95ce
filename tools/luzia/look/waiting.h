// Waits until jobs have ended and reports how. One thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tools/luzia/asking.h"

namespace luzia {

/// A wait that may be sent to several daemons one after the other, with one deadline for all.
class TimedWait {
 public:
  using Clock = std::chrono::steady_clock;
  /// The timeout starts at `now`; a timeout_ms of 0: no deadline.
  explicit TimedWait(wire::WaitT wait, Clock::time_point now = Clock::now());
  const std::vector<std::string>& jobs() const { return wait_.jobs; }
  /// The request with the remaining time; 1 ms if the deadline has passed.
  wire::WaitT at(Clock::time_point now) const;
  wire::RequestUnion request() const { return request_of(at(Clock::now())); }

 private:
  wire::WaitT wait_;
  std::optional<Clock::time_point> deadline_;
};

/// The result of a wait: the rows of all its jobs, in the order in which they were named.
class WaitedJobs {
 public:
  explicit WaitedJobs(std::vector<std::string> named) : named_(std::move(named)) {}
  void add(Page page) { pages_.push_back(std::move(page)); }
  std::vector<const view::Job*> rows() const;
  std::uint64_t position() const { return pages_.empty() ? 0 : pages_.back().position(); }
  const std::vector<std::string>& named() const { return named_; }
  /// The signal that interrupted the wait; there are no rows then. 0: none.
  int signal() const { return signal_; }
  void end_by(int signal) { signal_ = signal; }

 private:
  std::vector<std::string> named_;  // full ids
  std::vector<Page> pages_;
  int signal_ = 0;
};

/// Waits and returns the jobs' rows. Resolves names to full ids first. If the daemon is restarted, continues
/// with the next one, for the same jobs and the remaining time.
Result<WaitedJobs> wait_for(Invocation& invocation, Client& client, wire::WaitT asked);

/// Waits for all jobs and prints how they ended (on stderr, or as JSON on stdout). Returns the exit code:
/// - 0: all completed; else 1, or with `own` the first job's exit code that is not 0.
/// - kSignalBase + signal: a signal (Ctrl-C) ended the wait; a message says that the jobs continue.
Result<int> wait_and_report(Invocation& invocation, Client& client, const std::vector<std::string>& jobs,
                            bool own);

}  // namespace luzia
