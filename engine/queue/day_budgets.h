// Daily budgets (UTC days) of tokens, cost and time, for one project or for all together. At four fifths
// Luzia warns once. A used-up budget keeps the scope's jobs from starting until the day is over or a person
// lifts it. Pure.
//
// Usage and warnings follow from the log alone: the same fold runs in memory and in the core view (rows of
// spending). The time of running attempts is added as it passes, from their start. A day counts what an
// attempt worked on that day.
//
// Rejected: counting in memory, as breakers do. A restarted daemon would begin the day at zero, but the bill
// would not.
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

/// Limits of one day; 0: no such budget.
struct DayBudget {
  std::uint64_t tokens = 0;
  double cost_usd = 0;
  TimeUs time = 0;
  bool stop_running = false;  // stops running jobs when it is used up
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

/// What a job has used so far, from the sums in its state.
struct JobUse {
  std::uint64_t tokens = 0;
  double cost_usd = 0;
  std::uint64_t time_us = 0;  // of attempts that have ended
  bool operator==(const JobUse&) const = default;
};
JobUse use_of(const view::LiveJobT& job);

/// An attempt that has not ended.
struct WorkingAttempt {
  std::string project;
  TimeUs since = 0;       // its start, moved forward by its waits for people and pauses
  TimeUs idle_since = 0;  // since when it waits for a person or is paused; 0: it works
};
/// nullopt: the job has no such attempt, or it has not started yet.
std::optional<WorkingAttempt> working_attempt(const view::LiveJobT& job);
/// How long it has worked so far on the day of `now`.
std::uint64_t worked_today_us(const WorkingAttempt& attempt, TimeUs now);

/// The day of a moment, counted from 1970, and the first moment after a day.
std::uint32_t day_of(TimeUs time);
TimeUs end_of_day(std::uint32_t day);

/// Updates the row of spending after a job's usage has grown. A day other than the row's resets it, except
/// the day before.
void add_use(view::ProjectSpendingT& row, const JobUse& before, const JobUse& after, TimeUs time);
void note_budget(view::ProjectSpendingT& row, const schema::ProjectBudgetNotedT& fact);
void lift_budget(view::ProjectSpendingT& row, const schema::ProjectBudgetLiftedT& fact);

/// Sums of the present day, and what follows from them. A scope is a project, or empty for all together.
class Spending {
 public:
  void set_budgets(DayBudgets budgets);
  const DayBudgets& budgets() const { return budgets_; }
  /// Start: loads a row of the core view.
  void load(view::ProjectSpendingT row);
  /// Adds growth caused by the event at position `cause`, which has the time `time`.
  void add(const std::string& project, const JobUse& before, const JobUse& after, TimeUs time,
           Position cause);
  void noted(const schema::ProjectBudgetNotedT& fact);
  void lifted(const schema::ProjectBudgetLiftedT& fact);
  /// The job changed: updates whether it has a working attempt, and since when.
  void note(const view::LiveJobT& job);
  /// Checks time budgets again if any attempt works.
  void time_passed();
  /// When a time budget may reach four fifths or its end if all goes on like this; 0: never.
  TimeUs next_mark(TimeUs now) const;

  /// Facts to record since the last call, for scopes whose usage or budget has changed.
  struct Due {
    Position cause = 0;  // 0: time passed, or the configuration changed
    std::optional<schema::ProjectBudgetNotedT> noted = {};
    std::optional<schema::ProjectBudgetLiftedT> lifted = {};
  };
  std::vector<Due> due(TimeUs now);
  bool changed() const { return !changed_.empty(); }

  /// Until when the scope's own budget keeps its jobs from starting; nullopt: it does not.
  std::optional<TimeUs> stopped_until(const std::string& scope, TimeUs now) const;
  /// The scope that keeps the project's jobs from starting: the project or all together; nullopt: none.
  std::optional<std::string> stopping(const std::string& project, TimeUs now) const;
  /// Whether a person lifted the scope's budget for this day.
  bool is_lifted(const std::string& scope, TimeUs now) const;
  /// Stopped scopes whose running jobs must be stopped too.
  std::vector<std::string> to_stop(TimeUs now) const;
  /// How long running attempts have worked so far on the day of `now`, in microseconds.
  std::uint64_t working_us(const std::string& scope, TimeUs now) const;
  /// When the next stopped scope may start jobs again; 0: none is stopped.
  TimeUs next_end(TimeUs now) const;

 private:
  struct Change {
    Position cause = 0;     // the last event that changed it
    bool settings = false;  // its budget may have changed
  };
  void judge(const std::string& scope, const Change& change, TimeUs now, std::vector<Due>& due) const;
  /// The scope's row of today, including the time of running attempts.
  view::ProjectSpendingT used_today(const std::string& scope, TimeUs now) const;
  TimeUs next_mark(const std::string& scope, const DayBudget& budget, TimeUs now) const;

  DayBudgets budgets_;
  std::map<std::string, view::ProjectSpendingT> rows_;
  std::map<std::string, WorkingAttempt> working_;  // by job
  std::map<std::string, Change> changed_;          // by scope
};

}  // namespace luzia
