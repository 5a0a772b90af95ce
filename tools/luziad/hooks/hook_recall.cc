#include "tools/luziad/hooks/hook_recall.h"

#include <algorithm>
#include <map>
#include <set>

#include "projections/clock_stretches.h"
#include "projections/stream_events.h"

namespace luzia {
namespace {

constexpr std::uint64_t kLongestMs = 1'000'000'000'000;

TimeUs span_us(std::uint64_t ms) {
  return static_cast<TimeUs>(std::min(ms, kLongestMs)) * kMillisecondUs;
}

using Times = std::map<Position, TimeUs>;

Result<Times> times_of(const EventLog& log, const std::vector<DeliveredTo>& hooks) {
  std::vector<Position> positions;
  for (const DeliveredTo& hook : hooks) positions.push_back(hook.position);
  Times times;
  std::ranges::sort(positions);
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  LUZIA_TRY(visit_events(log, positions, [&](const schema::Event& event, Bytes) {
    times[event.position()] = event.time_us();
    return true;
  }));
  return times;
}

/// The position from which to search for deliveries. Events after a hook's position may use a clock that was
/// set since. So only events before the position show how far back the cooldown reaches.
Result<Position> first_of_interest(const EventLog& log, const ViewReader& rows,
                                   const std::vector<DeliveredTo>& hooks) {
  const auto times = LUZIA_TRY(times_of(log, hooks));
  Result<Position> first = log.tip().position;
  for (const DeliveredTo& hook : hooks) {
    const auto at = times.find(hook.position);
    if (at == times.end()) return log.base().position;  // nothing in the remaining log was delivered to it
    const auto since = position_at_time(log, rows, at->second - span_us(hook.cooldown_ms), hook.position);
    if (!since) return since;
    first = std::min(*first, *since);
  }
  return first;
}

Result<Position> first_of_interest(const EventLog& log, const std::shared_ptr<const ViewReader>& rows,
                                   const std::vector<DeliveredTo>& hooks) {
  auto first = first_of_interest(log, *rows, hooks);
  if (first || rows->status()) return first;
  const auto folded = LUZIA_TRY(fold_clock_stretches(log, nullptr, {}, FoldThreads::one));
  return first_of_interest(log, *folded, hooks);
}

/// Sums the clock's steps after an event.
class LaterSteps {
 public:
  void note(const schema::Event& event) {
    const auto* system = event.payload_as_SystemEvent();
    const auto* step = system != nullptr ? system->fact_as_ClockStepped() : nullptr;
    if (step != nullptr) steps_[event.position()] = step->step_us();
  }
  TimeUs after(Position position) const {
    TimeUs sum = 0;
    for (auto step = steps_.upper_bound(position); step != steps_.end(); ++step) sum += step->second;
    return sum;
  }

 private:
  Times steps_;
};

}  // namespace

Result<std::vector<Delivered>> delivered_before(const EventLog& log,
                                                const std::shared_ptr<const ViewReader>& rows,
                                                const std::vector<DeliveredTo>& hooks, Position durable) {
  const auto from = LUZIA_TRY(first_of_interest(log, rows, hooks));
  std::set<std::string, std::less<>> names;
  for (const DeliveredTo& hook : hooks) names.insert(hook.hook);
  std::multimap<Position, std::string> delivered_at;  // by the event that was delivered
  LaterSteps steps;
  const auto cursor = log.read_from(from + 1);
  for (Position until = from; until < durable;) {
    const auto group = LUZIA_TRY(cursor->next());
    if (!group) break;
    for (const schema::Event* event : group->events()) {
      steps.note(*event);
      const auto* system = event->payload_as_SystemEvent();
      const auto* fact = system != nullptr ? system->fact_as_HookDelivered() : nullptr;
      if (fact == nullptr || fact->outcome() != schema::HookOutcome::delivered) continue;
      if (const auto name = names.find(text(fact->hook())); name != names.end())
        delivered_at.emplace(fact->position(), *name);
    }
    until = group->last_position();
  }
  std::vector<Position> positions;
  for (const auto& [position, name] : delivered_at) {
    if (positions.empty() || positions.back() != position) positions.push_back(position);
  }
  std::vector<Delivered> delivered;
  LUZIA_TRY(visit_events(log, positions, [&](const schema::Event& event, Bytes) {
    const auto [first, last] = delivered_at.equal_range(event.position());
    HookEvent seen = hook_event(event);
    seen.time += steps.after(event.position());
    for (auto each = first; each != last; ++each) delivered.push_back({each->second, seen});
    return true;
  }));
  return delivered;
}

}  // namespace luzia
