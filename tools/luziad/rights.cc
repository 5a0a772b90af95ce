#include "tools/luziad/rights.h"

#include "projections/flows.h"
#include "projections/live_jobs.h"

namespace luzia {

Status Rights::may_go_on(const Caller& caller, const std::string& job, const std::string& what) {
  if (caller.trusted) return {};
  if (const JobState* live = parts_.engine.find_live(job))
    return run_as_.may_go_on(caller, job, *live->spec, what);
  const auto ended = find_job_state(*parts_.views.snapshot(), job);
  return ended && ended->spec ? run_as_.may_go_on(caller, job, *ended->spec, what) : Status();
}

Status Rights::may_open_queue(const Caller& caller, const std::string& project) {
  if (caller.trusted) return {};
  for (const auto& [id, job] : parts_.engine.live_jobs()) {
    const bool waits = job.state == schema::JobState::queued && job.spec->project == project;
    const Status may = waits ? run_as_.may_go_on(caller, id, *job.spec, "start") : Status();
    if (!may) return may;
  }
  return {};
}

Status Rights::may_direct(const Caller& caller, const Flow& flow) {
  if (caller.trusted || !flow.runs) return {};
  return run_as_.may_direct(caller, flow.id, flow.project, flow.uid, flow.user);
}

Status Rights::may_direct(const Caller& caller, const std::string& flow) {
  if (caller.trusted) return {};
  if (const Flow* live = parts_.engine.find_live_flow(flow)) return may_direct(caller, *live);
  const auto stored = find_flow_state(*parts_.views.snapshot(), flow);
  return stored ? may_direct(caller, *stored) : Status();
}

}  // namespace luzia
