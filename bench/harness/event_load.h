// Events at an even rate, and a follower of the daemon's socket who sees how late each one comes.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "bench/harness/measure.h"
#include "bench/harness/subject.h"

namespace luzia::bench {

/// How many jobs report: each may 1,000 times at once (ReportRate), together for a minute and a half at 200 a
/// second. The subject must be able to run them all.
inline constexpr int kLoadedJobs = 20;

/// Seconds that have passed since an event's time: when the daemon heard of it, before it was durable.
double seconds_since(std::int64_t time_us);

/// Reports progress on jobs in turn, one durable event each, on a thread of its own. The report's step is
/// "mark N.". One job alone could not report for long at this rate.
class EventLoad {
 public:
  /// Dispatches the jobs and begins when they run.
  EventLoad(const Subject& subject, double per_second);
  ~EventLoad();
  /// Ends the reports, and the jobs. Returns the position of the last report.
  std::uint64_t stop();
  std::uint64_t count() const { return count_; }

 private:
  void report(const std::stop_token& stopped);

  const Subject& subject_;
  double pause_;
  std::vector<std::string> jobs_;
  std::atomic<std::uint64_t> count_ = 0, last_position_ = 0;
  std::jthread thread_;
};

/// Follows every event from now on, on a thread of its own.
class EventFollower {
 public:
  explicit EventFollower(const Subject& subject);
  struct Result {
    Latencies late;  // of each event, after its time
    double latest_s = 0;
  };
  Result stop();

 private:
  void follow(const std::stop_token& stopped);

  Client client_;
  Result result_;
  std::jthread thread_;
};

}  // namespace luzia::bench
