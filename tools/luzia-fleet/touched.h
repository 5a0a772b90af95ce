// Which rows of the readable tables events may have changed, so that only those are read and written again. A
// pure fold: no clock, no I/O. One thread.
//
// Rejected: comparing the rows before and after, which needs a second store. An event names its job, flow,
// solution or fact, and its day; what else follows from these is read with their rows (changed_rows.h).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "engine/base/time.h"
#include "engine/event/event.h"

namespace luzia {

/// What has happened to a job, as far as it changes more than the job's own row.
struct TouchedJob {
  bool spoke = false;      // its last words may be others: steps of flows show them
  bool returned = false;   // a call of a tool has returned, which may have begun on an earlier day
  bool questions = false;  // its questions may have changed
  bool approvals = false;
  bool issues = false;
};

/// Days since 1970, UTC.
using Days = std::set<std::uint32_t>;

class Touched {
 public:
  /// Events in the order of the log.
  void add(const schema::Event& event);
  void clear() { *this = Touched(); }
  /// No row of any table has changed.
  bool empty() const;
  std::size_t jobs() const { return jobs_.size(); }

  const std::map<std::string, TouchedJob>& all_jobs() const { return jobs_; }
  const std::set<std::string>& flows() const { return flows_; }
  const std::set<std::string>& solutions() const { return solutions_; }
  /// Subjects of facts.
  const std::set<std::string>& subjects() const { return subjects_; }
  const Days& tool_days() const { return tool_days_; }
  const Days& cost_days() const { return cost_days_; }
  const Days& issue_days() const { return issue_days_; }
  /// Jobs that were retried, by the position of that event. Such a job no longer counts on the day on which
  /// it had ended.
  const std::map<Position, std::string>& retries() const { return retries_; }
  /// Time of the last event; 0: none was added.
  TimeUs last_us() const { return last_us_; }

 private:
  void add_of_job(TouchedJob& job, const schema::Event& event);
  void add_lifecycle(TouchedJob& job, const schema::JobEvent& event, TimeUs time);
  void add_learning(const schema::LearningEvent& event, std::string_view stream);

  std::map<std::string, TouchedJob> jobs_;
  std::set<std::string> flows_, solutions_, subjects_;
  Days tool_days_, cost_days_, issue_days_;
  std::map<Position, std::string> retries_;
  TimeUs last_us_ = 0;
};

/// The day of a moment; 0 for one before 1970.
std::uint32_t day_number(TimeUs time);

}  // namespace luzia
