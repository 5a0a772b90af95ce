// Tells agents that asked by a file: writes response.json and approved.json into the job directory and
// confirms that to the engine. What cannot be written is written later; nothing is lost, and written again it
// is the same bytes. Takes away the answer to an earlier request before another one is put to the engine: its
// agent would take it for the new one's. Loop thread; files and log on workers.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "adapters/inputs/request_file.h"
#include "tools/luziad/base/follower.h"
#include "tools/luziad/base/job_warning.h"
#include "tools/luziad/base/parts.h"

namespace luzia {

class AnswerFiles final : public Follower {
 public:
  explicit AnswerFiles(Parts& parts) : parts_(parts), again_timer_(std::make_unique<Timer>(parts.loop)) {}

  /// The request is answered. Written only while the file that it came from still says so: an agent that asks
  /// something else by now must not take this for the answer.
  void deliver(const JobState& job, const std::string& input) { deliver(job, input, When::always); }
  /// The same, where another answer lies in its place; an agent that has removed it has read it.
  void deliver_in_place(const JobState& job, const std::string& input) {
    deliver(job, input, When::another_lies);
  }

  struct Cleared {
    bool stands = false;   // the file still is as it was found
    bool removed = false;  // an answer lay there
    std::optional<Error> error;
  };
  /// `found` stands in the job's file and is not answered: what lies there as an answer belongs to something
  /// else, and goes. No delivery of the job is under way meanwhile: none can put it back. `then` is not
  /// called after close().
  void clear(const JobState& job, view::InputKind kind, const RequestFile& found,
             std::function<void(const Cleared&)> then);
  void close() override;

 private:
  using Key = std::pair<std::string, std::string>;  // job, request
  enum class When { always, another_lies };
  struct Work;
  struct Clearing;

  void deliver(const JobState& job, const std::string& input, When when);
  bool is_delivering(const std::string& job) const;
  void clear_next(const std::string& job);
  void cleared(const std::string& job, const Clearing& clearing);
  void written(const Work& work);
  void try_again(const Key& key);

  static constexpr std::uint64_t kTryAgainMs = 5'000;

  Parts& parts_;
  std::set<Key> under_way_;
  std::set<Key> again_;
  std::map<std::string, std::deque<std::shared_ptr<Clearing>>>
      clearings_;                       // by job; the first may be under way
  std::map<Key, When> held_;            // until its job's clearings are over
  std::unique_ptr<Timer> again_timer_;  // null once closed
  /// Shared with the work under way, which may end after this object.
  std::shared_ptr<bool> closed_ = std::make_shared<bool>(false);
};

}  // namespace luzia
