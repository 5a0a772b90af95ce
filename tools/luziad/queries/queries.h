// Answers reads from a consistent set of rows that includes everything acknowledged before. Loop thread;
// folding and scanning run on workers, a few at a time; further queries wait for their turn.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "adapters/output_log/output_watcher.h"
#include "protocol.fb.h"
#include "tools/luziad/base/desk.h"
#include "tools/luziad/base/loop.h"
#include "tools/luziad/base/store.h"
#include "tools/luziad/queries/live_memory.h"
#include "tools/luziad/queries/turns.h"

namespace luzia {

/// Calls `then` on the loop once the rows include everything decided so far, or with the commit's error.
void when_current(Engine& engine, const Store& store, std::function<void(Status)> then);

class Queries {
 public:
  Queries(const Threads& threads, const Store& store, const Desk& desk, const OutputWatcher& watcher)
      : threads_(threads), store_(store), desk_(desk), watcher_(watcher) {}

  Status answer(const RequestId& to, const Caller& caller, const wire::Query& query);
  /// Sends the rows of these jobs (the answer to wait).
  void send_jobs(const RequestId& to, const Caller& caller, std::vector<std::string> jobs);
  /// Resolves ids, prefixes and @last to full ids, among the jobs that the caller may see, on rows that
  /// include everything decided so far. Calls `then` on the loop with the full ids by requested name.
  void resolve_names(std::vector<std::string> names, const Caller& caller,
                     std::function<void(Result<std::map<std::string, std::string>>)> then);
  /// The same as a list: each job once, in the order of the names.
  void resolve(const std::vector<std::string>& names, const Caller& caller,
               std::function<void(Result<std::vector<std::string>>)> then);
  /// The same for an answer to `to`, which is refused if a name has no job or `then` fails.
  Status resolve(const RequestId& to, const std::vector<std::string>& names, const Caller& caller,
                 std::function<Status(std::vector<std::string>)> then);
  /// At the daemon's start: holds all answers until release(), or until very many wait. A command that names
  /// a job also waits, when the name is looked up, so it is decided later than it arrived. Its `now` is the
  /// time of the decision, because times in the log must not go back.
  void hold() { held_.emplace(); }
  /// Decides the waiting requests within this call, in order of arrival. Do not call it from within the
  /// engine.
  void release();
  /// Calls luzia::when_current(), but not while answers are held.
  void when_current(std::function<void(Status)> then);
  /// The same for an answer to `to`, which is refused with the commit's error or the one of `then`.
  Status when_current(const RequestId& to, std::function<Status()> then);

 private:
  Status send_waiting(const RequestId& to, const Caller& caller, const wire::QueryT& query);
  struct Work;
  void run(const RequestId& to, const Caller& caller, std::shared_ptr<wire::QueryT> query);
  std::shared_ptr<Work> work_of(const Caller& caller, std::shared_ptr<wire::QueryT> query) const;
  void run_on_worker(const RequestId& to, const std::shared_ptr<Work>& work);
  void look_at_memory(Work& work);
  void reply(const RequestId& to, Work& work);

  /// The most workers used; launches, cancels and the reading of output need some too.
  static constexpr std::size_t kMostAtOnce = 3;
  Threads threads_;
  Store store_;
  Desk desk_;
  const OutputWatcher& watcher_;
  Turns turns_{kMostAtOnce};
  LiveMemory memory_;
  std::optional<std::vector<std::function<void(Status)>>> held_;  // requests that wait
};

}  // namespace luzia
