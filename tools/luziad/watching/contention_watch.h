// Notifies running jobs that change the same files of each other (engine/job/file_contention.h): a fact on
// the stream of the job that came second. Agents report which files they change, and scans of the tree show
// further changes (tree_watch.h). Loop thread; the past is read on a worker.
#pragma once

#include <memory>
#include <vector>

#include "engine/core/engine.h"
#include "engine/job/file_contention.h"
#include "engine/ports/agent.h"
#include "tools/luziad/base/follower.h"
#include "tools/luziad/base/store.h"
#include "tools/luziad/watching/tree_watch.h"

namespace luzia {

class ContentionWatch final : public Follower {
 public:
  /// `setting` needs no runner_of.
  ContentionWatch(const Threads& threads, const Store& store, Engine& engine, TreeWatch::Setting setting);

  /// At the daemon's start, before any group is committed: reads from the streams of running jobs what they
  /// have changed so far, at most their last kEventsOfAJob events.
  void look_back();
  /// Each durable group, in order.
  void committed(const std::shared_ptr<const Group>& group) override;
  void close() override { trees_.close(); }

 private:
  static constexpr std::uint64_t kEventsOfAJob = 5'000;

  void take(const schema::Event& event);
  TreeWatch::Setting with_runners(TreeWatch::Setting setting);
  void take_end(const std::string& job, TimeUs at);
  void seen(const std::string& job, std::uint32_t attempt, const std::string& top,
            const std::vector<ChangedFile>& files);
  void note(const std::string& job, NoteWorkspace what, Position cause, Reply noted);
  void raise(std::vector<FileContention::Met> all);

  Workers& workers_;
  Store store_;
  Engine& engine_;
  FileContention contention_{changes_files};
  TreeWatch trees_;
  bool looking_back_ = false;
  std::vector<std::shared_ptr<const Group>> meanwhile_;  // committed while the past was being read
};

}  // namespace luzia
