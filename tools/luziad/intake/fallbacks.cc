#include "tools/luziad/intake/fallbacks.h"

#include <algorithm>

#include "engine/base/counted.h"
#include "engine/base/try.h"
#include "tools/luziad/attempts/launch_work.h"

namespace luzia {
namespace {

/// An agent can print that it is at its limit. It must not leave its sandbox or its permissions that way, by
/// what it wrote for the one that goes on.
Status check_confined(const schema::JobSpecT& own, const schema::JobSpecT& other) {
  const auto kind = [](const schema::JobSpecT& spec) {
    return spec.sandbox ? spec.sandbox->kind : schema::SandboxKind::off;
  };
  const auto has_network = [](const schema::JobSpecT& spec) {
    return !spec.sandbox || spec.sandbox->network;
  };
  const auto refused = [&](const std::string& why, const std::string& key) {
    return fail(ErrorKind::usage, "bad_fallback",
                "agent " + other.agent + " cannot stand in for " + own.agent + ": " + why,
                "set " + key + " in [agents." + other.agent + "] too; --fallback none dispatches without it");
  };
  if (kind(other) < kind(own)) {
    return refused(std::string("its sandbox is '") + schema::EnumNameSandboxKind(kind(other)) + "', not '" +
                       schema::EnumNameSandboxKind(kind(own)) + "'",
                   "sandbox");
  }
  if (has_network(other) && !has_network(own))
    return refused("it may reach the whole network", "sandbox_network");
  // Of a program that Luzia does not know, there are none to compare.
  const auto most = parse_permissions(own.permissions), others = parse_permissions(other.permissions);
  if (!most || !others || *others <= *most) return {};
  return refused("its permissions are '" + other.permissions + "', not '" + own.permissions + "'",
                 "permissions");
}

}  // namespace

Result<std::vector<std::string>> fallbacks_of(const Config& config, const wire::DispatchJobT& request,
                                              const std::string& agent) {
  constexpr std::size_t kMostFallbacks = 8;
  const auto profile = config.agents.find(agent);
  const bool named = !request.fallback.empty();
  if (named && request.fallback == std::vector<std::string>{std::string(kNoFallback)})
    return std::vector<std::string>();
  std::vector<std::string> agents = named ? request.fallback : profile->second.fallback;
  // A list that holds for several agents may have the job's own.
  if (!named) std::erase(agents, agent);
  for (auto each = agents.begin(); each != agents.end(); ++each) {
    if (*each != agent && std::find(agents.begin(), each, *each) == each) continue;
    return fail(ErrorKind::usage, "bad_fallback", "agent " + *each + " cannot stand in for itself",
                "name other agents, each once");
  }
  if (agents.size() <= kMostFallbacks) return agents;
  return fail(ErrorKind::usage, "bad_fallback",
              counted(agents.size(), "agent") + " to go on with; at most 8 are possible");
}

Status add_fallbacks(QueueJob& job, const std::vector<std::string>& agents,
                     const std::function<Result<QueueJob>(const std::string& agent)>& make) {
  for (const std::string& agent : agents) {
    QueueJob other = LUZIA_TRY(make(agent));
    if (executes_task(other.spec) || executes_task(job.spec)) {
      return fail(ErrorKind::usage, "bad_fallback",
                  "agent " + agent + " cannot stand in for " + job.spec.agent +
                      ": one of them executes the task as a command",
                  "a coding agent goes on with what another coding agent began");
    }
    LUZIA_TRY(check_confined(job.spec, other.spec));
    auto spec = std::make_unique<schema::JobSpecT>(std::move(other.spec));
    spec->job_dir = job.spec.job_dir;
    if (other.env) {
      other.env->index = static_cast<std::uint32_t>(2 + job.fallback_envs.size());
      spec->env = std::make_unique<schema::BlobRefT>(blob_ref(*other.env));
      job.fallback_envs.push_back(std::move(*other.env));
    }
    job.spec.fallbacks.push_back(std::move(spec));
  }
  return {};
}

}  // namespace luzia
