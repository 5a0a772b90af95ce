#include "projections/query_filter.h"

#include <algorithm>

#include "engine/flow/flow.h"
#include "engine/learning/learning.h"
#include "engine/schedule/schedule.h"
#include "projections/jobs.h"
#include "projections/rows/names.h"
#include "projections/rows/usage_rows.h"

namespace luzia {
namespace {

constexpr std::string_view kProjectStream = "project/";

bool has_tag(const view::Job& job, std::string_view tag) {
  if (!job.tags()) return false;
  return std::any_of(job.tags()->begin(), job.tags()->end(),
                     [&](auto* own) { return own->string_view() == tag; });
}

bool is_after_one(const view::Job& job, const std::set<std::string, std::less<>>& jobs) {
  if (!job.after()) return false;
  return std::any_of(job.after()->begin(), job.after()->end(),
                     [&](auto* id) { return jobs.contains(id->string_view()); });
}

}  // namespace

Result<QueryFilter> QueryFilter::make(const ViewReader& rows, const QuerySources& sources,
                                      const wire::FilterT* filter) {
  QueryFilter result;
  result.may_see_ = sources.may_see;
  if (!filter) return result;
  for (const std::string& name : filter->jobs) {
    auto id = LUZIA_TRY(resolve_job(rows, name, sources.may_see));
    result.jobs_.push_back(std::move(id));
  }
  std::sort(result.jobs_.begin(), result.jobs_.end());
  result.jobs_.erase(std::unique(result.jobs_.begin(), result.jobs_.end()), result.jobs_.end());
  result.projects_.insert(filter->projects.begin(), filter->projects.end());
  result.agents_.insert(filter->agents.begin(), filter->agents.end());
  result.tags_.insert(filter->tags.begin(), filter->tags.end());
  result.states_ = filter->states;
  result.proved_ = filter->proved;
  result.refuted_ = filter->refuted;
  result.after_.insert(filter->after.begin(), filter->after.end());
  result.schedules_.insert(filter->schedules.begin(), filter->schedules.end());
  result.models_.insert(filter->models.begin(), filter->models.end());
  result.steps_.insert(filter->steps.begin(), filter->steps.end());
  result.since_ = filter->since_us;
  result.until_ = filter->until_us;
  result.ended_since_ = filter->ended_since_us;
  result.ended_before_ = filter->ended_before_us;
  result.ended_ = filter->ended;
  return result;
}

bool QueryFilter::takes_job_id(std::string_view id) const {
  return jobs_.empty() || std::binary_search(jobs_.begin(), jobs_.end(), id);
}

bool QueryFilter::takes_project(std::string_view project) const {
  if (may_see_ && !may_see_(project)) return false;
  return projects_.empty() || projects_.contains(project);
}

bool QueryFilter::takes_model_and_step(const view::Job& job) const {
  return (models_.empty() || models_.contains(name_or_unknown(job.model()))) &&
         (steps_.empty() || steps_.contains(text(job.step())));
}

bool QueryFilter::takes_end(const view::Job& job) const {
  if (!has_time_of_end()) return true;
  return is_terminal(job.state()) && (ended_since_ == 0 || job.ended_us() >= ended_since_) &&
         (ended_before_ == 0 || job.ended_us() < ended_before_);
}

bool QueryFilter::takes_job_but_time(const view::Job& job) const {
  if (!ended_ && is_terminal(job.state())) return false;
  if (!takes_end(job)) return false;
  if (job.removed_us() != 0 && !removed_too_ && jobs_.empty()) return false;
  const auto proof = shown_proof(job);
  if (!takes_state(job.state()) && !(proof && (*proof ? proved_ : refuted_))) return false;
  if (!after_.empty() && !is_after_one(job, after_)) return false;
  if (!takes_job_id(text(job.id())) || !takes_agent(text(job.agent()))) return false;
  if (!takes_project(text(job.project())) || !takes_schedule(text(job.schedule()))) return false;
  if (!takes_model_and_step(job)) return false;
  return std::all_of(tags_.begin(), tags_.end(), [&](const auto& tag) { return has_tag(job, tag); });
}

bool QueryFilter::takes_everything() const {
  return !may_see_ && jobs_.empty() && projects_.empty() && !needs_job_row();
}

bool SubjectFilter::takes_stream(std::string_view stream) {
  if (filter_.takes_everything()) return true;
  const bool is_lesson =
      !solution_of_stream(stream).empty() || !todo_of_stream(stream).empty() || is_fact_stream(stream);
  if (is_lesson || !flow_of_stream(stream).empty() || !schedule_of_stream(stream).empty())
    return takes({}, project_of_stream(rows_, stream));
  const bool of_project = stream.starts_with(kProjectStream);
  return takes(job_of_stream(stream), of_project ? stream.substr(kProjectStream.size()) : std::string_view{});
}

bool SubjectFilter::takes(std::string_view job, std::string_view project) {
  if (!job.empty()) return takes_job(job);
  return filter_.jobs().empty() && !filter_.needs_job_row() && filter_.takes_project(project);
}

bool SubjectFilter::takes_job(std::string_view job) {
  if (!filter_.takes_job_id(job)) return false;
  const auto it = known_.find(std::string(job));
  if (it != known_.end()) return it->second;
  const auto row = read_row<view::Job>(rows_, kJobsView, job);
  const bool taken = row && filter_.takes_job_but_time(**row);
  known_.emplace(job, taken);
  return taken;
}

}  // namespace luzia
