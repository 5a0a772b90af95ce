#include "tools/luziad/intake/job_permissions.h"

namespace luzia {
namespace {

Result<Permissions> parsed(const std::string& word) {
  if (const auto level = parse_permissions(word)) return *level;
  return fail(ErrorKind::usage, "bad_permissions", "no permissions are called '" + word + "'",
              "plan, ask, edits or bypass");
}

const std::string& word_of(Permissions level) {
  return permission_words()[static_cast<std::size_t>(level)];
}

}  // namespace

bool may_widen(const Caller& caller, const wire::DispatchJobT& request) {
  const bool is_own = request.parent_job.empty() && request.order.empty();
  return caller.trusted && !caller.device && caller.job.empty() && is_own;
}

JobPermissions::JobPermissions(const Agent& agent, Permissions level, bool named)
    : level_(level), named_(named) {
  if (const auto found = agent.permissions.find(level); found != agent.permissions.end()) {
    options_ = found->second;
  }
}

void JobPermissions::take_sandboxed(const Agent& agent) {
  const auto found = level_ ? agent.sandboxed_permissions.find(*level_) : agent.sandboxed_permissions.end();
  if (found != agent.sandboxed_permissions.end()) options_ = found->second;
}

std::vector<std::string> JobPermissions::in(const std::vector<std::string>& command) const {
  return with_permissions(command, options_.words, named_);
}

std::string JobPermissions::word() const {
  return level_ ? word_of(*level_) : std::string();
}

Result<JobPermissions> permissions_of(const Caller& caller, const wire::DispatchJobT& request,
                                      const ProjectConfig& project, const NamedProfile& agent,
                                      bool sandboxed) {
  const std::string configured = configured_permissions(project, agent.profile);
  const Permissions most = parse_permissions(configured).value_or(kDefaultPermissions);
  Permissions level = most;
  if (!request.permissions.empty()) level = LUZIA_TRY(parsed(request.permissions));
  const Agent* known = agent_of(agent.name, agent.profile.command);
  const bool at_terminal = request.terminal != schema::Terminal::none && !agent.profile.interactive.empty();
  if (!request.permissions.empty() && (known == nullptr || at_terminal)) {
    return fail(ErrorKind::usage, "no_permissions",
                known == nullptr
                    ? "agent '" + agent.name + "' has no permissions that luzia could choose"
                    : "at a terminal the agent asks the person there, so no permissions can be chosen",
                known == nullptr ? "leave --permissions out, or use one of: " + agent_names()
                                 : "leave --permissions out, or --fg");
  }
  if (level > most && !may_widen(caller, request)) {
    return fail(
        ErrorKind::refused, "permissions_too_wide",
        "project " + request.project + " allows its agents '" + word_of(most) + "', not '" + word_of(level) +
            "'",
        "narrower ones are for everyone; root and the daemon's user may widen them, or set permissions "
        "in [projects." +
            request.project + "]");
  }
  if (known == nullptr || at_terminal) return JobPermissions();
  JobPermissions permissions(*known, level, !request.permissions.empty() || !configured.empty());
  if (sandboxed) permissions.take_sandboxed(*known);
  return permissions;
}

}  // namespace luzia
