#include "tools/luziad/intake/queue_requests.h"

#include <algorithm>

#include "adapters/config/known_projects.h"
#include "adapters/config/nearest.h"
#include "projections/queue.h"
#include "projections/totals.h"
#include "tools/luziad/base/command_meta.h"
#include "tools/luziad/intake/intake.h"

namespace luzia {
namespace {

/// Whether an unconfigured project can be paused or resumed: it has jobs, or was paused before. On current
/// rows.
Status check_known(const ViewStore& views, const Config& config, const std::string& project) {
  const auto rows = views.snapshot();
  if (read_row<view::ProjectTotals>(*rows, kTotalsView, project)) return {};
  const auto paused = queue_switches(*rows);
  if (std::ranges::find(paused, project, &view::QueueSwitchT::scope) != paused.end()) return {};
  if (Status read = rows->status(); !read) {
    // While views are rebuilt, they cannot answer this.
    return read.error().code == "views_rebuilding" ? Status() : read;
  }
  return unknown_project(project, config);
}

/// An agent's usage limit concerns everybody: only trusted callers may lift it.
Status check_agent(const Config& config, const Caller& caller, const wire::ActOnQueue& request) {
  const std::string agent(text(request.agent()));
  if (!caller.trusted) {
    return fail(ErrorKind::refused, "not_allowed", caller.name + " may not let agent '" + agent + "' go on");
  }
  if (request.action() == wire::QueueAction::pause || !text(request.project()).empty()) {
    return fail(ErrorKind::usage, "bad_usage", "an agent is only resumed, and for all projects",
                "luzia resume --agent " + agent);
  }
  if (config.agents.contains(agent)) return {};
  std::vector<std::string> names;
  for (const auto& [name, profile] : config.agents) names.push_back(name);
  const std::string near = nearest_name(agent, names);
  return fail(ErrorKind::usage, "unknown_agent", "no agent '" + agent + "' is configured",
              near.empty() ? "luzia config show lists the agents" : "did you mean " + near + "?");
}

/// Whoever sets a budget controls it: its project's users do not.
Status check_budget(const Caller& caller, const wire::ActOnQueue& request) {
  if (!request.budget()) return {};
  if (!caller.trusted) {
    return fail(ErrorKind::refused, "not_allowed", caller.name + " may not go over a budget",
                "ask the daemon's user or root");
  }
  if (request.action() == wire::QueueAction::pause || !text(request.agent()).empty()) {
    return fail(ErrorKind::usage, "bad_usage", "a budget is only resumed, and of a project or of all",
                "luzia resume --project NAME --budget");
  }
  return {};
}

}  // namespace

Status QueueRequests::act(const RequestId& to, const Caller& caller, const wire::ActOnQueue& request) {
  const std::string project(text(request.project()));
  if (!caller.trusted && (project.empty() || !may_use(desk_.config, caller, project))) {
    return fail(
        ErrorKind::refused, "not_allowed",
        caller.name + " may not pause " + (project.empty() ? "everything" : "project '" + project + "'"));
  }
  if (request.action() == wire::QueueAction::resume) {
    LUZIA_TRY(rights_.may_open_queue(caller, project));
  }
  LUZIA_TRY(check_budget(caller, request));
  wire::ActOnQueueT copy;
  request.UnPackTo(&copy);
  CommandMeta meta = meta_of(caller, copy, schema::ActorKind::person);
  ToQueue item{project, copy.action == wire::QueueAction::pause, copy.note, copy.agent, copy.budget};
  if (!copy.agent.empty()) {
    LUZIA_TRY(check_agent(desk_.config, caller, request));
    return submit_and_reply(desk_, to, meta, std::move(item));
  }
  if (project.empty() || desk_.config.projects.contains(project))
    return submit_and_reply(desk_, to, meta, std::move(item));
  // Its first job may have arrived a moment ago.
  return queries_.when_current(to, [this, to, meta, item = std::move(item)]() mutable -> Status {
    LUZIA_TRY(check_known(views_, desk_.config, item.project));
    meta.now = wall_now();
    return submit_and_reply(desk_, to, meta, std::move(item));
  });
}

}  // namespace luzia
