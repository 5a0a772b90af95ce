#include "engine/queue/scheduler.h"

#include <algorithm>
#include <queue>
#include <tuple>
#include <utility>

namespace luzia {
namespace {

using St = schema::JobState;

constexpr std::uint8_t kHighest = 9;

bool has_process(const JobState& job) {
  return (job.state == St::starting || job.state == St::running || job.state == St::waiting) &&
         !job.attempt_over;
}

std::uint32_t limit_of(const std::map<std::string, std::uint32_t>& single, const std::string& name,
                       std::uint32_t general) {
  const auto it = single.find(name);
  return it == single.end() ? general : it->second;
}

std::uint32_t count(const std::map<std::string, std::uint32_t>& counts, const std::string& name) {
  const auto it = counts.find(name);
  return it == counts.end() ? 0 : it->second;
}

void change(std::map<std::string, std::uint32_t>& counts, const std::string& name, int by) {
  const auto it = counts.try_emplace(name, 0).first;
  it->second += static_cast<std::uint32_t>(by);
  if (it->second == 0) counts.erase(it);
}

}  // namespace

void Queue::Tally::add(const Running& running, int by) {
  all += static_cast<std::size_t>(by);
  change(projects, running.project, by);
  change(agents, running.agent, by);
  for (const std::string& tag : running.tags) change(tags, tag, by);
}

// -------------------------------------------------------------------------------------------- places

Queue::Kind Queue::kind_of(const JobState& job) const {
  Kind kind{std::min(job.priority, kHighest), job.spec->project, job.spec->agent, {}};
  if (capacity_.of_tag.empty()) return kind;
  for (const std::string& tag : job.spec->tags) {
    if (capacity_.of_tag.contains(tag)) kind.tags.push_back(tag);
  }
  std::ranges::sort(kind.tags);
  return kind;
}

void Queue::enter(const Place& place) {
  if (!place.startable) return;
  QueueLine& line = place.not_before != 0 ? delayed_[place.not_before] : ready_[place.kind];
  line.insert(place);
}

/// Removes the place from the line it is in.
void Queue::leave(const Place& place) {
  if (const auto line = delayed_.find(place.not_before); line != delayed_.end()) {
    line->second.erase(place);
    if (line->second.empty()) delayed_.erase(line);
  }
  if (const auto line = ready_.find(place.kind); line != ready_.end()) {
    line->second.erase(place);
    if (line->second.empty()) ready_.erase(line);
  }
}

/// The clock was set back: moves places whose start time is in the future again back to delayed_.
void Queue::hold_back(TimeUs now) {
  for (const auto& [id, place] : place_) {
    if (place.not_before == 0 || place.not_before <= now) continue;
    leave(place);
    enter(place);
  }
}

/// Moves places whose start time has come to ready_.
void Queue::let_in(TimeUs now) {
  if (now < std::exchange(let_in_at_, now)) hold_back(now);
  while (!delayed_.empty() && delayed_.begin()->first <= now) {
    for (const auto& entry : delayed_.begin()->second) ready_[entry.place->kind].insert(*entry.place);
    delayed_.erase(delayed_.begin());
  }
}

void Queue::note_running(const JobState& job) {
  const auto it = running_.find(job.job);
  const bool runs = has_process(job), waits = job.state == St::waiting;
  if (it == running_.end() ? !runs : runs && it->second.waits == waits) return;
  if (it != running_.end()) {
    if (takes_slot(it->second)) tally_.add(it->second, -1);
    running_.erase(it);
  }
  if (!runs) return;
  const auto& added =
      running_.emplace(job.job, Running{job.spec->project, job.spec->agent, job.spec->tags, waits});
  if (takes_slot(added.first->second)) tally_.add(added.first->second, 1);
}

void Queue::note(const JobState& job) {
  const bool greatest = place_.empty() || place_.rbegin()->first < job.job;
  auto it = greatest ? place_.end() : place_.find(job.job);
  if (it != place_.end()) leave(it->second);
  note_running(job);
  spending_.note(job);
  if (job.state != St::queued) {
    if (it != place_.end()) place_.erase(it);
    return;
  }
  if (it == place_.end()) it = place_.try_emplace(it, job.job);
  Place& place = it->second;
  place = {kind_of(job),   job.queued_position,  job.queued_us,
           job.job,        job.not_before_us,    !job.held && job.after.empty(),
           job.spec->tags, job.spec->estimate_ms};
  enter(place);
}

void Queue::set_capacity(Capacity capacity) {
  const auto names = [](const auto& limits) {
    std::vector<std::string> all;
    for (const auto& limit : limits) all.push_back(limit.first);
    return all;
  };
  const bool same_tags = names(capacity.of_tag) == names(capacity_.of_tag);
  capacity_ = std::move(capacity);
  breakers_.set_rules(capacity_.breaker);
  spending_.set_budgets(capacity_.day_budgets);
  tally_ = {};
  for (const auto& [job, running] : running_) {
    if (takes_slot(running)) tally_.add(running, 1);
  }
  if (same_tags) return;
  ready_.clear();
  delayed_.clear();
  for (auto& [id, place] : place_) {
    place.kind.tags.clear();
    for (const std::string& tag : place.tags) {
      if (capacity_.of_tag.contains(tag)) place.kind.tags.push_back(tag);
    }
    std::ranges::sort(place.kind.tags);
    enter(place);
  }
}

void Queue::set_paused(const std::string& project, bool paused) {
  if (paused) {
    paused_.insert(project);
  } else {
    paused_.erase(project);
  }
}

// ------------------------------------------------------------------------------------------ deciding

std::uint8_t Queue::level(std::uint8_t priority, TimeUs since, TimeUs now) const {
  if (capacity_.ageing <= 0 || now <= since) return priority;
  const TimeUs grown = priority + (now - since) / capacity_.ageing;
  return static_cast<std::uint8_t>(std::min<TimeUs>(grown, kHighest));
}

double Queue::load(const std::string& project, const Tally& tally) const {
  const std::uint32_t share = limit_of(capacity_.share, project, 1);
  return count(tally.projects, project) / static_cast<double>(std::max(share, 1U));
}

std::optional<Queue::Block> Queue::blocked(const Kind& kind, const Tally& tally, TimeUs now) const {
  const auto full = [](std::uint32_t limit, std::uint32_t running) { return limit != 0 && running >= limit; };
  if (paused_.contains(kind.project)) return Block{WaitsFor::project_resume, kind.project, 0};
  if (breakers_.stops(kind.project, kind.agent)) return Block{WaitsFor::breaker, kind.project, 0};
  if (agent_limits_.is_parked(kind.agent)) return Block{WaitsFor::usage_limit, kind.agent, 0};
  if (const auto scope = spending_.stopping(kind.project, now))
    return Block{WaitsFor::project_budget, *scope, 0};
  const std::uint32_t project = limit_of(capacity_.of_project, kind.project, capacity_.max_per_project);
  if (full(project, count(tally.projects, kind.project)))
    return Block{WaitsFor::project_limit, kind.project, project};
  const std::uint32_t agent = limit_of(capacity_.of_agent, kind.agent, capacity_.max_per_agent);
  if (full(agent, count(tally.agents, kind.agent))) return Block{WaitsFor::agent_limit, kind.agent, agent};
  for (const std::string& tag : kind.tags) {
    const std::uint32_t limit = limit_of(capacity_.of_tag, tag, 0);
    if (full(limit, count(tally.tags, tag))) return Block{WaitsFor::tag_limit, tag, limit};
  }
  return std::nullopt;
}

std::vector<std::string> Queue::starts(TimeUs now) {
  let_in(now);
  std::vector<std::string> jobs;
  const bool open =
      capacity_.closed.empty() && capacity_.no_room.empty() && !draining_ && !paused_.contains("");
  if (!open || tally_.all >= capacity_.max_running) return jobs;
  struct Front {
    QueueLine::const_iterator next, end;
  };
  std::vector<Front> fronts;
  for (const auto& [kind, line] : ready_) {
    if (!blocked(kind, tally_, now)) fronts.push_back({line.begin(), line.end()});
  }
  Tally tally = fronts.empty() ? Tally() : tally_;
  while (!fronts.empty() && tally.all < capacity_.max_running) {
    const auto rank = [&](const Front& front) {
      const Place& place = *front.next->place;
      return std::tuple(-level(place.kind.priority, place.since, now), load(place.kind.project, tally),
                        place.queued, std::cref(place.job));
    };
    const auto first = std::ranges::min_element(
        fronts,
        [](const auto& a, const auto& b) {
          return std::tie(std::get<0>(a), std::get<1>(a), std::get<2>(a), std::get<3>(a).get()) <
                 std::tie(std::get<0>(b), std::get<1>(b), std::get<2>(b), std::get<3>(b).get());
        },
        rank);
    const Place& place = *first->next->place;
    jobs.push_back(place.job);
    tally.add({place.kind.project, place.kind.agent, place.tags}, 1);
    if (++first->next == first->end) fronts.erase(first);
    std::erase_if(
        fronts, [&](const Front& front) { return blocked(front.next->place->kind, tally, now).has_value(); });
  }
  return jobs;
}

TimeUs Queue::next_start_time(TimeUs now) const {
  const auto it = delayed_.upper_bound(now);
  return it == delayed_.end() ? 0 : it->first;
}

// ------------------------------------------------------------------------------------------ explaining

namespace {

/// Whether a job with that project, agent and tags takes or wants a slot of the limit `what` on `subject`.
bool shares_limit(WaitsFor what, const std::string& subject, const std::string& project,
                  const std::string& agent, const std::vector<std::string>& tags) {
  if (what == WaitsFor::agent_limit || what == WaitsFor::usage_limit) return agent == subject;
  if (what == WaitsFor::tag_limit) return std::ranges::find(tags, subject) != tags.end();
  return project == subject || (what == WaitsFor::project_budget && subject.empty());
}

}  // namespace

template <class Visit>
void Queue::visit_rivals(const std::optional<Block>& block, Visit visit) const {
  for (const auto& [job, running] : running_) {
    if (!takes_slot(running)) continue;
    if (!block || shares_limit(block->what, block->subject, running.project, running.agent, running.tags))
      visit(job, running);
  }
}

Queue::Reason Queue::reason_of(const JobState& job, const Place& place, TimeUs now) const {
  if (job.held) return {{.what = WaitsFor::release}, {}};
  if (!job.after.empty()) return {{.what = WaitsFor::dependencies, .subjects = job.after}, {}};
  if (place.not_before != 0 && place.not_before > now)
    return {{.what = WaitsFor::time, .until = place.not_before}, {}};
  if (draining_) return {{.what = WaitsFor::drain}, {}};
  if (!capacity_.no_room.empty()) return {{.what = WaitsFor::disk_room, .subjects = {capacity_.no_room}}, {}};
  if (!capacity_.closed.empty()) return {{.what = WaitsFor::open_queue, .subjects = {capacity_.closed}}, {}};
  if (paused_.contains("")) return {{.what = WaitsFor::resume}, {}};
  const bool full = tally_.all >= capacity_.max_running;
  Reason reason{{.what = WaitsFor::turn, .limit = full ? std::max(1U, capacity_.max_running) : 0},
                blocked(place.kind, tally_, now),
                true};
  Waiting& waiting = reason.waiting;
  if (const auto& block = reason.block)
    waiting = {.what = block->what, .subjects = {block->subject}, .limit = block->limit};
  if (waiting.what == WaitsFor::breaker) waiting.until = breakers_.open_until(place.kind.project).value_or(0);
  if (waiting.what == WaitsFor::usage_limit)
    waiting.until = agent_limits_.parked_until(place.kind.agent).value_or(0);
  if (waiting.what == WaitsFor::project_budget) {
    waiting.until = spending_.stopped_until(reason.block->subject, now).value_or(0);
    if (reason.block->subject.empty()) waiting.subjects.clear();
  }
  if (waiting.limit == 0) return reason;
  visit_rivals(reason.block, [&](const std::string& id, const Running& running) {
    if (running.waits) waiting.asking.push_back(id);
  });
  std::ranges::sort(waiting.asking);
  return reason;
}

std::optional<Waiting> Queue::reason(const JobState& job, TimeUs now) const {
  const auto it = place_.find(job.job);
  if (it == place_.end()) return std::nullopt;
  return reason_of(job, it->second, now).waiting;
}

std::optional<Waiting> Queue::why(const JobState& job, TimeUs now) const {
  const auto it = place_.find(job.job);
  if (it == place_.end()) return std::nullopt;
  Reason reason = reason_of(job, it->second, now);
  if (!reason.waits_for_slot) return std::move(reason.waiting);
  name_ahead(it->second, reason.block, now, reason.waiting);
  visit_rivals(reason.block,
               [&](const std::string& id, const Running&) { reason.waiting.running.push_back(id); });
  std::ranges::sort(reason.waiting.running);
  return std::move(reason.waiting);
}

/// Ranks only grow along a line, so the jobs ahead of a place are at the front of each line. Merging the
/// lines gives their order.
void Queue::name_ahead(const Place& place, const std::optional<Block>& block, TimeUs now,
                       Waiting& waiting) const {
  using Rank = std::tuple<int, double, Position>;
  struct Front {
    Rank rank;
    const Kind* kind;
    double load;
    std::uint32_t work;
    QueueLine::const_iterator next, end;
  };
  const auto rank = [&](const Kind& kind, double its_load, const QueueLine::Entry& each) {
    return Rank(-level(kind.priority, each.since, now), its_load, each.queued);
  };
  const auto later = [](const Front& a, const Front& b) { return a.rank > b.rank; };
  std::priority_queue<Front, std::vector<Front>, decltype(later)> fronts(later);
  const Rank mine(-level(place.kind.priority, place.since, now), load(place.kind.project, tally_),
                  place.queued);
  for (const auto& [kind, line] : ready_) {
    const bool rivals = block ? shares_limit(block->what, block->subject, kind.project, kind.agent, kind.tags)
                              : !blocked(kind, tally_, now).has_value();
    if (!rivals) continue;
    const double its_load = load(kind.project, tally_);
    const std::size_t ahead =
        line.count_front([&](const QueueLine::Entry& each) { return rank(kind, its_load, each) < mine; });
    if (ahead == 0) continue;
    waiting.ahead += ahead;
    const auto work = static_cast<std::uint32_t>(waiting.works.size());
    waiting.works.push_back({kind.project, kind.agent, ahead});
    fronts.push({rank(kind, its_load, *line.begin()), &kind, its_load, work, line.begin(), line.end()});
  }
  const std::size_t told = std::min(waiting.ahead, Waiting::kEstimated);
  waiting.work_ahead.reserve(told);
  while (waiting.work_ahead.size() < told) {
    Front front = fronts.top();
    fronts.pop();
    if (waiting.first_ahead.size() < Waiting::kNamed) waiting.first_ahead.push_back(front.next->place->job);
    waiting.work_ahead.push_back({front.work, front.next->estimate_ms});
    if (auto& further = waiting.works[front.work].further; further > 0) --further;
    if (++front.next == front.end) continue;
    front.rank = rank(*front.kind, front.load, *front.next);
    fronts.push(front);
  }
}

}  // namespace luzia
