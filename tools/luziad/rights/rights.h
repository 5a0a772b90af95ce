// What a caller may do to a job or flow that it can see: applies RunAs to the engine's state and the rows.
// Loop thread, on current rows.
#pragma once

#include <functional>
#include <string>

#include "engine/core/engine.h"
#include "engine/view/view_store.h"
#include "tools/luziad/base/caller.h"
#include "tools/luziad/rights/run_as.h"

namespace luzia {

class Rights {
 public:
  Rights(const Engine& engine, const ViewStore& views, RunAs& run_as)
      : engine_(engine), views_(views), run_as_(run_as) {}

  /// Sets the caller's `scope` if its attempt lives and may make this request. Errors, for callers whose
  /// account grants no rights here: `attempt_over` (refused), `not_for_agents` (refused).
  Status admit(Caller& caller, const std::function<bool(const AttemptScope&)>& may_attempt) const;
  /// Whether the caller may let the job continue, or act in its name. `what`: "retry", for the error message
  /// (`user_not_allowed`). An unknown job passes: the decision refuses it.
  Status may_go_on(const Caller& caller, const std::string& job, const std::string& what);
  /// Whether an order of a fleet may let the job continue. An unknown job passes, too.
  Status may_order(const std::string& job);
  /// Whether the caller may resume a project's queue: may_go_on() for each of its jobs that this would start.
  Status may_open_queue(const Caller& caller, const std::string& project);
  /// Whether the caller may direct a flow whose steps are dispatched.
  Status may_direct(const Caller& caller, const Flow& flow);
  /// The same by the flow's id. Everyone may direct an unknown flow, or one that dispatches nothing.
  Status may_direct(const Caller& caller, const std::string& flow);

 private:
  /// Of a job that lives or has ended; none: an unknown one.
  Status with_spec(const std::string& job, const std::function<Status(const schema::JobSpecT&)>& check) const;

  const Engine& engine_;
  const ViewStore& views_;
  RunAs& run_as_;
};

}  // namespace luzia
