#include "tools/luziad/intake/job_sandbox.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "engine/base/host_rule.h"
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
  AgentPlaces places = places_of(agent, spec.home, moved_place(agent, profile, spec.uid == geteuid()));
  sandbox.write = std::move(places.write);
  sandbox.read = std::move(places.read);
}

bool is_all(const std::vector<std::string>& network) {
  return network == std::vector<std::string>{"all"};
}
bool is_none(const std::vector<std::string>& network) {
  return network == std::vector<std::string>{"none"};
}

std::string network_words(const std::vector<std::string>& network) {
  std::string words;
  for (const std::string& host : network) words += (words.empty() ? "" : ", ") + host;
  return words;
}

/// Whether it reaches nothing that the configured one does not.
bool is_within(const std::vector<HostRule>& asked, const SandboxConfig& configured) {
  if (configured.network != "hosts") return asked.empty() || configured.network != "none";
  const auto allowed = parse_host_rules(configured.hosts);
  return allowed && std::ranges::all_of(asked, [&](const HostRule& rule) { return covers(*allowed, rule); });
}

/// Sets the network of a sandbox. Everyone may ask for less than is configured.
Status fill_network(schema::SandboxT& sandbox, const Caller& caller, const wire::DispatchJobT& request,
                    const SandboxConfig& configured) {
  const std::vector<std::string>& asked = request.network;
  sandbox.network = configured.network != "none" && configured.network != "hosts";
  sandbox.hosts = configured.hosts;
  if (asked.empty()) return {};
  std::vector<HostRule> rules;
  if (!is_all(asked) && !is_none(asked)) rules = LUZIA_TRY(parse_host_rules(asked));
  const bool is_wider = is_all(asked) ? !sandbox.network : !is_within(rules, configured);
  if (is_wider && !may_widen(caller, request)) {
    return fail(
        ErrorKind::refused, "network_too_wide",
        "project " + request.project + " gives its agents the network '" +
            (sandbox.hosts.empty() ? configured.network : network_words(sandbox.hosts)) + "', not '" +
            network_words(asked) + "'",
        "less is for everyone; root and the daemon's user may give more, or change sandbox_network in "
        "[projects." +
            request.project + "]");
  }
  sandbox.network = is_all(asked);
  sandbox.hosts.clear();
  for (const HostRule& rule : rules) sandbox.hosts.push_back(rule_words(rule));
  return {};
}

/// Whether a person begins the job at a terminal: no agent, flow, hook, policy, script or device.
bool is_attended(const Caller& caller, const wire::DispatchJobT& request) {
  const bool is_own = request.parent_job.empty() && request.order.empty();
  return request.at_terminal && !caller.device && caller.job.empty() && is_own;
}

/// Nothing holds a network without a sandbox. Whoever says "off" for the job itself knows that.
Status check_network_off(const wire::DispatchJobT& request, const SandboxConfig& configured) {
  const bool is_asked = !request.network.empty() && !is_all(request.network);
  const bool is_meant = configured.kind != "off" || !request.sandbox.empty();
  if (!is_asked && (configured.network != "hosts" || is_meant)) return {};
  return fail(
      ErrorKind::usage, "network_needs_sandbox",
      is_asked
          ? "without a sandbox, nothing keeps the job to the network '" + network_words(request.network) + "'"
          : "sandbox_network of project " + request.project +
                " names hosts, but its sandbox is off, so nothing would keep the job to them",
      is_asked ? "add --sandbox project or --sandbox strict"
               : "set sandbox = \"project\" or \"strict\" beside it; or --sandbox off for this job, if "
                 "you may");
}

bool is_at_or_below(const std::string& path, const std::string& folder) {
  const std::filesystem::path inner = path, outer = folder;
  const auto rest = inner.lexically_normal().lexically_relative(outer.lexically_normal());
  return !rest.empty() && *rest.begin() != "..";
}

}  // namespace

Status fill_sandbox(schema::JobSpecT& spec, const Caller& caller, const wire::DispatchJobT& request,
                    const SandboxConfig& configured, const AgentProfile& profile) {
  const bool is_free = configured.when == "unattended" && is_attended(caller, request);
  const schema::SandboxKind least = is_free
                                        ? schema::SandboxKind::off
                                        : sandbox_kind(configured.kind).value_or(schema::SandboxKind::strict);
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
  if (*asked == schema::SandboxKind::off) return check_network_off(request, configured);
  if (request.terminal == schema::Terminal::session) {
    return fail(ErrorKind::refused, "sandbox_session",
                "a session cannot be held by sandbox '" +
                    (request.sandbox.empty() ? configured.kind : request.sandbox) +
                    "': its agent could command the tmux of whoever joins it",
                "use --fg, which has a terminal too; or --sandbox off, if you may");
  }
  spec.sandbox = std::make_unique<schema::SandboxT>();
  spec.sandbox->kind = *asked;
  LUZIA_TRY(fill_network(*spec.sandbox, caller, request, configured));
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

Status keep_from_changes(schema::JobSpecT& spec, const AgentProfile& profile) {
  schema::SandboxT own;
  if (const Agent* known = agent_of(spec.agent, profile.command)) add_state(own, *known, spec, profile);
  Paths written = own.write;
  written.push_back(spec.job_dir);
  for (const std::string& path : written) {
    // Around the project, the agent could move a folder on the way to it, and put its own in that place.
    const bool inside = is_at_or_below(path, spec.working_dir);
    if (!inside && !is_at_or_below(spec.working_dir, path)) continue;
    return fail(ErrorKind::refused, "sandbox_cannot_hold",
                "sandbox '" + std::string(schema::EnumNameSandboxKind(spec.sandbox->kind)) +
                    "' cannot keep agent " + spec.agent + " from changes in " + spec.working_dir +
                    ", because it writes " + path + ", which lies " + (inside ? "there" : "around it"),
                "move that elsewhere, dispatch with --permissions edits, or with --sandbox off, if you may");
  }
  for (const std::string& path : spec.sandbox->write) {
    if (std::ranges::find(own.write, path) == own.write.end()) add_below_home(spec.sandbox->read, "", {path});
  }
  spec.sandbox->write = std::move(own.write);
  spec.sandbox->only_reads = true;
  return {};
}

}  // namespace luzia
