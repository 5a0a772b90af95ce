#include "tools/luziad/watching/limit_rules.h"

#include <algorithm>

#include "engine/base/utf8.h"

namespace luzia {

std::vector<schema::ProcessUseT> largest_of(const TreeUse& tree) {
  constexpr std::size_t kMost = 5, kMostNameBytes = 48;
  std::vector<schema::ProcessUseT> largest;
  for (const ProcessInTree& process : tree.processes) {
    if (largest.size() == kMost) break;
    schema::ProcessUseT& use = largest.emplace_back();
    use.pid = static_cast<std::uint32_t>(process.pid);
    use.name = bounded_utf8(process.name, kMostNameBytes);  // the process has chosen it
    use.resident_bytes = process.resident;
  }
  return largest;
}

std::optional<StopAtLimit> stop_of(const schema::AttemptLimitsT& limits, const SeenUse& seen) {
  StopAtLimit stop;
  stop.largest = largest_of(seen.tree);
  if (seen.over_memory) {
    stop.reason = schema::StopReason::memory_limit;
    stop.used = seen.tree.resident;
    return stop;
  }
  const bool too_many = limits.processes != 0 && seen.tree.threads > limits.processes;
  if (!too_many && !seen.refused_process) return std::nullopt;
  stop.reason = schema::StopReason::process_limit;
  stop.used = seen.tree.threads;
  return stop;
}

std::optional<StopAtLimit> stop_of(const schema::AttemptLimitsT& limits, std::uint64_t disk_bytes) {
  if (limits.disk_bytes == 0 || disk_bytes <= limits.disk_bytes) return std::nullopt;
  StopAtLimit stop;
  stop.reason = schema::StopReason::disk_limit;
  stop.used = disk_bytes;
  return stop;
}

double share_used(std::uint64_t used, std::uint64_t limit) {
  return limit == 0 ? 0 : static_cast<double>(used) / static_cast<double>(limit);
}

TimeUs pause_between_looks(double nearest, double before, TimeUs apart, TimeUs took) {
  constexpr TimeUs kCalm = kSecondUs, kHasty = kSecondUs / 10;
  constexpr TimeUs kMostlyElsewhere = 20;
  const double grown = apart > 0 ? std::max(0.0, nearest - before) / static_cast<double>(apart) : 0;
  const bool near = nearest > 0.5 || nearest + grown * static_cast<double>(2 * kCalm) > 1;
  return std::max(near ? kHasty : kCalm, took * kMostlyElsewhere);
}

void MemoryGrowth::add(TimeUs monotonic, std::uint64_t resident) {
  constexpr TimeUs kWithin = 10 * kSecondUs;
  while (!seen_.empty() && monotonic - seen_.front().first > kWithin) seen_.pop_front();
  seen_.emplace_back(monotonic, resident);
}

std::uint64_t MemoryGrowth::grown() const {
  if (seen_.empty()) return 0;
  return seen_.back().second - std::min(seen_.front().second, seen_.back().second);
}

std::optional<std::size_t> grown_most(const std::vector<const MemoryGrowth*>& attempts,
                                      std::uint64_t reserve) {
  std::optional<std::size_t> most;
  const auto rank = [&attempts](std::size_t at) {
    return std::pair(attempts[at]->grown(), attempts[at]->resident());
  };
  for (std::size_t at = 0; at < attempts.size(); ++at) {
    if (attempts[at]->resident() < reserve / 10) continue;
    if (!most || rank(at) > rank(*most)) most = at;
  }
  return most;
}

}  // namespace luzia
