// Who may have something run as whom: the one place that decides. Whoever makes something run (a new job, a
// retry, an answer that lets an agent go on, a step of a flow) must be allowed to run as its user; whoever
// only stops something need not. tools/docs/who-may.md lists every command. Loop thread.
//
// Rejected: asking who may see a project alone. Those whom it lists would run as whoever else works there,
// root included.
#pragma once

#include <map>
#include <optional>

#include "job.fb.h"
#include "tools/luziad/base/caller.h"

namespace luzia {

/// The rule, for a caller who may use the project. `project_uid`: of its `user`, if it names one;
/// `daemon_uid`: ours. Root may have anything run as anybody, and so may the daemon's own user, whose jobs
/// are all its own. A daemon of a user runs everything as itself, for all that its projects list. With a
/// daemon of root it is oneself, or the project's user; never root.
bool may_run_as(const Caller& caller, std::uint32_t uid, std::optional<std::uint32_t> project_uid,
                std::uint32_t daemon_uid);

/// An entry of the user database.
struct Account {
  std::string name, home;
  std::uint32_t uid = 0, gid = 0;
};

class RunAs {
 public:
  explicit RunAs(const Config& config) : config_(config) {}

  /// Whom a new job of the project runs as: `named`, else the project's user, else the caller (of a daemon of
  /// root) or the daemon's user. Errors: `unknown_user` (usage), `user_not_allowed` (refused).
  Result<Account> account_for(const Caller& caller, const std::string& project, const std::string& named);
  /// Whether the caller may have the job of that `spec` go on. `what`: "retry". `user_not_allowed`.
  Status may_go_on(const Caller& caller, const std::string& job, const schema::JobSpecT& spec,
                   const std::string& what);
  /// The same for a flow, whose steps run in the name of `uid`.
  Status may_direct(const Caller& caller, const std::string& flow, const std::string& project,
                    std::uint32_t uid, const std::string& user);
  /// Looks users up again (the configuration or the user database has changed).
  void forget_accounts();

 private:
  std::optional<Account> find(const std::string& name);
  const Account& by_uid(std::uint32_t uid);
  /// Nothing where the project names no user, or one that is no account.
  std::optional<std::uint32_t> uid_of_project(const std::string& project);

  const Config& config_;
  std::map<std::uint32_t, Account> accounts_;  // a look-up in the user database may be slow
  std::map<std::string, std::uint32_t> uids_;
};

}  // namespace luzia
