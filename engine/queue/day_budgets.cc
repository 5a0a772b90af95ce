#include "engine/queue/day_budgets.h"

#include <algorithm>
#include <array>

#include "engine/job/input_state.h"
#include "engine/job/usage_sum.h"

namespace luzia {
namespace {

constexpr double kWarnedFraction = 0.8;

/// One budget, and how much of it is used. `bit`: its bit in the row's `warned`.
struct Part {
  const char* kind;
  std::uint32_t bit;
  double used, budget;
};

std::array<Part, 3> parts_of(const view::ProjectSpendingT& row, const DayBudget& budget) {
  constexpr double kUs = kSecondUs;
  return {Part{"tokens", 1, static_cast<double>(row.tokens), static_cast<double>(budget.tokens)},
          Part{"cost", 2, row.cost_usd, budget.cost_usd},
          Part{"time", 4, static_cast<double>(row.time_us) / kUs, static_cast<double>(budget.time) / kUs}};
}

std::uint32_t bit_of(std::string_view kind) {
  return kind == "tokens" ? 1 : kind == "cost" ? 2 : 4;
}

/// For a moment that may be unset (0): with a clock before 1970, 0 would be in the future.
bool is_to_come(TimeUs moment, TimeUs now) {
  return moment != 0 && moment > now;
}

/// Whether the row still counts on `day`. The day before counts too, so that a clock set back over midnight
/// gives no second budget. A row further in the future comes from a wrong clock and does not count: it would
/// collect the usage of every day until then.
bool counts_on(const view::ProjectSpendingT& row, std::uint32_t day) {
  return row.day == day || row.day == day + 1;
}

void begin_day(view::ProjectSpendingT& row, std::uint32_t day) {
  if (counts_on(row, day)) return;
  std::string project = std::move(row.project);
  row = {};
  row.project = std::move(project);
  row.day = day;
}

schema::ProjectBudgetNotedT noting(const view::ProjectSpendingT& row, const Part& part, bool reached) {
  schema::ProjectBudgetNotedT fact;
  fact.project = row.project;
  fact.kind = part.kind;
  fact.day = row.day;
  fact.used = part.used;
  fact.budget = part.budget;
  fact.reached = reached;
  fact.until_us = end_of_day(row.day);
  return fact;
}

}  // namespace

const DayBudget* DayBudgets::find(const std::string& scope) const {
  if (scope.empty()) return all.any() ? &all : nullptr;
  const auto it = of_project.find(scope);
  return it != of_project.end() && it->second.any() ? &it->second : nullptr;
}

JobUse use_of(const view::LiveJobT& job) {
  return {job.spent_tokens, job.spent_cost_usd, job.spent_us};
}

std::optional<WorkingAttempt> working_attempt(const view::LiveJobT& job) {
  using schema::JobState;
  const bool works = (job.state == JobState::running || job.state == JobState::waiting) && !job.attempt_over;
  if (!works || job.started_us == 0 || !job.spec) return std::nullopt;
  return WorkingAttempt{job.spec->project, work_counts_from(job),
                        std::max(job.waiting_since_us, job.paused_since_us)};
}

std::uint64_t worked_today_us(const WorkingAttempt& attempt, TimeUs now) {
  const TimeUs until = attempt.idle_since == 0 ? now : std::min(now, attempt.idle_since);
  const TimeUs from = std::max(attempt.since, static_cast<TimeUs>(day_of(now)) * kDayUs);
  return static_cast<std::uint64_t>(std::max<TimeUs>(0, until - from));
}

std::uint32_t day_of(TimeUs time) {
  return static_cast<std::uint32_t>(std::max<TimeUs>(0, time) / kDayUs);
}

TimeUs end_of_day(std::uint32_t day) {
  return (static_cast<TimeUs>(day) + 1) * kDayUs;
}

void add_use(view::ProjectSpendingT& row, const JobUse& before, const JobUse& after, TimeUs time) {
  begin_day(row, day_of(time));
  row.tokens = add_bounded(row.tokens, after.tokens - std::min(before.tokens, after.tokens));
  row.cost_usd += std::max(0.0, after.cost_usd - before.cost_usd);
  // For an attempt that has just ended: what it worked before midnight belongs to the day before.
  const TimeUs midnight = static_cast<TimeUs>(day_of(time)) * kDayUs;
  const auto today = static_cast<std::uint64_t>(std::max<TimeUs>(0, time - midnight));
  const std::uint64_t worked = after.time_us - std::min(before.time_us, after.time_us);
  row.time_us = add_bounded(row.time_us, std::min(worked, today));
}

void note_budget(view::ProjectSpendingT& row, const schema::ProjectBudgetNotedT& fact) {
  begin_day(row, fact.day);
  row.warned |= bit_of(fact.kind);
  if (!fact.reached) return;
  row.until_us = fact.until_us;
  row.kind = fact.kind;
}

void lift_budget(view::ProjectSpendingT& row, const schema::ProjectBudgetLiftedT& fact) {
  row.lifted_until_us = fact.until_us;
  row.until_us = 0;
  row.warned = 0;
  row.kind.clear();
}

void Spending::set_budgets(DayBudgets budgets) {
  if (budgets == budgets_) return;
  budgets_ = std::move(budgets);
  for (const auto& [scope, row] : rows_) changed_[scope].settings = true;
}

void Spending::load(view::ProjectSpendingT row) {
  const std::string scope = row.project;
  changed_[scope].settings = true;
  rows_.insert_or_assign(scope, std::move(row));
}

void Spending::add(const std::string& project, const JobUse& before, const JobUse& after, TimeUs time,
                   Position cause) {
  for (const std::string& scope : {project, std::string()}) {
    view::ProjectSpendingT& row = rows_[scope];
    row.project = scope;
    add_use(row, before, after, time);
    changed_[scope].cause = cause;
  }
}

void Spending::noted(const schema::ProjectBudgetNotedT& fact) {
  view::ProjectSpendingT& row = rows_[fact.project];
  row.project = fact.project;
  note_budget(row, fact);
}

void Spending::lifted(const schema::ProjectBudgetLiftedT& fact) {
  view::ProjectSpendingT& row = rows_[fact.project];
  row.project = fact.project;
  lift_budget(row, fact);
}

void Spending::note(const view::LiveJobT& job) {
  if (auto attempt = working_attempt(job)) {
    working_.insert_or_assign(job.job, std::move(*attempt));
  } else if (!working_.empty()) {
    working_.erase(job.job);
  }
}

void Spending::time_passed() {
  if (working_.empty()) return;
  if (budgets_.all.time > 0) changed_.try_emplace(std::string());
  for (const auto& [scope, budget] : budgets_.of_project) {
    if (budget.time > 0) changed_.try_emplace(scope);
  }
}

view::ProjectSpendingT Spending::used_today(const std::string& scope, TimeUs now) const {
  view::ProjectSpendingT today;
  today.project = scope;
  today.day = day_of(now);
  const auto row = rows_.find(scope);
  if (row != rows_.end() && counts_on(row->second, today.day)) today = row->second;
  today.time_us = add_bounded(today.time_us, working_us(scope, now));
  return today;
}

std::uint64_t Spending::working_us(const std::string& scope, TimeUs now) const {
  std::uint64_t sum = 0;
  for (const auto& [job, attempt] : working_) {
    if (scope.empty() || attempt.project == scope) sum = add_bounded(sum, worked_today_us(attempt, now));
  }
  return sum;
}

TimeUs Spending::next_mark(const std::string& scope, const DayBudget& budget, TimeUs now) const {
  if (budget.time <= 0 || stopped_until(scope, now) || is_lifted(scope, now)) return 0;
  const auto at_work = std::ranges::count_if(working_, [&](const auto& entry) {
    return entry.second.idle_since == 0 && (scope.empty() || entry.second.project == scope);
  });
  if (at_work == 0) return 0;
  const view::ProjectSpendingT today = used_today(scope, now);
  const bool told = (today.warned & bit_of("time")) != 0;
  const double mark = static_cast<double>(budget.time) * (told ? 1 : kWarnedFraction);
  const double left = std::max(0.0, mark - static_cast<double>(today.time_us)) / static_cast<double>(at_work);
  // At least a second from now, so that a fact that cannot be recorded is not tried at every turn.
  return now + std::max<TimeUs>(kSecondUs, static_cast<TimeUs>(left) + 1);
}

TimeUs Spending::next_mark(TimeUs now) const {
  if (working_.empty()) return 0;
  TimeUs next = next_mark({}, budgets_.all, now);
  for (const auto& [scope, budget] : budgets_.of_project) {
    next = earlier_moment(next, next_mark(scope, budget, now));
  }
  return next;
}

/// Decides which fact the scope's usage requires, given what was recorded before.
void Spending::judge(const std::string& scope, const Change& change, TimeUs now,
                     std::vector<Due>& due) const {
  const DayBudget* budget = budgets_.find(scope);
  if ((budget == nullptr && !rows_.contains(scope)) || is_lifted(scope, now)) return;
  const view::ProjectSpendingT row = used_today(scope, now);
  const auto parts = parts_of(row, budget != nullptr ? *budget : DayBudget{});
  const auto used_up = std::ranges::find_if(
      parts, [](const Part& part) { return part.budget > 0 && part.used >= part.budget; });
  const bool stopped = is_to_come(row.until_us, now);
  if (used_up != parts.end()) {
    if (!stopped) due.push_back({change.cause, noting(row, *used_up, true)});
    return;
  }
  if (stopped) {
    if (!change.settings) return;  // only a changed budget lifts the stop; a changed measurement does not
    schema::ProjectBudgetLiftedT fact;
    fact.project = row.project;
    fact.note = "the budget is not used up any more";
    due.push_back({change.cause, std::nullopt, std::move(fact)});
    return;
  }
  for (const Part& part : parts) {
    const bool near = part.budget > 0 && part.used >= part.budget * kWarnedFraction;
    if (near && (row.warned & part.bit) == 0) due.push_back({change.cause, noting(row, part, false)});
  }
}

std::vector<Spending::Due> Spending::due(TimeUs now) {
  std::vector<Due> due;
  for (const auto& [scope, change] : changed_) judge(scope, change, now, due);
  changed_.clear();
  return due;
}

std::optional<TimeUs> Spending::stopped_until(const std::string& scope, TimeUs now) const {
  const auto row = rows_.find(scope);
  if (row == rows_.end() || !is_to_come(row->second.until_us, now)) return std::nullopt;
  // A clock that was set back by days must not keep a project stopped that long.
  if (!counts_on(row->second, day_of(now))) return std::nullopt;
  return row->second.until_us;
}

std::optional<std::string> Spending::stopping(const std::string& project, TimeUs now) const {
  if (rows_.empty()) return std::nullopt;
  if (stopped_until(project, now)) return project;
  if (stopped_until({}, now)) return std::string();
  return std::nullopt;
}

bool Spending::is_lifted(const std::string& scope, TimeUs now) const {
  const auto row = rows_.find(scope);
  return row != rows_.end() && is_to_come(row->second.lifted_until_us, now);
}

std::vector<std::string> Spending::to_stop(TimeUs now) const {
  std::vector<std::string> scopes;
  for (const auto& [scope, row] : rows_) {
    const DayBudget* budget = budgets_.find(scope);
    if (budget != nullptr && budget->stop_running && stopped_until(scope, now)) scopes.push_back(scope);
  }
  return scopes;
}

TimeUs Spending::next_end(TimeUs now) const {
  TimeUs next = 0;
  for (const auto& [scope, row] : rows_) next = earlier_moment(next, stopped_until(scope, now).value_or(0));
  return next;
}

}  // namespace luzia
