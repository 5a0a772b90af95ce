// Intake: what a client asks for becomes a command with everything in it that the decision needs: ids, time,
// salts, and the configuration's values. Loop thread.
#pragma once

#include <functional>
#include <string>

#include "adapters/config/config.h"
#include "engine/base/ids.h"
#include "engine/core/engine.h"
#include "protocol.fb.h"
#include "tools/luziad/base/command_meta.h"
#include "tools/luziad/base/loop.h"
#include "tools/luziad/rights/run_as.h"
#include "tools/luziad/watching/patient_look.h"

namespace luzia {

/// The project in which the caller may have something done. `unknown_project`: bad usage from those who see
/// every project; refused to others, in one answer for a project that is not theirs and one that is none, so
/// that nobody learns which there are.
Result<const ProjectConfig*> find_project(const Config& config, const Caller& caller,
                                          const std::string& project);

class Intake {
 public:
  /// `refresh` reads the configuration again when its files have changed, and says whether it did: a name
  /// that is not known may have been written a moment ago.
  Intake(const Config& config, IdSource& ids, std::function<bool()> refresh = {})
      : config_(config), ids_(ids), refresh_(std::move(refresh)), run_as_(config) {}

  /// The order to queue one job. Errors (nothing changed): unknown project, agent, user; missing directory
  /// (`no_directory`) or one that does not answer (`directory_silent`); bad priority, environment, tags or
  /// empty task.
  Result<JobOrder> queue_job(const Caller& caller, const wire::DispatchJobT& request, TimeUs now);
  RunAs& run_as() { return run_as_; }

 private:
  /// So long the loop waits for a directory's file system; less while another directory has not answered.
  static constexpr PatientLook::Patience kDirectoryPatience{std::chrono::milliseconds(2'000),
                                                            std::chrono::milliseconds(100)};
  Result<JobOrder> order_of(const Caller& caller, const wire::DispatchJobT& request, TimeUs now);
  Status fill_agent(schema::JobSpecT& spec, const AgentProfile& profile) const;
  /// As the job's user sees it: one answer where there is none and where they may not look.
  Status check_directory(const wire::DispatchJobT& request, const std::string& path, const Account& account,
                         TimeUs now);
  Blob salted(std::uint32_t index, std::string content);

  const Config& config_;
  IdSource& ids_;
  std::function<bool()> refresh_;
  RunAs run_as_;
  std::string seen_directory_;  // the last one found to exist, by whom, and when
  std::uint32_t seen_by_ = 0;
  TimeUs seen_at_ = 0;
  PatientLook directories_{is_directory, kDirectoryPatience};
  std::string salts_;  // random bytes not yet given out: a call of the kernel for each job costs more
};

/// Whether what a dispatch lacked may be there in a moment: that is no fact about the job.
bool may_pass(const Error& error);

}  // namespace luzia
