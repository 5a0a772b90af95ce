#include "tools/luziad/waiting.h"

#include <algorithm>
#include <map>

#include "engine/queue/estimate.h"
#include "projections/durations.h"
#include "projections/rows/buckets.h"

namespace luzia {
namespace {

constexpr std::size_t kNamedAhead = 5;

/// How long jobs take, each kind looked up once.
class TypicalTimes {
 public:
  explicit TypicalTimes(const ViewReader& rows) : rows_(rows) {}

  std::optional<TimeUs> of(const JobState& job) {
    if (job.spec->estimate_ms != 0) return static_cast<TimeUs>(job.spec->estimate_ms) * kMillisecondUs;
    const auto [it, added] = medians_.try_emplace({job.spec->project, job.spec->agent});
    if (added) it->second = median(job.spec->project, job.spec->agent);
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

std::optional<TimeUs> estimate(const Engine& engine, const ViewReader& rows, const Waiting& waiting,
                               TimeUs now) {
  using enum view::WaitsFor;
  if (waiting.what == time || waiting.what == breaker) return std::max<TimeUs>(0, waiting.until - now);
  const bool for_a_place = waiting.what == turn || waiting.what == project_limit ||
                           waiting.what == agent_limit || waiting.what == tag_limit;
  if (!for_a_place || waiting.ahead.size() >= Waiting::kCounted) return std::nullopt;
  TypicalTimes times(rows);
  std::vector<std::optional<TimeUs>> left, ahead;
  for (const std::string& id : waiting.running) {
    const JobState* job = engine.find_live(id);
    if (job == nullptr) continue;
    auto takes = times.of(*job);
    if (takes && job->started_us != 0) *takes = std::max<TimeUs>(0, job->started_us + *takes - now);
    left.push_back(takes);
  }
  for (const std::string& id : waiting.ahead) {
    if (const JobState* job = engine.find_live(id)) ahead.push_back(times.of(*job));
  }
  return estimate_wait(waiting.limit, left, ahead);
}

}  // namespace

std::optional<view::WaitingT> waiting_row(const Engine& engine, const ViewReader& rows,
                                          const std::string& job, TimeUs now) {
  const auto waiting = engine.why_waiting(job, now);
  if (!waiting) return std::nullopt;
  view::WaitingT row;
  row.job = job;
  row.what = waiting->what;
  row.subjects = waiting->subjects;
  row.limit = waiting->limit;
  row.until_us = waiting->until;
  row.ahead = static_cast<std::uint32_t>(waiting->ahead.size());
  row.position = row.ahead + 1;
  const std::size_t named = std::min(kNamedAhead, waiting->ahead.size());
  row.first_ahead.assign(waiting->ahead.begin(), waiting->ahead.begin() + static_cast<std::ptrdiff_t>(named));
  if (const auto wait = estimate(engine, rows, *waiting, now))
    row.estimated_wait_ms = static_cast<std::uint64_t>(*wait / kMillisecondUs);
  return row;
}

}  // namespace luzia
