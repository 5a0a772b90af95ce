// Tells agents that asked by a file: writes response.json and approved.json into the job directory and
// confirms that to the engine. What cannot be written is written later; nothing is lost, and written again it
// is the same bytes. Loop thread; files and log on workers.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "tools/luziad/job_warning.h"
#include "tools/luziad/parts.h"

namespace luzia {

class AnswerFiles {
 public:
  explicit AnswerFiles(Parts& parts) : parts_(parts), again_timer_(std::make_unique<Timer>(parts.loop)) {}

  /// The request is answered. Written only while the file that it came from still says so: an agent that asks
  /// something else by now must not take this for the answer.
  void deliver(const JobState& job, const std::string& input);
  void close();

 private:
  using Key = std::pair<std::string, std::string>;  // job, request
  struct Work;

  void written(const Work& work);
  void try_again(const Key& key);

  static constexpr std::uint64_t kTryAgainMs = 5'000;

  Parts& parts_;
  std::set<Key> under_way_;
  std::set<Key> again_;
  std::unique_ptr<Timer> again_timer_;  // null once closed
  /// Shared with the work under way, which may end after this object.
  std::shared_ptr<bool> closed_ = std::make_shared<bool>(false);
};

}  // namespace luzia
