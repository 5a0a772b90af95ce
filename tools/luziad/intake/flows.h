// Flows: what clients ask about them as commands of the engine, and the steps that are handed over as jobs.
// Loop thread; rows are read on workers.
//
// A step's job is dispatched with a command id made of the flow, the step and the try, and the decider
// refuses a second job for a step: a daemon killed anywhere in between hands it over once.
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
  Flows(Parts& parts, Intake& intake, Rights& rights, Queries& queries, IdSource& ids);

  void create(const RequestId& to, const Caller& caller, const wire::CreateFlow& request);
  void act(const RequestId& to, const Caller& caller, const wire::ActOnFlow& request);
  /// The flows of these jobs by their full ids, on rows that are current. Errors beside unknown ones: they
  /// are not the caller's to direct.
  Status name_in_full(const Caller& caller, std::vector<std::unique_ptr<wire::DispatchJobT>>& jobs) const;
  /// The daemon stops: what waits is found again by the next one.
  void clear() { waiting_.clear(); }
  /// Of the engine: a step is ready to be handed over as a job.
  void step_ready(const Flow& flow, const view::FlowStepT& step);

 private:
  /// What would keep the step's job from being queued or from starting, as far as it is known now: else the
  /// step would fail when its turn comes.
  Status check_job(const Caller& caller, const std::string& project, const wire::FlowStepOrderT& step);
  /// The order to queue the step's job. Errors as of Intake::queue_job, and a start that is too large.
  Result<JobOrder> job_order(const Caller& caller, const wire::DispatchJobT& request, TimeUs now);
  Status may_act(const Caller& caller, const std::string& id, const wire::ActOnFlowT& request);
  /// Trouble was there when it was last tried.
  void take_up(const std::string& flow, const std::string& step);
  /// `prompt` has been read.
  void hand_over(const std::string& flow, const std::string& step, Result<std::string> prompt);
  void dispatch(const Flow& flow, const view::FlowStepT& step, std::string prompt);
  /// It cannot be handed over, and will not be: the step fails with that reason.
  void give_up(const std::string& flow, const std::string& step, const Error& why);

  Parts& parts_;
  Intake& intake_;
  Rights& rights_;
  Queries& queries_;
  IdSource& ids_;
  WaitingSteps waiting_;
};

}  // namespace luzia
