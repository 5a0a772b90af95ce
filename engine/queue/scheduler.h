// The scheduler: which queued jobs start now, in which order, and why the others wait. Pure.
//
// Order: higher levels first; within a level, jobs of the project that runs less in relation to its share;
// then first come, first served. A job's level is its priority plus one for each `ageing` that it has waited,
// up to 9, so no job waits for ever behind later ones.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/queue/capacity.h"
#include "engine/queue/queue_places.h"
#include "engine/queue/queue_stops.h"
#include "engine/queue/slots.h"

namespace luzia {

/// The first thing that a queued job waits for. `subjects`: the jobs it depends on, what the limit belongs
/// to, or why nothing starts.
struct Waiting {
  WaitsFor what;
  std::vector<std::string> subjects = {};
  std::uint32_t limit = 0;  // of *_limit, and of turn if all slots are taken; otherwise its turn is next
  TimeUs until = 0;
  /// Number of startable jobs ahead of it at present. For *_limit: those of the same project, agent or tag.
  std::size_t ahead = 0;
  /// `first_ahead` has the first kNamed of them, `work_ahead` the work of the first kEstimated; in the order
  /// of start.
  static constexpr std::size_t kNamed = 5;
  static constexpr std::size_t kEstimated = 250;
  struct Work {
    std::string project, agent;
    std::size_t further = 0;  // how many more of it are ahead
  };
  struct Ahead {
    std::uint32_t work = 0;         // index in `works`
    std::uint64_t estimate_ms = 0;  // its own estimate; 0: none given
  };
  std::vector<std::string> first_ahead = {};
  std::vector<Ahead> work_ahead = {};
  std::vector<Work> works = {};
  std::vector<std::string> running = {};  // jobs that hold the slots it waits for
  std::vector<std::string> asking = {};   // those of them that wait for a person
};

/// Queued jobs, kept current by note(). Costs grow with the logarithm of the number of queued jobs. Starting
/// a job also costs time for each kind: jobs of the same project, agent, priority and limited tags.
class Queue {
 public:
  explicit Queue(Capacity capacity = {}) { set_capacity(std::move(capacity)); }
  void set_capacity(Capacity capacity);
  const Capacity& capacity() const { return capacity_; }
  QueueStops& stops() { return stops_; }
  const QueueStops& stops() const { return stops_; }
  /// Call after every evolve() of the job.
  void note(const JobState& job);

  /// Jobs to start at `now`, in order, as far as capacity allows.
  std::vector<std::string> starts(TimeUs now);
  std::size_t queued() const { return places_.size(); }
  std::size_t running() const { return slots_.running(); }
  /// The earliest start time after `now` of a queued job that could otherwise start; 0: none.
  TimeUs next_start_time(TimeUs now) const;
  /// Why the job does not start, without the jobs ahead and running; nullopt: it is not queued.
  std::optional<Waiting> reason(const JobState& job, TimeUs now) const;
  /// The same with them. Costs time for each kind and for each job that is listed.
  std::optional<Waiting> why(const JobState& job, TimeUs now) const;

 private:
  struct Reason {
    Waiting waiting;
    std::optional<QueueBlock> block;
    bool waits_for_slot = false;
  };
  /// What keeps jobs of this kind from starting, a limit of theirs included; nullopt: nothing.
  std::optional<QueueBlock> blocked(const QueueKind& kind, const SlotTally& tally, TimeUs now) const;
  /// Until when the agent's next start is too close to its last one; nullopt: it is not.
  std::optional<TimeUs> spaced_until(const std::string& agent, TimeUs now) const;
  Reason reason_of(const JobState& job, const QueuePlace& place, TimeUs now) const;
  void name_ahead(const QueuePlace& place, const std::optional<QueueBlock>& block, TimeUs now,
                  Waiting& waiting) const;

  Capacity capacity_;
  QueueStops stops_;
  QueuePlaces places_;
  Slots slots_;
  std::map<std::string, TimeUs> last_starts_;  // of agents with a spacing; a new daemon knows of none
};

}  // namespace luzia
