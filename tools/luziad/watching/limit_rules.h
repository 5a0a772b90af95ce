// When an attempt has reached a limit, how soon to look again, and which attempt is stopped when the machine
// runs out of memory. Pure.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/launcher/resident_memory.h"
#include "engine/job/job.h"

namespace luzia {

/// What an attempt was seen to use. `over_memory`: more than its limit, with shared pages counted once.
struct SeenUse {
  TreeUse tree;
  bool over_memory = false;
  bool refused_process = false;  // by the kernel, in its cgroup
};

/// The stop that the attempt has earned, without the attempt's number; nullopt: none.
std::optional<StopAtLimit> stop_of(const schema::AttemptLimitsT& limits, const SeenUse& seen);
std::optional<StopAtLimit> stop_of(const schema::AttemptLimitsT& limits, std::uint64_t disk_bytes);

/// The five largest processes.
std::vector<schema::ProcessUseT> largest_of(const TreeUse& tree);

/// How much of a limit is used, 0 and above; 0: there is none.
double share_used(std::uint64_t used, std::uint64_t limit);

/// Time until the next look, if one took `took`. `nearest`: the largest share of a limit that is used now;
/// `before`: the same at the look before, `apart` earlier. A look at all processes takes 1 to 10 ms; what
/// grows fast, or is near, is looked at ten times a second, but looking never takes over a twentieth of a
/// core.
TimeUs pause_between_looks(double nearest, double before, TimeUs apart, TimeUs took);

/// The memory of an attempt in the last ten seconds.
class MemoryGrowth {
 public:
  void add(TimeUs monotonic, std::uint64_t resident);
  std::uint64_t resident() const { return seen_.empty() ? 0 : seen_.back().second; }
  /// By how much it has grown; 0: it has not.
  std::uint64_t grown() const;

 private:
  std::deque<std::pair<TimeUs, std::uint64_t>> seen_;
};

/// The attempt that has grown most, of those whose end would help: they hold at least a tenth of the reserve.
/// If none has grown, the largest. nullopt: no end would help.
std::optional<std::size_t> grown_most(const std::vector<const MemoryGrowth*>& attempts,
                                      std::uint64_t reserve);

}  // namespace luzia
