// Staying until jobs have come to an end, and saying how they did.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tools/luzia/asking.h"

namespace luzia {

/// A wait as it is asked for, of one daemon after the other: its time is over once, whoever is asked then.
class TimedWait {
 public:
  using Clock = std::chrono::steady_clock;
  /// The time begins at `now`; a timeout_ms of 0: never over.
  explicit TimedWait(wire::WaitT wait, Clock::time_point now = Clock::now());
  const std::vector<std::string>& jobs() const { return wait_.jobs; }
  /// With the time that is left, 1 ms when it is over.
  wire::WaitT at(Clock::time_point now) const;
  wire::RequestUnion request() const { return request_of(at(Clock::now())); }

 private:
  wire::WaitT wait_;
  std::optional<Clock::time_point> deadline_;
};

/// What a wait came back with: the rows of all its jobs in the order in which they were named, as many pages
/// as that takes.
class WaitedJobs {
 public:
  explicit WaitedJobs(std::vector<std::string> named) : named_(std::move(named)) {}
  void add(Page page) { pages_.push_back(std::move(page)); }
  std::vector<const view::Job*> rows() const;
  std::uint64_t position() const { return pages_.empty() ? 0 : pages_.back().position(); }
  const std::vector<std::string>& named() const { return named_; }
  /// The signal that ended the wait before its time: there are no rows then. 0: none.
  int signal() const { return signal_; }
  void end_by(int signal) { signal_ = signal; }

 private:
  std::vector<std::string> named_;  // full ids
  std::vector<Page> pages_;
  int signal_ = 0;
};

/// Asks for a wait and comes back with the jobs' rows; goes on with the next daemon when one is restarted
/// meanwhile, with the same jobs and the time that is left: names that are no full ids are looked up first.
Result<WaitedJobs> wait_for(Invocation& invocation, Client& client, wire::WaitT asked);

/// Waits for all of them, tells how they ended (on stderr, or as JSON on stdout), returns the exit code: 0
/// all completed, else 1, or with `own` the first code of a job that is not 0; kSignalBase and the signal
/// that ended the wait (Ctrl-C): the jobs go on then, which is told.
Result<int> wait_and_report(Invocation& invocation, Client& client, const std::vector<std::string>& jobs,
                            bool own);

}  // namespace luzia
