// Which jobs hold slots: those that have a process, also while they wait for a person if that counts. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/job/job.h"

namespace luzia {

struct RunningJob {
  std::string project, agent;
  std::vector<std::string> tags;
  bool waits = false;  // for a person
};

/// How many jobs hold slots, by project, agent and tag.
struct SlotTally {
  std::size_t all = 0;
  std::map<std::string, std::uint32_t> projects, agents, tags;
  void add(const RunningJob& running, int by);
};

class Slots {
 public:
  void set_waiting_holds_slot(bool holds);
  /// Call after every evolve() of the job.
  void note(const JobState& job);
  /// Jobs with a process, whether they hold a slot or not.
  std::size_t running() const { return running_.size(); }
  const SlotTally& tally() const { return tally_; }
  /// Calls `visit(id, RunningJob)` for the jobs that hold slots, in no order.
  template <class Visit>
  void visit(Visit visit) const {
    for (const auto& [job, running] : running_) {
      if (holds(running)) visit(job, running);
    }
  }

 private:
  bool holds(const RunningJob& running) const { return !running.waits || waiting_holds_slot_; }

  bool waiting_holds_slot_ = true;
  std::unordered_map<std::string, RunningJob> running_;
  SlotTally tally_;  // of those that hold a slot
};

}  // namespace luzia
