// A query's filter, prepared: job prefixes resolved, names in sets.
#pragma once

#include <set>
#include <string>
#include <unordered_map>

#include "engine/event/job_state.h"
#include "projections/query.h"

namespace luzia {

class QueryFilter {
 public:
  /// Resolves the prefixes of filter.jobs against `rows`. Errors as resolve_job.
  static Result<QueryFilter> make(const ViewReader& rows, const QuerySources& sources,
                                  const wire::FilterT* filter);

  /// Full ids, ascending; empty: any job.
  const std::vector<std::string>& jobs() const { return jobs_; }
  /// The jobs that those are after which it takes: full ids; empty = any job. Ids grow, so each of these is
  /// smaller than those that wait for it.
  const std::set<std::string, std::less<>>& after() const { return after_; }
  bool ended() const { return ended_; }
  TimeUs since() const { return since_; }
  TimeUs until() const { return until_; }
  /// Bounds of the time when jobs ended; 0: none.
  TimeUs ended_since() const { return ended_since_; }
  TimeUs ended_before() const { return ended_before_; }
  bool has_time_of_end() const { return ended_since_ != 0 || ended_before_ != 0; }

  /// A bound of 0 means none. Times before 1970 (of a clock that was never set) are compared like others.
  bool takes_time(TimeUs time) const {
    return (since_ == 0 || time >= since_) && (until_ == 0 || time < until_);
  }
  /// A day (from 1970, UTC) counts if any part of it is within the time.
  bool takes_day(std::uint32_t day) const {
    const TimeUs begin = static_cast<TimeUs>(day) * kDayUs;
    return begin + kDayUs > since_ && (until_ == 0 || begin < until_);
  }
  bool takes_job_id(std::string_view id) const;
  /// Whether the caller may see this project and the filter includes it.
  bool takes_project(std::string_view project) const;
  bool takes_agent(std::string_view agent) const { return agents_.empty() || agents_.contains(agent); }
  /// An empty name: something that no schedule dispatched.
  bool takes_schedule(std::string_view name) const { return schedules_.empty() || schedules_.contains(name); }
  bool takes_every_agent() const { return agents_.empty(); }
  bool takes_state(schema::JobState state) const {
    return takes_every_state() || names_state(states_, state);
  }
  /// Applies the whole filter to a row of a job, whose time is when it was queued. Several tags: the job has
  /// all of them.
  bool takes_job(const view::Job& job) const {
    return takes_time(job.queued_us()) && takes_job_but_time(job);
  }
  bool takes_job_but_time(const view::Job& job) const;
  /// Includes removed jobs from now on. Without this call, a filter includes only removed jobs that it names.
  void take_removed() { removed_too_ = true; }
  /// Whether the job's row is needed to decide about something that only names its job and project.
  bool needs_job_row() const {
    return !agents_.empty() || !tags_.empty() || !takes_every_state() || !after_.empty() || !ended_ ||
           !schedules_.empty() || !models_.empty() || !steps_.empty() || has_time_of_end();
  }
  /// Whether nothing but the time is restricted.
  bool takes_everything() const;

 private:
  bool takes_every_state() const { return states_.empty() && !proved_ && !refuted_; }
  bool takes_model_and_step(const view::Job& job) const;
  bool takes_end(const view::Job& job) const;

  std::vector<std::string> jobs_;
  std::set<std::string, std::less<>> projects_, agents_, tags_, after_, schedules_, models_, steps_;
  std::vector<schema::JobState> states_;
  TimeUs since_ = 0, until_ = 0, ended_since_ = 0, ended_before_ = 0;
  bool proved_ = false, refuted_ = false;
  bool ended_ = true;
  bool removed_too_ = false;
  std::function<bool(std::string_view)> may_see_;
};

/// Filters rows that name a job or a project (events, activity); caches the jobs it looked up.
class SubjectFilter {
 public:
  SubjectFilter(const ViewReader& rows, const QueryFilter& filter) : rows_(rows), filter_(filter) {}
  bool takes_stream(std::string_view stream);
  bool takes(std::string_view job, std::string_view project);

 private:
  bool takes_job(std::string_view job);

  const ViewReader& rows_;
  const QueryFilter& filter_;
  std::unordered_map<std::string, bool> known_;
};

}  // namespace luzia
