#include "tools/luziad/intake/job_sandbox.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "tools/luziad/intake/job_permissions.h"

namespace luzia {
namespace {

using Paths = std::vector<std::string>;

std::optional<schema::SandboxKind> sandbox_kind(const std::string& word) {
  if (word == "off" || word.empty()) return schema::SandboxKind::off;
  if (word == "project") return schema::SandboxKind::project;
  if (word == "strict") return schema::SandboxKind::strict;
  return std::nullopt;
}

void add_below_home(Paths& into, const std::string& home, const Paths& paths) {
  for (const std::string& path : paths) {
    std::string whole = path.starts_with("~/") ? home + path.substr(1) : path;
    if (std::ranges::find(into, whole) == into.end()) into.push_back(std::move(whole));
  }
}

/// Where the agent keeps its logins and sessions; its profile, or a variable that its jobs inherit, may have
/// moved that.
void add_state(schema::SandboxT& sandbox, const Agent& agent, const schema::JobSpecT& spec,
               const AgentProfile& profile) {
  const std::string variable = agent.user_settings_variable;
  const auto set = profile.env.find(variable);
  const char* inherited = variable.empty() || spec.uid != geteuid() ? nullptr : getenv(variable.c_str());
  const std::string moved = set != profile.env.end() ? set->second : inherited != nullptr ? inherited : "";
  AgentPlaces places = places_of(agent, spec.home, moved);
  sandbox.write = std::move(places.write);
  sandbox.read = std::move(places.read);
}

}  // namespace

Status fill_sandbox(schema::JobSpecT& spec, const Caller& caller, const wire::DispatchJobT& request,
                    const SandboxConfig& configured, const AgentProfile& profile) {
  const schema::SandboxKind least = sandbox_kind(configured.kind).value_or(schema::SandboxKind::strict);
  const auto asked = request.sandbox.empty() ? least : sandbox_kind(request.sandbox);
  if (!asked) {
    return fail(ErrorKind::usage, "bad_sandbox", "no sandbox is called '" + request.sandbox + "'",
                "off, project or strict");
  }
  if (*asked < least && !may_widen(caller, request)) {
    return fail(ErrorKind::refused, "sandbox_too_weak",
                "project " + request.project + " confines its agents with sandbox '" + configured.kind +
                    "', not '" + request.sandbox + "'",
                "a stricter one is for everyone; root and the daemon's user may weaken it, or change "
                "sandbox in [projects." +
                    request.project + "]");
  }
  if (*asked == schema::SandboxKind::off) return {};
  if (request.terminal == schema::Terminal::session) {
    return fail(ErrorKind::refused, "sandbox_session",
                "a session cannot be held by sandbox '" +
                    (request.sandbox.empty() ? configured.kind : request.sandbox) +
                    "': its agent could command the tmux of whoever joins it",
                "use --fg, which has a terminal too; or --sandbox off, if you may");
  }
  spec.sandbox = std::make_unique<schema::SandboxT>();
  spec.sandbox->kind = *asked;
  spec.sandbox->network = configured.network != "none";
  if (const Agent* known = agent_of(spec.agent, profile.command))
    add_state(*spec.sandbox, *known, spec, profile);
  Paths written;
  add_below_home(written, spec.home, configured.write);
  std::erase_if(spec.sandbox->read,
                [&](const std::string& path) { return std::ranges::find(written, path) != written.end(); });
  add_below_home(spec.sandbox->write, spec.home, written);
  add_below_home(spec.sandbox->read, spec.home, configured.read);
  add_below_home(spec.sandbox->hide, spec.home, configured.hide);
  return {};
}

}  // namespace luzia
