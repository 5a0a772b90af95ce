#include "tools/luziad/rights/rights.h"

#include "projections/flows.h"
#include "projections/live_jobs.h"

namespace luzia {

Status Rights::admit(Caller& caller, const std::function<bool(const AttemptScope&)>& may_attempt) const {
  const JobState* job = caller.job.empty() ? nullptr : engine_.find_live(caller.job);
  const bool lives = job != nullptr && job->attempt == caller.attempt && !job->attempt_over &&
                     (job->state == schema::JobState::starting || job->state == schema::JobState::running ||
                      job->state == schema::JobState::waiting);
  const schema::JobSpecT* spec = lives ? job->spec.get() : nullptr;
  if (spec != nullptr) {
    AttemptScope own{caller.job, spec->project, spec->flow, spec->step};
    if (may_attempt(own)) caller.scope = std::move(own);
  }
  if (caller.admitted || caller.scope) return {};
  if (spec == nullptr) {
    return fail(ErrorKind::refused, "attempt_over",
                "attempt " + std::to_string(caller.attempt) + " of job " + caller.job +
                    " is over: its credential does not count any more",
                "what an attempt leaves behind cannot speak for its job");
  }
  const std::string else_what = spec->sandbox
                                    ? "it is in a sandbox, where no account counts"
                                    : "else [projects." + spec->project + "] users must list " + caller.name;
  return fail(
      ErrorKind::refused, "not_for_agents",
      "the agent of job " + caller.job + " may not do that: " + caller.name + " speaks for this job only",
      "it may publish, ask, request approvals and read its own job; " + else_what);
}

Status Rights::with_spec(const std::string& job,
                         const std::function<Status(const schema::JobSpecT&)>& check) const {
  if (const JobState* live = engine_.find_live(job)) return check(*live->spec);
  const auto ended = find_job_state(*views_.snapshot(), job);
  return ended && ended->spec ? check(*ended->spec) : Status();
}

Status Rights::may_go_on(const Caller& caller, const std::string& job, const std::string& what) {
  if (caller.trusted || caller.speaks_for(job)) return {};
  return with_spec(job, [&](const auto& spec) { return run_as_.may_go_on(caller, job, spec, what); });
}

Status Rights::may_order(const std::string& job) {
  return with_spec(job,
                   [&](const auto& spec) { return run_as_.may_order(spec.project, spec.uid, spec.user); });
}

Status Rights::may_open_queue(const Caller& caller, const std::string& project) {
  if (caller.trusted) return {};
  for (const auto& [id, job] : engine_.live_jobs()) {
    const bool waits = job.state == schema::JobState::queued && job.spec->project == project;
    const Status may = waits ? run_as_.may_go_on(caller, id, *job.spec, "start") : Status();
    if (!may) return may;
  }
  return {};
}

Status Rights::may_direct(const Caller& caller, const Flow& flow) {
  if (caller.trusted || !flow.runs || (caller.scope && caller.scope->flow == flow.id)) return {};
  return run_as_.may_direct(caller, flow.id, flow.project, flow.uid, flow.user);
}

Status Rights::may_direct(const Caller& caller, const std::string& flow) {
  if (caller.trusted) return {};
  if (const Flow* live = engine_.flows().find(flow)) return may_direct(caller, *live);
  const auto stored = find_flow_state(*views_.snapshot(), flow);
  return stored ? may_direct(caller, *stored) : Status();
}

}  // namespace luzia
