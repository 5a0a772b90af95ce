#include "tools/luziad/queries/waiting.h"

#include <algorithm>
#include <map>

#include "engine/queue/estimate.h"
#include "projections/durations.h"
#include "projections/queue_reasons.h"
#include "projections/rows/buckets.h"

namespace luzia {
namespace {

/// Typical durations of jobs; each kind is looked up once.
class TypicalTimes {
 public:
  explicit TypicalTimes(const ViewReader& rows) : rows_(rows) {}

  std::optional<TimeUs> of(const Waiting::Work& work) {
    const auto [it, added] = medians_.try_emplace({work.project, work.agent});
    if (added) it->second = median(work.project, work.agent);
    return it->second;
  }

 private:
  std::optional<TimeUs> median(const std::string& project, const std::string& agent) const {
    const auto row = find_durations(rows_, "run", project, agent);
    if (!row || row->count == 0) return std::nullopt;
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(view::Durations::Pack(builder, &*row));
    const auto* packed = flatbuffers::GetRoot<view::Durations>(builder.GetBufferPointer());
    return static_cast<TimeUs>(duration_quantile(*packed, 0.5) * kMillisecondUs);
  }

  const ViewReader& rows_;
  std::map<std::pair<std::string, std::string>, std::optional<TimeUs>> medians_;
};

/// Prefers the job's own estimate over its kind's typical duration.
std::optional<TimeUs> expected(std::uint64_t estimate_ms, std::optional<TimeUs> typical) {
  constexpr std::uint64_t kLongest = 365 * kDayUs / kMillisecondUs;
  return estimate_ms == 0 ? typical : static_cast<TimeUs>(std::min(estimate_ms, kLongest)) * kMillisecondUs;
}

/// Total work of jobs that are not listed individually. Each takes the average of the listed ones of its
/// kind, which includes their own estimates, else the kind's typical time. nullopt: unknown.
std::optional<TimeUs> work_of_further(const Waiting& waiting, const std::vector<std::optional<TimeUs>>& told,
                                      const std::vector<std::optional<TimeUs>>& typical) {
  std::vector<double> sums(waiting.works.size());
  std::vector<std::size_t> counts(waiting.works.size());
  for (std::size_t i = 0; i < told.size(); ++i) {
    sums[waiting.work_ahead[i].work] += static_cast<double>(told[i].value_or(0));
    ++counts[waiting.work_ahead[i].work];
  }
  double sum = 0;
  for (std::size_t i = 0; i < waiting.works.size(); ++i) {
    if (waiting.works[i].further == 0) continue;
    if (counts[i] == 0 && !typical[i]) return std::nullopt;
    const double each =
        counts[i] == 0 ? static_cast<double>(*typical[i]) : sums[i] / static_cast<double>(counts[i]);
    sum += static_cast<double>(waiting.works[i].further) * each;
  }
  constexpr double kLongest = 1000.0 * 365 * kDayUs;
  return static_cast<TimeUs>(std::min(sum, kLongest));
}

std::optional<TimeUs> estimate(const Engine& engine, const ViewReader& rows, const Waiting& waiting,
                               TimeUs now) {
  using enum view::WaitsFor;
  if (waiting.what == time || waiting.what == breaker) return std::max<TimeUs>(0, waiting.until - now);
  const bool for_a_place = waiting.what == turn || waiting.what == project_limit ||
                           waiting.what == agent_limit || waiting.what == tag_limit;
  if (!for_a_place || waiting.limit == 0) return std::nullopt;
  TypicalTimes times(rows);
  std::vector<std::optional<TimeUs>> left, ahead;
  for (const std::string& id : waiting.running) {
    const JobState* job = engine.find_live(id);
    if (job == nullptr) continue;
    auto takes = expected(job->spec->estimate_ms, times.of({job->spec->project, job->spec->agent}));
    if (takes && job->started_us != 0) *takes = std::max<TimeUs>(0, job->started_us + *takes - now);
    left.push_back(takes);
  }
  std::vector<std::optional<TimeUs>> typical;
  for (const Waiting::Work& work : waiting.works) typical.push_back(times.of(work));
  ahead.reserve(waiting.work_ahead.size());
  for (const auto& [work, estimate_ms] : waiting.work_ahead)
    ahead.push_back(expected(estimate_ms, typical[work]));
  const auto wait = estimate_wait(waiting.limit, left, ahead);
  const auto further = work_of_further(waiting, ahead, typical);
  return wait && further ? std::optional(*wait + *further / waiting.limit) : std::nullopt;
}

}  // namespace

std::optional<view::WaitingT> waiting_row(const Engine& engine, const ViewReader& rows,
                                          const std::string& job, TimeUs now,
                                          const std::function<bool(std::string_view project)>& may_see) {
  const JobState* state = engine.find_live(job);
  const auto waiting = state == nullptr ? std::nullopt : engine.queue().why(*state, now);
  if (!waiting) return std::nullopt;
  view::WaitingT row = waiting_row(job, *waiting);
  const auto is_hidden = [&](const std::string& id) {
    const JobState* other = may_see ? engine.find_live(id) : nullptr;
    return other != nullptr && !may_see(other->spec->project);
  };
  std::erase_if(row.first_ahead, is_hidden);
  if (row.what != view::WaitsFor::dependencies) std::erase_if(row.subjects, is_hidden);
  if (const auto wait = estimate(engine, rows, *waiting, now))
    row.estimated_wait_ms = static_cast<std::uint64_t>(*wait / kMillisecondUs);
  return row;
}

}  // namespace luzia
