#include "tools/luziad/hook_recall.h"

#include <algorithm>
#include <map>
#include <set>

#include "projections/past_views.h"
#include "projections/stream_events.h"

namespace luzia {
namespace {

constexpr std::uint64_t kLongestMs = 1'000'000'000'000;

TimeUs span_us(std::uint64_t ms) {
  return static_cast<TimeUs>(std::min(ms, kLongestMs)) * kMillisecondUs;
}

/// From where on deliveries are looked for.
Result<Position> first_of_interest(const EventLog& log, const std::vector<ToldTo>& hooks) {
  std::vector<Position> positions;
  for (const ToldTo& hook : hooks) positions.push_back(hook.position);
  std::map<Position, TimeUs> times;
  std::ranges::sort(positions);
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  const Status read = visit_events(log, positions, [&](const schema::Event& event, Bytes) {
    times[event.position()] = event.time_us();
    return true;
  });
  if (!read) return tl::unexpected(read.error());
  TimeUs earliest = 0;
  for (const ToldTo& hook : hooks) {
    const auto at = times.find(hook.position);
    if (at == times.end()) continue;
    const TimeUs since = std::max<TimeUs>(1, at->second - span_us(hook.cooldown_ms));
    earliest = earliest == 0 ? since : std::min(earliest, since);
  }
  return position_at_time(log, earliest);
}

}  // namespace

Result<std::vector<Told>> told_before(const EventLog& log, const std::vector<ToldTo>& hooks,
                                      Position durable) {
  const auto from = first_of_interest(log, hooks);
  if (!from) return tl::unexpected(from.error());
  std::set<std::string, std::less<>> names;
  for (const ToldTo& hook : hooks) names.insert(hook.hook);
  std::multimap<Position, std::string> told_at;  // by the event that was told
  const auto cursor = log.read_from(*from + 1);
  for (Position until = *from; until < durable;) {
    const auto group = cursor->next();
    if (!group) return tl::unexpected(group.error());
    if (!*group) break;
    for (const schema::Event* event : (*group)->events()) {
      const auto* system = event->payload_as_SystemEvent();
      const auto* fact = system != nullptr ? system->fact_as_HookDelivered() : nullptr;
      if (fact == nullptr || fact->outcome() != schema::HookOutcome::delivered) continue;
      if (const auto name = names.find(text(fact->hook())); name != names.end())
        told_at.emplace(fact->position(), *name);
    }
    until = (*group)->last_position();
  }
  std::vector<Position> positions;
  for (const auto& [position, name] : told_at) {
    if (positions.empty() || positions.back() != position) positions.push_back(position);
  }
  std::vector<Told> told;
  const Status read = visit_events(log, positions, [&](const schema::Event& event, Bytes) {
    const auto [first, last] = told_at.equal_range(event.position());
    for (auto each = first; each != last; ++each) told.push_back({each->second, hook_event(event)});
    return true;
  });
  if (!read) return tl::unexpected(read.error());
  return told;
}

}  // namespace luzia
