// Intake: converts a client's request to a command with everything that the decision needs: ids, time, salts,
// and the configuration's values. Loop thread.
#pragma once

#include <functional>
#include <string>

#include "adapters/config/config.h"
#include "engine/base/ids.h"
#include "engine/core/engine.h"
#include "protocol.fb.h"
#include "tools/luziad/base/command_meta.h"
#include "tools/luziad/base/loop.h"
#include "tools/luziad/base/salted_text.h"
#include "tools/luziad/intake/job_permissions.h"
#include "tools/luziad/rights/run_as.h"
#include "tools/luziad/watching/patient_look.h"

namespace luzia {

/// Returns the project if the caller may act in it. `unknown_project`: a usage error for callers who see
/// every project. For others it is a refusal with the same text whether the project does not exist or is not
/// theirs, so that nobody learns which projects exist.
Result<const ProjectConfig*> find_project(const Config& config, const Caller& caller,
                                          const std::string& project);

class Intake {
 public:
  /// `refresh` reloads the configuration if its files have changed, and returns whether it did: an unknown
  /// name may have been added a moment ago.
  Intake(const Config& config, IdSource& ids, std::function<bool()> refresh = {})
      : config_(config), ids_(ids), refresh_(std::move(refresh)), run_as_(config) {}

  /// The command that queues one job. Errors (nothing changed): unknown project, agent, user; a missing
  /// directory (`no_directory`) or one that does not respond (`directory_silent`); bad priority, environment,
  /// tags, or an empty task.
  Result<ToJob> queue_job(const Caller& caller, const wire::DispatchJobT& request, TimeUs now);
  /// The command that tracks a task that Luzia did not dispatch, as its publisher's own. Error:
  /// unknown_project.
  Result<ToJob> track_task(const Caller& caller, const wire::PublishT& request, TimeUs now);
  /// What a tracked job begins with: its project, and the account that the caller's jobs run as. Error:
  /// unknown_project.
  Result<schema::JobSpecT> tracked_spec(const Caller& caller, const std::string& project);
  /// The command that tracks `work`, whose job gets its id here.
  ToJob track_work(schema::JobTrackedT work, std::string title, TimeUs now);
  RunAs& run_as() { return run_as_; }

 private:
  /// How long the loop waits for a directory's file system; less while another directory does not respond.
  static constexpr PatientLook::Patience kDirectoryPatience{std::chrono::milliseconds(2'000),
                                                            std::chrono::milliseconds(100)};
  Result<ToJob> checked_job(const Caller& caller, const wire::DispatchJobT& request, TimeUs now);
  Status fill_agent(schema::JobSpecT& spec, const AgentProfile& profile, const ProjectConfig& project,
                    const JobPermissions& permissions) const;
  /// Checks as the job's user, with the same answer if it does not exist and if that user may not look.
  Status check_directory(const wire::DispatchJobT& request, const std::string& path,
                         const JobAccount& account, TimeUs now);
  /// For verify_clean: `no_repository` (usage).
  Status check_repository(const wire::DispatchJobT& request, const std::string& path);

  const Config& config_;
  IdSource& ids_;
  std::function<bool()> refresh_;
  RunAs run_as_;
  std::string seen_directory_;  // the last one found, for which user, and when
  std::uint32_t seen_by_ = 0;
  TimeUs seen_at_ = 0;
  PatientLook directories_{is_directory, kDirectoryPatience};
  Salts salts_;
};

/// Whether the problem may pass by itself, so that it is no fact about the job.
bool may_pass(const Error& error);

}  // namespace luzia
