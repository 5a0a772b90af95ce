// Reads: answered from a consistent set of rows that includes everything acknowledged before. Loop thread;
// folding and scanning run on workers, a few at a time and the others in turn.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "protocol.fb.h"
#include "tools/luziad/base/parts.h"
#include "tools/luziad/queries/turns.h"

namespace luzia {

class Queries {
 public:
  explicit Queries(Parts& parts) : parts_(parts) {}

  void answer(const RequestId& to, const Caller& caller, const wire::Query& query);
  /// Sends the rows of these jobs (wait's answer).
  void send_jobs(const RequestId& to, const Caller& caller, std::vector<std::string> jobs);
  /// Full ids of ids, prefixes or @last among the jobs that the caller may see, by the name asked for, on
  /// rows that include everything decided so far; then `then` on the loop.
  void resolve_names(std::vector<std::string> names, const Caller& caller,
                     std::function<void(Result<std::map<std::string, std::string>>)> then);
  /// The same as a list: each job once, in the order of the names.
  void resolve(const std::vector<std::string>& names, const Caller& caller,
               std::function<void(Result<std::vector<std::string>>)> then);
  /// Start of the daemon: whoever asks from now on gets no answer until release(), or until very many do. A
  /// command that names a job waits too where the name is looked up, so it is decided later than it came: its
  /// `now` is that of the decision, as the times in the log must not go back.
  void hold() { held_.emplace(); }
  /// Those that wait are decided in the call, in the order they came: not to be called from within the
  /// engine.
  void release();
  /// `then` on the loop, once rows include everything decided so far (or with the commit's error).
  void when_current(std::function<void(Status)> then);

 private:
  void tell_waiting(const RequestId& to, const Caller& caller, const wire::QueryT& query);
  struct Work;
  void run(const RequestId& to, const Caller& caller, std::shared_ptr<wire::QueryT> query);
  std::shared_ptr<Work> work_of(const Caller& caller, std::shared_ptr<wire::QueryT> query) const;
  void run_on_worker(const RequestId& to, const std::shared_ptr<Work>& work);
  void reply(const RequestId& to, Work& work);

  /// Of the workers, which launches, cancels and the reading of output need too.
  static constexpr std::size_t kMostAtOnce = 3;
  Parts& parts_;
  Turns turns_{kMostAtOnce};
  std::optional<std::vector<std::function<void(Status)>>> held_;  // those that asked meanwhile
};

}  // namespace luzia
