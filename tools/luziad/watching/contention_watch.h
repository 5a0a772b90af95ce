// Notifies running jobs that change the same files of each other (engine/job/file_contention.h): a fact on
// the stream of the job that came second. Agents report which files they change. Loop thread; the past is
// read on a worker.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/core/engine.h"
#include "engine/job/file_contention.h"
#include "engine/ports/agent.h"
#include "tools/luziad/base/follower.h"
#include "tools/luziad/base/store.h"

namespace luzia {

class ContentionWatch final : public Follower {
 public:
  ContentionWatch(const Threads& threads, const Store& store, Engine& engine);

  /// At the daemon's start, before any group is committed: reads from the streams of running jobs what they
  /// have changed so far, at most their last kEventsOfAJob events.
  void look_back();
  void committed(const std::shared_ptr<const Group>& group) override;

 private:
  static constexpr std::uint64_t kEventsOfAJob = 5'000;

  void take(const schema::Event& event);
  void find_real(const std::string& folder);
  void raise();

  Threads threads_;
  Store store_;
  Engine& engine_;
  FileContention contention_{changes_files};
  std::set<std::string> being_resolved_;  // folders
  bool looking_back_ = false;
  std::vector<std::shared_ptr<const Group>> meanwhile_;  // committed while the past was being read
};

}  // namespace luzia
