// Names the effects that are due for jobs, each once in a process, as soon as the events that cause them are
// durable. Loop thread.
#pragma once

#include <deque>
#include <functional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "engine/core/job_book.h"

namespace luzia {

class DueEffects {
 public:
  using Due = std::function<void(const Effect&, const JobState&)>;
  /// The job's durable state changed.
  using Changed = std::function<void(const JobState&)>;
  /// `jobs` must outlive it. Either function may be empty.
  DueEffects(const JobBook& jobs, Due due, Changed changed)
      : jobs_(jobs), due_(std::move(due)), changed_(std::move(changed)) {}

  /// Start: names what is due for the loaded jobs.
  void resume();
  /// The job's lifecycle changed: it is looked at once that is durable.
  void touched(const JobState& job) { touched_.emplace_back(job.lifecycle_position, job.job); }
  void committed(Position durable);
  void forget(const std::string& job) { named_.erase(job); }

 private:
  struct Named {
    std::uint32_t attempt = 0;
    std::set<std::pair<EffectKind, std::string>> kinds;  // with the id of the request it is about, if any
  };
  void name(const JobState& job, bool recovering);

  const JobBook& jobs_;
  Due due_;
  Changed changed_;
  std::deque<std::pair<Position, std::string>> touched_;
  std::unordered_map<std::string, Named> named_;  // by job
};

}  // namespace luzia
