// What a day (UTC) may cost: budgets of tokens, money and time, of one project or of all together. Four
// fifths used is told once; what is used up keeps its jobs from starting until the day is over, or a person
// lets them go on. Pure.
//
// What was used follows from the log alone, by the same fold in memory and in the core view (rows of
// spending); so does what was told. The time of an attempt that is not over yet counts on top, as it passes:
// it follows from when it began. Of each attempt a day counts what it worked on that day. (Rejected: counting
// in memory, as breakers do. A daemon that starts again would begin the day anew, and the bill would not.)
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/time.h"
#include "engine/event/event.h"
#include "view.fb.h"

namespace luzia {

/// 0: no such budget.
struct DayBudget {
  std::uint64_t tokens = 0;
  double cost_usd = 0;
  TimeUs time = 0;
  bool stop_running = false;  // when it is used up
  bool operator==(const DayBudget&) const = default;
  bool any() const { return tokens != 0 || cost_usd > 0 || time > 0; }
};

struct DayBudgets {
  DayBudget all;  // of all projects together
  std::map<std::string, DayBudget> of_project = {};
  bool operator==(const DayBudgets&) const = default;
  /// nullptr: none. `scope`: a project, or empty for all together.
  const DayBudget* find(const std::string& scope) const;
};

/// What a job has used: the sums that its state keeps.
struct JobUse {
  std::uint64_t tokens = 0;
  double cost_usd = 0;
  std::uint64_t time_us = 0;  // of attempts that are over
  bool operator==(const JobUse&) const = default;
};
JobUse use_of(const view::LiveJobT& job);

/// An attempt that is not over yet.
struct WorkingAttempt {
  std::string project;
  TimeUs since = 0;       // its start, moved on by what it has waited for people and was paused
  TimeUs idle_since = 0;  // waiting for a person, or paused; 0: it works
};
/// nullopt: the job has no such attempt, or it has not started yet.
std::optional<WorkingAttempt> working_attempt(const view::LiveJobT& job);
/// What it has worked on the day of `now` so far.
std::uint64_t worked_today_us(const WorkingAttempt& attempt, TimeUs now);

/// Days since 1970 of a moment, and the first moment of the next one.
std::uint32_t day_of(TimeUs time);
TimeUs end_of_day(std::uint32_t day);

/// The row of spending after a job's use has grown. A later day than the row's begins it anew, and an earlier
/// one too, except for the day before.
void add_use(view::ProjectSpendingT& row, const JobUse& before, const JobUse& after, TimeUs time);
void note_budget(view::ProjectSpendingT& row, const schema::ProjectBudgetNotedT& fact);
void lift_budget(view::ProjectSpendingT& row, const schema::ProjectBudgetLiftedT& fact);

/// Sums of the present day and what follows from them. A scope is a project, or empty: all together.
class Spending {
 public:
  void set_budgets(DayBudgets budgets);
  const DayBudgets& budgets() const { return budgets_; }
  /// Start: a row of the core view.
  void load(view::ProjectSpendingT row);
  /// By the event at `cause`, which is in the log at `time`.
  void add(const std::string& project, const JobUse& before, const JobUse& after, TimeUs time,
           Position cause);
  void noted(const schema::ProjectBudgetNotedT& fact);
  void lifted(const schema::ProjectBudgetLiftedT& fact);
  /// The job changed: whether it has an attempt that works, and since when.
  void note(const view::LiveJobT& job);
  /// Budgets of time are to be judged again, if anything works.
  void time_passed();
  /// When a budget of time may have come to four fifths, or to its end, if all goes on as it does; 0: never.
  TimeUs next_mark(TimeUs now) const;

  /// What is to be recorded since the last call: scopes whose use, or whose budget, has changed.
  struct Due {
    Position cause = 0;  // 0: time has passed, or the configuration has changed
    std::optional<schema::ProjectBudgetNotedT> noted = {};
    std::optional<schema::ProjectBudgetLiftedT> lifted = {};
  };
  std::vector<Due> due(TimeUs now);
  bool changed() const { return !changed_.empty(); }

  /// Until when the scope's own budget keeps its jobs from starting; nullopt: it does not.
  std::optional<TimeUs> stopped_until(const std::string& scope, TimeUs now) const;
  /// The scope that keeps the project's jobs from starting: itself, or all together; nullopt: none.
  std::optional<std::string> stopping(const std::string& project, TimeUs now) const;
  /// Whether a person let the scope go on over its budget of this day.
  bool is_lifted(const std::string& scope, TimeUs now) const;
  /// Scopes that are stopped and whose running jobs shall be, too.
  std::vector<std::string> to_stop(TimeUs now) const;
  /// What attempts that are not over yet have worked on the day of `now` so far.
  std::uint64_t working_us(const std::string& scope, TimeUs now) const;
  /// When the next scope may start jobs again by itself; 0: none is stopped.
  TimeUs next_end(TimeUs now) const;

 private:
  struct Change {
    Position cause = 0;     // the event that changed it last
    bool settings = false;  // its budget may be another one
  };
  void judge(const std::string& scope, const Change& change, TimeUs now, std::vector<Due>& due) const;
  /// The scope's row of today, the time of attempts that are not over yet included.
  view::ProjectSpendingT used_today(const std::string& scope, TimeUs now) const;
  TimeUs next_mark(const std::string& scope, const DayBudget& budget, TimeUs now) const;

  DayBudgets budgets_;
  std::map<std::string, view::ProjectSpendingT> rows_;
  std::map<std::string, WorkingAttempt> working_;  // by job
  std::map<std::string, Change> changed_;          // by scope
};

}  // namespace luzia
