// Tells running jobs that change the same files of each other (engine/job/file_contention.h): a fact on the
// stream of the one that came second. Loop thread; the past is read on a worker.
#pragma once

#include <memory>
#include <vector>

#include "engine/job/file_contention.h"
#include "tools/luziad/parts.h"

namespace luzia {

class ContentionWatch {
 public:
  explicit ContentionWatch(Parts& parts) : parts_(parts) {}

  /// Start of the daemon, before any group is committed: what running jobs have changed so far is read from
  /// their streams, as far as kEventsOfAJob reach back.
  void look_back();
  /// Each durable group, in order.
  void committed(const std::shared_ptr<const Group>& group);

 private:
  static constexpr std::uint64_t kEventsOfAJob = 5'000;

  void take(const schema::Event& event);
  void raise();

  Parts& parts_;
  FileContention contention_;
  bool looking_back_ = false;
  std::vector<std::shared_ptr<const Group>> meanwhile_;  // committed while the past was read
};

}  // namespace luzia
