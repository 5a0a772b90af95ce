// Delivers answers to agents that asked by file: writes response.json and approved.json into the job
// directory and confirms the delivery to the engine. Failed writes are retried; a rewrite gives the same
// bytes. Before a new request reaches the engine, it removes the answer to an earlier one, which the agent
// would take for the new one's. Loop thread; file and log access on workers.
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
#include "engine/core/engine.h"
#include "engine/log/event_log.h"
#include "tools/luziad/base/follower.h"
#include "tools/luziad/base/job_warning.h"
#include "tools/luziad/base/loop.h"

namespace luzia {

class AnswerFiles final : public Follower {
 public:
  AnswerFiles(const Threads& threads, const EventLog& log, Engine& engine)
      : workers_(threads.workers),
        log_(log),
        engine_(engine),
        again_timer_(std::make_unique<Timer>(threads.loop)) {}

  /// Delivers the answer to a request. Writes it only while the request's file is unchanged: an agent that
  /// asks something else by now must not take this for the answer.
  void deliver(const JobState& job, const std::string& input) { deliver(job, input, When::always); }
  /// The same if another answer is in its place. If the agent has removed the answer, it has read it.
  void deliver_in_place(const JobState& job, const std::string& input) {
    deliver(job, input, When::another_lies);
  }

  struct Cleared {
    bool stands = false;   // the request's file is still as found
    bool removed = false;  // an answer was there
    std::optional<Error> error;
  };
  /// `found` is in the job's file and unanswered, so an existing answer belongs to another request and is
  /// removed. Meanwhile no delivery of that job runs that could put it back. `then` is not called after
  /// close().
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

  Workers& workers_;
  const EventLog& log_;
  Engine& engine_;
  std::set<Key> under_way_;
  std::set<Key> again_;
  std::map<std::string, std::deque<std::shared_ptr<Clearing>>>
      clearings_;                       // by job; the first may be in progress
  std::map<Key, When> held_;            // until its job's clearings are done
  std::unique_ptr<Timer> again_timer_;  // null once closed
  /// Shared with work in progress, which may outlive this object.
  std::shared_ptr<bool> closed_ = std::make_shared<bool>(false);
};

}  // namespace luzia
