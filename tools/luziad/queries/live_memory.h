// How much memory running jobs use, looked at while somebody asks, and at most every kEvery. Loop thread; the
// look itself is for a worker.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "adapters/launcher/resident_memory.h"
#include "engine/job/job.h"

namespace luzia {

class LiveMemory {
 public:
  static constexpr TimeUs kEvery = 2 * kSecondUs;
  /// KiB by job.
  using ByJob = std::map<std::string, std::uint64_t>;
  /// What to look at.
  struct Look {
    std::vector<std::string> jobs;
    std::vector<ProcessTree> trees;
    /// Any thread.
    std::shared_ptr<const ByJob> take() const;
  };

  /// Whether what is known is too old. `now`: monotonic.
  bool is_due(TimeUs now) const { return !looking_ && (last_ == 0 || now - last_ >= kEvery); }
  /// Call looked() with the result, whatever happens to whoever asked.
  Look begin(const std::vector<const JobState*>& running);
  void looked(std::shared_ptr<const ByJob> found, TimeUs now);
  /// Never null.
  const std::shared_ptr<const ByJob>& known() const { return known_; }

 private:
  std::shared_ptr<const ByJob> known_ = std::make_shared<const ByJob>();
  TimeUs last_ = 0;  // monotonic, of the last look; 0: none
  bool looking_ = false;
};

}  // namespace luzia
