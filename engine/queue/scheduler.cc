#include "engine/queue/scheduler.h"

#include <algorithm>
#include <queue>
#include <tuple>

namespace luzia {
namespace {

std::uint32_t count(const std::map<std::string, std::uint32_t>& counts, const std::string& name) {
  const auto it = counts.find(name);
  return it == counts.end() ? 0 : it->second;
}

/// The priority of a job, raised by its time in the queue.
std::uint8_t level_of(const Capacity& capacity, std::uint8_t priority, TimeUs since, TimeUs now) {
  if (capacity.ageing <= 0 || now <= since) return priority;
  const TimeUs grown = priority + (now - since) / capacity.ageing;
  return static_cast<std::uint8_t>(std::min<TimeUs>(grown, kHighestPriority));
}

/// How much of the project runs in relation to its share.
double load_of(const Capacity& capacity, const std::string& project, const SlotTally& tally) {
  const std::uint32_t share = limit_of(capacity.share, project, 1);
  return count(tally.projects, project) / static_cast<double>(std::max(share, 1U));
}

/// Whether a job with that project, agent and tags takes or wants a slot of the limit `what` on `subject`.
bool shares_limit(WaitsFor what, const std::string& subject, const std::string& project,
                  const std::string& agent, const std::vector<std::string>& tags) {
  if (what == WaitsFor::agent_limit || what == WaitsFor::usage_limit || what == WaitsFor::login ||
      what == WaitsFor::spacing)
    return agent == subject;
  if (what == WaitsFor::tag_limit) return std::ranges::find(tags, subject) != tags.end();
  return project == subject || (what == WaitsFor::project_budget && subject.empty());
}

/// Visits the jobs that hold the slots a blocked job waits for; without a block, all that hold slots.
template <class Visit>
void visit_rivals(const Slots& slots, const std::optional<QueueBlock>& block, Visit visit) {
  slots.visit([&](const std::string& job, const RunningJob& running) {
    if (!block || shares_limit(block->what, block->subject, running.project, running.agent, running.tags))
      visit(job, running);
  });
}

}  // namespace

void Queue::set_capacity(Capacity capacity) {
  capacity_ = std::move(capacity);
  stops_.breakers.set_rules(capacity_.breaker);
  stops_.spending.set_budgets(capacity_.day_budgets);
  slots_.set_waiting_holds_slot(capacity_.waiting_holds_slot);
  std::set<std::string> tags;
  for (const auto& [tag, limit] : capacity_.of_tag) tags.insert(tag);
  places_.set_limited_tags(std::move(tags));
}

void Queue::note(const JobState& job) {
  places_.note(job);
  slots_.note(job);
  stops_.spending.note(job);
}

// ------------------------------------------------------------------------------------------ deciding

std::optional<TimeUs> Queue::spaced_until(const std::string& agent, TimeUs now) const {
  const auto last = last_starts_.find(agent);
  const auto spacing = capacity_.spacing.find(agent);
  if (last == last_starts_.end() || spacing == capacity_.spacing.end()) return std::nullopt;
  // A start that is still to come was recorded before the clock was set back.
  const bool too_close = last->second <= now && now < last->second + spacing->second;
  return too_close ? std::optional(last->second + spacing->second) : std::nullopt;
}

TimeUs Queue::next_start_time(TimeUs now) const {
  TimeUs next = places_.next_start_time(now);
  if (last_starts_.empty()) return next;
  for (const auto& [kind, line] : places_.ready()) {
    const TimeUs until = spaced_until(kind.agent, now).value_or(0);
    if (until != 0) next = next == 0 ? until : std::min(next, until);
  }
  return next;
}

std::optional<QueueBlock> Queue::blocked(const QueueKind& kind, const SlotTally& tally, TimeUs now) const {
  if (auto block = stops_.block(kind, now)) return block;
  if (spaced_until(kind.agent, now)) return QueueBlock{WaitsFor::spacing, kind.agent, 0};
  const auto full = [](std::uint32_t limit, std::uint32_t running) { return limit != 0 && running >= limit; };
  const std::uint32_t project = limit_of(capacity_.of_project, kind.project, capacity_.max_per_project);
  if (full(project, count(tally.projects, kind.project)))
    return QueueBlock{WaitsFor::project_limit, kind.project, project};
  const std::uint32_t agent = limit_of(capacity_.of_agent, kind.agent, capacity_.max_per_agent);
  if (full(agent, count(tally.agents, kind.agent)))
    return QueueBlock{WaitsFor::agent_limit, kind.agent, agent};
  for (const std::string& tag : kind.tags) {
    const std::uint32_t limit = limit_of(capacity_.of_tag, tag, 0);
    if (full(limit, count(tally.tags, tag))) return QueueBlock{WaitsFor::tag_limit, tag, limit};
  }
  return std::nullopt;
}

std::vector<std::string> Queue::starts(TimeUs now) {
  places_.let_in(now);
  std::vector<std::string> jobs;
  const bool open = capacity_.closed.empty() && capacity_.no_room.empty() && !stops_.draining &&
                    !stops_.paused.contains("");
  if (!open || slots_.tally().all >= capacity_.max_running) return jobs;
  struct Front {
    QueueLine::const_iterator next, end;
  };
  std::vector<Front> fronts;
  for (const auto& [kind, line] : places_.ready()) {
    if (!blocked(kind, slots_.tally(), now)) fronts.push_back({line.begin(), line.end()});
  }
  SlotTally tally = fronts.empty() ? SlotTally() : slots_.tally();
  while (!fronts.empty() && tally.all < capacity_.max_running) {
    const auto rank = [&](const Front& front) {
      const QueuePlace& place = *front.next->place;
      return std::tuple(-level_of(capacity_, place.kind.priority, place.since, now),
                        load_of(capacity_, place.kind.project, tally), place.queued, std::cref(place.job));
    };
    const auto first = std::ranges::min_element(
        fronts,
        [](const auto& a, const auto& b) {
          return std::tie(std::get<0>(a), std::get<1>(a), std::get<2>(a), std::get<3>(a).get()) <
                 std::tie(std::get<0>(b), std::get<1>(b), std::get<2>(b), std::get<3>(b).get());
        },
        rank);
    const QueuePlace& place = *first->next->place;
    jobs.push_back(place.job);
    tally.add({place.kind.project, place.kind.agent, place.tags}, 1);
    if (capacity_.spacing.contains(place.kind.agent)) last_starts_[place.kind.agent] = now;
    if (++first->next == first->end) fronts.erase(first);
    std::erase_if(
        fronts, [&](const Front& front) { return blocked(front.next->place->kind, tally, now).has_value(); });
  }
  return jobs;
}

// ------------------------------------------------------------------------------------------ explaining

Queue::Reason Queue::reason_of(const JobState& job, const QueuePlace& place, TimeUs now) const {
  if (job.held && !job.order.empty()) return {{.what = WaitsFor::release, .subjects = {job.order}}, {}};
  if (job.held) return {{.what = WaitsFor::release}, {}};
  if (!job.after.empty()) return {{.what = WaitsFor::dependencies, .subjects = job.after}, {}};
  if (place.not_before != 0 && place.not_before > now)
    return {{.what = WaitsFor::time, .until = place.not_before}, {}};
  if (stops_.draining) return {{.what = WaitsFor::drain}, {}};
  if (!capacity_.no_room.empty()) return {{.what = WaitsFor::disk_room, .subjects = {capacity_.no_room}}, {}};
  if (!capacity_.closed.empty()) return {{.what = WaitsFor::open_queue, .subjects = {capacity_.closed}}, {}};
  if (stops_.paused.contains("")) return {{.what = WaitsFor::resume}, {}};
  const bool full = slots_.tally().all >= capacity_.max_running;
  Reason reason{{.what = WaitsFor::turn, .limit = full ? std::max(1U, capacity_.max_running) : 0},
                blocked(place.kind, slots_.tally(), now),
                true};
  Waiting& waiting = reason.waiting;
  if (const auto& block = reason.block)
    waiting = {.what = block->what, .subjects = {block->subject}, .limit = block->limit};
  if (waiting.what == WaitsFor::breaker)
    waiting.until = stops_.breakers.open_until(place.kind.project).value_or(0);
  if (waiting.what == WaitsFor::usage_limit || waiting.what == WaitsFor::login)
    waiting.until = stops_.agent_limits.parked_until(place.kind.agent).value_or(0);
  if (waiting.what == WaitsFor::spacing) waiting.until = spaced_until(place.kind.agent, now).value_or(0);
  if (waiting.what == WaitsFor::project_budget) {
    waiting.until = stops_.spending.stopped_until(reason.block->subject, now).value_or(0);
    if (reason.block->subject.empty()) waiting.subjects.clear();
  }
  if (waiting.limit == 0) return reason;
  visit_rivals(slots_, reason.block, [&](const std::string& id, const RunningJob& running) {
    if (running.waits) waiting.asking.push_back(id);
  });
  std::ranges::sort(waiting.asking);
  return reason;
}

std::optional<Waiting> Queue::reason(const JobState& job, TimeUs now) const {
  const QueuePlace* place = places_.find(job.job);
  return place == nullptr ? std::nullopt : std::optional(reason_of(job, *place, now).waiting);
}

std::optional<Waiting> Queue::why(const JobState& job, TimeUs now) const {
  const QueuePlace* place = places_.find(job.job);
  if (place == nullptr) return std::nullopt;
  Reason reason = reason_of(job, *place, now);
  if (!reason.waits_for_slot) return std::move(reason.waiting);
  name_ahead(*place, reason.block, now, reason.waiting);
  visit_rivals(slots_, reason.block,
               [&](const std::string& id, const RunningJob&) { reason.waiting.running.push_back(id); });
  std::ranges::sort(reason.waiting.running);
  return std::move(reason.waiting);
}

/// Ranks only grow along a line, so the jobs ahead of a place are at the front of each line. Merging the
/// lines gives their order.
void Queue::name_ahead(const QueuePlace& place, const std::optional<QueueBlock>& block, TimeUs now,
                       Waiting& waiting) const {
  using Rank = std::tuple<int, double, Position>;
  struct Front {
    Rank rank;
    const QueueKind* kind;
    double load;
    std::uint32_t work;
    QueueLine::const_iterator next, end;
  };
  const auto rank = [&](const QueueKind& kind, double its_load, const QueueLine::Entry& each) {
    return Rank(-level_of(capacity_, kind.priority, each.since, now), its_load, each.queued);
  };
  const auto later = [](const Front& a, const Front& b) { return a.rank > b.rank; };
  std::priority_queue<Front, std::vector<Front>, decltype(later)> fronts(later);
  const Rank mine(-level_of(capacity_, place.kind.priority, place.since, now),
                  load_of(capacity_, place.kind.project, slots_.tally()), place.queued);
  for (const auto& [kind, line] : places_.ready()) {
    const bool rivals = block ? shares_limit(block->what, block->subject, kind.project, kind.agent, kind.tags)
                              : !blocked(kind, slots_.tally(), now).has_value();
    if (!rivals) continue;
    const double its_load = load_of(capacity_, kind.project, slots_.tally());
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
