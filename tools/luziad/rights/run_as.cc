#include "tools/luziad/rights/run_as.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

namespace luzia {
namespace {

tl::unexpected<Error> not_allowed(const Caller& caller, const std::string& what, const std::string& user,
                                  const std::string& own) {
  return fail(ErrorKind::refused, "user_not_allowed",
              caller.name + " may not " + what + ", which runs as " + user,
              "ask " + user + " or root; of your own is " + own);
}

}  // namespace

bool may_run_as(const Caller& caller, std::uint32_t uid, std::optional<std::uint32_t> project_uid,
                std::uint32_t daemon_uid) {
  if (caller.trusted) return true;
  if (daemon_uid != 0) return uid == daemon_uid;
  return uid != 0 && (uid == caller.uid || uid == project_uid);
}

bool may_run_for_order(std::uint32_t uid, std::optional<std::uint32_t> project_uid,
                       std::uint32_t daemon_uid) {
  return daemon_uid != 0 || project_uid == uid;
}

void RunAs::forget_accounts() {
  accounts_.clear();
  uids_.clear();
}

const JobAccount& RunAs::by_uid(std::uint32_t uid) {
  const auto it = accounts_.find(uid);
  if (it != accounts_.end()) return it->second;
  JobAccount account{std::to_string(uid), "/", uid, static_cast<std::uint32_t>(getegid())};
  if (const passwd* entry = getpwuid(uid)) {
    account = {entry->pw_name, entry->pw_dir, entry->pw_uid, entry->pw_gid};
  }
  // The environment may override one's own home, as for every other program.
  if (const char* home = getenv("HOME"); home != nullptr && home[0] == '/' && uid == geteuid())
    account.home = home;
  return accounts_.emplace(uid, std::move(account)).first->second;
}

std::optional<JobAccount> RunAs::find(const std::string& name) {
  if (const auto it = uids_.find(name); it != uids_.end()) return by_uid(it->second);
  const passwd* entry = getpwnam(name.c_str());
  if (entry == nullptr) return std::nullopt;
  return by_uid(uids_.emplace(name, entry->pw_uid).first->second);
}

std::optional<std::uint32_t> RunAs::uid_of_project(const std::string& project) {
  const auto it = config_.projects.find(project);
  if (it == config_.projects.end() || it->second.user.empty()) return std::nullopt;
  const auto account = find(it->second.user);
  return account ? std::optional(account->uid) : std::nullopt;
}

Result<JobAccount> RunAs::account_for(const Caller& caller, const std::string& project,
                                      const std::string& named) {
  const std::uint32_t own = geteuid();
  const auto it = config_.projects.find(project);
  const std::string of_project = it != config_.projects.end() ? it->second.user : std::string();
  const std::string& name = named.empty() ? of_project : named;
  if (name.empty()) {
    const JobAccount& account = by_uid(own == 0 ? caller.uid : own);
    if (may_run_as(caller, account.uid, std::nullopt, own)) return account;
    return fail(ErrorKind::refused, "user_not_allowed",
                "a device of single projects runs nothing as " + account.name,
                "set [projects." + project + "] user, or pair the device without --project");
  }
  const auto account = find(name);
  if (!account) {
    return fail(ErrorKind::usage, "unknown_user", "there is no user '" + name + "' on this machine",
                named.empty() ? "correct user of [projects." + project + "] in luzia.toml" : "");
  }
  if (own != 0 && account->uid != own) {
    return fail(ErrorKind::refused, "user_not_allowed",
                caller.name + " cannot run jobs as '" + name + "'" +
                    (named.empty() ? ", which is user of [projects." + project + "]" : "") +
                    ": this daemon is not root",
                "it runs jobs as itself");
  }
  if (!may_run_as(caller, account->uid, uid_of_project(project), own)) {
    return fail(ErrorKind::refused, "user_not_allowed",
                caller.name + " may not run jobs as '" + account->name + "'",
                "only root may name another user; without --user the job runs as " +
                    (of_project.empty() ? caller.name : of_project));
  }
  return *account;
}

Status RunAs::may_go_on(const Caller& caller, const std::string& job, const schema::JobSpecT& spec,
                        const std::string& what) {
  if (may_run_as(caller, spec.uid, uid_of_project(spec.project), geteuid())) return {};
  return not_allowed(caller, what + " job " + job, spec.user,
                     "what you dispatch: luzia dispatch " + spec.project + " TASK");
}

Status RunAs::may_order(const std::string& project, std::uint32_t uid, const std::string& user) {
  if (may_run_for_order(uid, uid_of_project(project), geteuid())) return {};
  const auto it = config_.projects.find(project);
  const bool names_one = it != config_.projects.end() && !it->second.user.empty();
  return fail(
      ErrorKind::refused, "order_needs_user",
      "this daemon is root, and runs no order of a fleet as " + user + ": [projects." + project + "] " +
          (names_one ? "has the user " + it->second.user : "names no user"),
      "set user in [projects." + project + "] of that machine's luzia.toml to whom its orders run as");
}

Status RunAs::may_direct(const Caller& caller, const std::string& flow, const std::string& project,
                         std::uint32_t uid, const std::string& user) {
  const std::uint32_t own = geteuid();
  const auto of_project = uid_of_project(project);
  // Its steps name no user: the project's user has precedence over the flow's owner.
  const std::uint32_t steps = own != 0 ? own : of_project.value_or(uid);
  if (may_run_as(caller, steps, of_project, own)) return {};
  return not_allowed(caller, "direct flow " + flow, user, "what you create: luzia flow create");
}

}  // namespace luzia
