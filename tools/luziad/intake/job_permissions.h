// The permissions of a new job: who may choose them, and what they add to its agent's command. Plain values,
// any thread.
//
// The project's setting, else the agent's, else `edits`, applies to everyone's jobs. A member may narrow it;
// to widen it takes root or the daemon's own user, and never a job's agent.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "adapters/config/config.h"
#include "protocol.fb.h"
#include "tools/luziad/base/caller.h"

namespace luzia {

struct NamedProfile {
  const std::string& name;
  const AgentProfile& profile;
};

class JobPermissions {
 public:
  /// For an agent whose program takes no permissions.
  JobPermissions() = default;
  /// `named`: somebody chose the level, so that a command without a place for it gets it too.
  JobPermissions(const Agent& agent, Permissions level, bool named);
  /// For a job in a sandbox of ours.
  void take_sandboxed(const Agent& agent);

  /// The command with the agent's options. One without kPermissionsPlace stays as it was written unless the
  /// level was named.
  std::vector<std::string> in(const std::vector<std::string>& command) const;
  const std::map<std::string, std::string>& variables() const { return options_.env; }
  /// Whether the sandbox must keep the project from changes, because the agent does not.
  bool only_reads() const { return options_.only_reads; }
  /// Empty: none that luzia knows of.
  std::string word() const;

 private:
  PermissionOptions options_;
  std::optional<Permissions> level_;
  bool named_ = false;
};

/// Whether the caller may give a job more than the configuration does. A job's agent has the rights of its
/// account, which may be the daemon's own: it must not hand itself more than it was given. Nor does a device
/// get more.
bool may_widen(const Caller& caller, const wire::DispatchJobT& request);

/// `sandboxed`: a sandbox of ours will hold the agent. Errors: `bad_permissions` (usage): no such word;
/// `no_permissions` (usage): the request names some, but the agent's program has none to choose, or a person
/// will sit at its terminal; `permissions_too_wide` (refused).
Result<JobPermissions> permissions_of(const Caller& caller, const wire::DispatchJobT& request,
                                      const ProjectConfig& project, const NamedProfile& agent,
                                      bool sandboxed = false);

}  // namespace luzia
