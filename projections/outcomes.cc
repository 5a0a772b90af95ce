#include "projections/outcomes.h"

#include <algorithm>

#include "engine/event/event.h"
#include "engine/event/job_state.h"
#include "projections/rows/buckets.h"
#include "projections/tools.h"

namespace luzia {
namespace {

std::uint64_t not_negative(TimeUs duration) {
  return static_cast<std::uint64_t>(std::max<TimeUs>(0, duration));
}

/// Adds to counters, or removes what was added.
class Counting {
 public:
  explicit Counting(bool adds) : adds_(adds) {}
  void count(std::uint64_t& counter, std::uint64_t by = 1) const {
    counter = adds_ ? add_bounded(counter, by) : counter - std::min(counter, by);
  }
  void sum(double& amount, double by) const { amount = adds_ ? amount + by : std::max(0.0, amount - by); }
  void fill(std::vector<std::uint64_t>& buckets, std::uint64_t duration_us) const {
    const std::size_t bucket = bucket_of(duration_us / kMillisecondUs);
    if (buckets.size() <= bucket) buckets.resize(bucket + 1);
    count(buckets[bucket]);
  }

 private:
  bool adds_;
};

std::uint64_t& state_counter(view::OutcomeDayT& day, schema::JobState state) {
  switch (state) {
    case schema::JobState::completed:
      return day.completed;
    case schema::JobState::killed:
      return day.killed;
    case schema::JobState::timed_out:
      return day.timed_out;
    case schema::JobState::lost:
      return day.lost;
    case schema::JobState::skipped:
      return day.skipped;
    case schema::JobState::cancelled:
      return day.cancelled;
    case schema::JobState::none:
    case schema::JobState::queued:
    case schema::JobState::starting:
    case schema::JobState::running:
    case schema::JobState::waiting:
    case schema::JobState::parked:
    case schema::JobState::failed:
      break;
  }
  return day.failed;
}

std::uint64_t& reason_counter(view::OutcomeDayT& day, schema::EndReason reason) {
  const auto known = std::ranges::find(day.reasons, reason, [](const auto& count) { return count->reason; });
  if (known != day.reasons.end()) return (*known)->count;
  const auto behind = std::ranges::find_if(day.reasons, [&](auto& count) { return count->reason > reason; });
  auto count = std::make_unique<view::ReasonCountT>();
  count->reason = reason;
  return (*day.reasons.insert(behind, std::move(count)))->count;
}

void count_job(view::OutcomeDayT& day, const JobOutcome& job, const Counting& counting) {
  counting.count(state_counter(day, job.state));
  if (job.state != schema::JobState::completed) {
    counting.count(reason_counter(day, job.reason));
  } else if (job.attempts <= 1) {
    counting.count(day.first_try);
  }
  counting.count(day.retries, job.attempts > 1 ? job.attempts - 1 : 0);
  if (job.started) {
    counting.count(day.started);
    counting.count(day.run_sum_us, job.run_us);
    counting.fill(day.run_buckets, job.run_us);
    counting.count(day.wait_sum_us, job.wait_us);
    counting.fill(day.wait_buckets, job.wait_us);
  }
  counting.count(day.human_wait_us, job.human_wait_us);
  counting.count(day.tokens->input, job.tokens.input);
  counting.count(day.tokens->output, job.tokens.output);
  counting.count(day.tokens->cache_read, job.tokens.cache_read);
  counting.count(day.tokens->cache_write, job.tokens.cache_write);
  counting.sum(day.cost_usd, job.cost_usd);
  counting.count(day.issues, job.issues);
  counting.count(day.warnings, job.warnings);
}

class OutcomesReport : public OneView<JobReport, view::OutcomeDay, kOutcomesView> {
 public:
  using OneView::OneView;

  void note(const JobStep& step) override {
    if (step.outcome_before) take_back(*step.outcome_before);
    if (step.job && is_terminal(step.job->state)) add(job_outcome(*step.job));
  }

 private:
  static std::string key_of(const JobOutcome& job) {
    return day_key(job.day, {job.project, job.agent, job.model});
  }

  void add(const JobOutcome& job) {
    view::OutcomeDayT& day = rows_.edit(key_of(job));
    if (!day.tokens) {
      day.day = job.day;
      day.project = job.project;
      day.agent = job.agent;
      day.model = job.model;
      day.tokens = std::make_unique<view::TokensT>();
    }
    count_job(day, job, Counting(true));
  }

  /// A day without any job left has no row.
  void take_back(const JobOutcome& job) {
    const std::string key = key_of(job);
    view::OutcomeDayT* day = rows_.edit_existing(key);
    if (!day) return;
    count_job(*day, job, Counting(false));
    std::erase_if(day->reasons, [](const auto& reason) { return reason->count == 0; });
    if (day->completed + day->failed + day->killed + day->timed_out + day->lost + day->skipped +
            day->cancelled ==
        0) {
      rows_.erase(key);
    }
  }
};

}  // namespace

JobOutcome job_outcome(const view::JobT& row) {
  JobOutcome job;
  job.ended_us = row.ended_us;
  job.day = static_cast<std::uint32_t>(not_negative(row.ended_us) / kDayUs);
  job.project = row.project;
  job.agent = row.agent;
  job.model = row.model;
  job.state = row.state;
  job.reason = row.reason;
  job.attempts = row.attempts;
  job.started = row.first_started_us != 0;
  if (job.started) {
    job.run_us = row.run_us;
    job.wait_us = not_negative(row.first_started_us - row.queued_us);
  }
  job.human_wait_us = not_negative(row.human_wait_us);
  if (row.tokens) job.tokens = *row.tokens;
  job.cost_usd = row.cost_usd.value_or(0);
  job.issues = row.issues;
  job.warnings = row.warnings;
  return job;
}

void count_end(view::OutcomeDayT& day, schema::JobState state, schema::EndReason reason) {
  ++state_counter(day, state);
  if (state != schema::JobState::completed) ++reason_counter(day, reason);
}

std::unique_ptr<JobReport> make_outcomes_report(const ViewReaderSource& rows) {
  return std::make_unique<OutcomesReport>(rows);
}

}  // namespace luzia
