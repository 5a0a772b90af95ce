// Requests about jobs: dispatching them, people's commands on them, and agents' reports. Loop thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/hash.h"
#include "tools/luziad/attempts/prompts.h"
#include "tools/luziad/intake/flows.h"
#include "tools/luziad/intake/intake.h"
#include "tools/luziad/intake/report_rate.h"
#include "tools/luziad/watching/tracked_jobs.h"

namespace luzia {

class JobRequests {
 public:
  JobRequests(const Store& store, const Desk& desk, Intake& intake, Rights& rights, Queries& queries,
              Flows& flows, const Prompts& prompts, TrackedJobs& tracked, const Hash& env_key)
      : store_(store),
        desk_(desk),
        intake_(intake),
        rights_(rights),
        queries_(queries),
        flows_(flows),
        prompts_(prompts),
        tracked_(tracked),
        env_key_(env_key) {}

  static Status check_dispatch(const Caller& caller, const wire::Dispatch& request);
  static Status check_act(const Caller& caller, const wire::ActOnJobs& request);
  static Status check_preview(const Caller& caller, const wire::PreviewPrompt& request);
  Status dispatch(const RequestId& to, const Caller& caller, const wire::Dispatch& request);
  Status act(const RequestId& to, const Caller& caller, const wire::ActOnJobs& request);
  Status attach(const RequestId& to, const Caller& caller, const wire::AttachJob& request);
  Status publish(const RequestId& to, const Caller& caller, const wire::Publish& request);
  /// About a task that Luzia did not dispatch, which a TaskStarted begins.
  Status publish_of_task(const RequestId& to, const Caller& caller, const wire::Publish& request);
  Status preview(const RequestId& to, const Caller& caller, const wire::PreviewPrompt& request);

 private:
  /// Whether the job may be queued; for a dry run also what it would be, as JSON. `agent_asked`: the request
  /// names the agent.
  Result<std::string> try_queued(const QueueJob& job, bool agent_asked, bool dry_run, TimeUs now) const;
  Status report(const RequestId& to, const CommandMeta& meta, const std::string& job,
                const wire::PublishT& request);
  /// Runs `then` once the logs of those that are tracked were read on.
  void when_read(const std::vector<std::string>& jobs, std::function<void()> then);
  /// The tasks under way that Luzia did not dispatch.
  std::vector<const JobState*> live_tasks();
  /// The live job of a task; empty: there is none. Of several the caller's own. Errors: `no_such_task`,
  /// `ambiguous_task`.
  Result<std::string> find_task(const Caller& caller, const wire::PublishT& request);
  /// Error `too_many_tasks` (refused).
  Status has_room_for(const TrackTask& task);

  Store store_;
  Desk desk_;
  Intake& intake_;
  Rights& rights_;
  Queries& queries_;
  Flows& flows_;
  const Prompts& prompts_;
  TrackedJobs& tracked_;
  Hash env_key_;  // seals environments of dispatches
  ReportRate rate_;
  /// Jobs of tasks that Luzia did not dispatch, and whether the beginning of each is durable or was refused.
  /// Some may have ended. Unset until the first is asked for.
  std::optional<std::map<std::string, bool>> tasks_;
};

}  // namespace luzia
