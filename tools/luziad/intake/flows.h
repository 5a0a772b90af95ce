// Flows: converts clients' requests to engine commands, and dispatches steps as jobs. Loop thread; rows are
// read on workers.
//
// A step's job is dispatched with a command id made of the flow, the step and the try, and the decider
// refuses a second job for a step. So a daemon killed at any point dispatches it once.
#pragma once

#include <string>

#include "engine/base/ids.h"
#include "tools/luziad/intake/intake.h"
#include "tools/luziad/queries/queries.h"
#include "tools/luziad/queries/waiting_steps.h"
#include "tools/luziad/rights/rights.h"

namespace luzia {

class Flows {
 public:
  Flows(const Threads& threads, const Store& store, const Desk& desk, Intake& intake, Rights& rights,
        Queries& queries, IdSource& ids);

  Status create(const RequestId& to, const Caller& caller, const wire::CreateFlow& request);
  Status act(const RequestId& to, const Caller& caller, const wire::ActOnFlow& request);
  /// Replaces abbreviated flow ids in these jobs by full ids, using current rows. Errors: an unknown flow, or
  /// one that the caller may not direct.
  Status name_in_full(const Caller& caller, std::vector<std::unique_ptr<wire::DispatchJobT>>& jobs) const;
  /// The daemon stops; the next one finds waiting steps again.
  void clear() { waiting_.clear(); }
  /// Called by the engine: a step is ready to be dispatched as a job.
  void step_ready(const Flow& flow, const view::FlowStepT& step);

 private:
  /// Checks early what is already known to keep the step's job from being queued or started. Otherwise the
  /// step would fail when its turn comes. `no_program` (refused): its agent is not installed.
  Status check_job(const Caller& caller, const std::string& project, const wire::NewFlowStepT& step,
                   bool dry_run);
  /// The command that queues the step's job. Errors: those of Intake::queue_job, and a start that is too
  /// large.
  Result<ToJob> job_command(const Caller& caller, const wire::DispatchJobT& request, TimeUs now);
  Status may_act(const Caller& caller, const std::string& id, const wire::ActOnFlowT& request);
  /// Retries a step after a temporary problem.
  void take_up(const std::string& flow, const std::string& step);
  /// `prompt` has been read.
  void prompt_read(const std::string& flow, const std::string& step, Result<std::string> prompt);
  void dispatch(const Flow& flow, const view::FlowStepT& step, std::string prompt);
  /// The step can never be dispatched: it fails with that reason.
  void give_up(const std::string& flow, const std::string& step, const Error& why);

  Threads threads_;
  Store store_;
  Desk desk_;
  Intake& intake_;
  Rights& rights_;
  Queries& queries_;
  IdSource& ids_;
  WaitingSteps waiting_;
};

}  // namespace luzia
