// Decides, in this one place, who may run something as whom. To make something run (a new job, a retry, an
// answer that lets an agent continue, a flow step), a caller must be allowed to run as its user. To only stop
// something, that is not needed. tools/docs/who-may.md lists every command. Loop thread.
//
// Rejected: checking only who may see a project. Its listed users would run as anyone else who works there,
// including root.
#pragma once

#include <map>
#include <optional>

#include "job.fb.h"
#include "tools/luziad/base/caller.h"

namespace luzia {

/// The rule, for a caller who may use the project. `project_uid`: the project's `user`, if set; `daemon_uid`:
/// ours. Root may run anything as anybody. So may the daemon's own user, to whom all its jobs belong. A
/// user's daemon runs everything as itself, for everyone that its projects list. With root's daemon, a caller
/// may run as themselves or as the project's user, but never as root.
bool may_run_as(const Caller& caller, std::uint32_t uid, std::optional<std::uint32_t> project_uid,
                std::uint32_t daemon_uid);

/// The rule for orders of a fleet, which come from luzia-fleet and thus from root where the daemon is root's:
/// there, they run as nobody but the project's `user`. Else whoever may order would be root.
bool may_run_for_order(std::uint32_t uid, std::optional<std::uint32_t> project_uid, std::uint32_t daemon_uid);

/// An entry of the user database, as whom a job may run.
struct JobAccount {
  std::string name, home;
  std::uint32_t uid = 0, gid = 0;
};

class RunAs {
 public:
  explicit RunAs(const Config& config) : config_(config) {}

  /// The account of a new job: `named`, else the project's user, else the caller (root's daemon) or the
  /// daemon's user. Errors: `unknown_user` (usage), `user_not_allowed` (refused).
  Result<JobAccount> account_for(const Caller& caller, const std::string& project, const std::string& named);
  /// Whether the caller may let the job with that `spec` continue. `what`: "retry". `user_not_allowed`.
  Status may_go_on(const Caller& caller, const std::string& job, const schema::JobSpecT& spec,
                   const std::string& what);
  /// Whether an order of a fleet may run something of the project as `uid`, which is `user`.
  /// `order_needs_user` (refused).
  Status may_order(const std::string& project, std::uint32_t uid, const std::string& user);
  /// may_go_on() for a flow whose steps run as `uid`.
  Status may_direct(const Caller& caller, const std::string& flow, const std::string& project,
                    std::uint32_t uid, const std::string& user);
  /// Drops cached accounts (the configuration or the user database has changed).
  void forget_accounts();

 private:
  std::optional<JobAccount> find(const std::string& name);
  const JobAccount& by_uid(std::uint32_t uid);
  /// nullopt: the project names no user, or one without an account.
  std::optional<std::uint32_t> uid_of_project(const std::string& project);

  const Config& config_;
  std::map<std::uint32_t, JobAccount> accounts_;  // cached: querying the user database may be slow
  std::map<std::string, std::uint32_t> uids_;
};

}  // namespace luzia
