// What a caller may do to a job or flow that it sees: RunAs, asked about what is in the engine and the rows.
// Loop thread, on rows that are current.
#pragma once

#include <functional>
#include <string>

#include "tools/luziad/base/parts.h"
#include "tools/luziad/rights/run_as.h"

namespace luzia {

class Rights {
 public:
  Rights(const Parts& parts, RunAs& run_as) : parts_(parts), run_as_(run_as) {}

  /// What the caller's attempt makes of the request: sets its `scope` where the request is one that this
  /// attempt, which lives, may make. Errors, of callers whose account does not count here: `attempt_over`
  /// (refused), `not_for_agents` (refused).
  Status admit(Caller& caller, const std::function<bool(const AttemptScope&)>& may_attempt) const;
  /// To have the job go on, or to speak in its name. `what`: "retry", for the refusal (`user_not_allowed`).
  /// A job that is none is for the decision to refuse.
  Status may_go_on(const Caller& caller, const std::string& job, const std::string& what);
  /// To let the queue of a project go on: the same for each of its jobs that this would start.
  Status may_open_queue(const Caller& caller, const std::string& project);
  /// To say what becomes of a flow whose steps are dispatched.
  Status may_direct(const Caller& caller, const Flow& flow);
  /// The same for a flow by its id; one that is none, or dispatches nothing, is anybody's.
  Status may_direct(const Caller& caller, const std::string& flow);

 private:
  const Parts& parts_;
  RunAs& run_as_;
};

}  // namespace luzia
