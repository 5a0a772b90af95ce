// doctor: the daemon, if it runs, and what it says of itself. Changes nothing.
#include <algorithm>
#include <memory>

#include "engine/base/process_limits.h"
#include "engine/event/limits_text.h"
#include "projections/rows/pauses.h"
#include "tools/cli/start_daemon.h"
#include "tools/luzia/asking.h"
#include "tools/luzia/run/find_program.h"
#include "tools/luzia/set_up/daemon_path.h"
#include "tools/luzia/set_up/examination.h"
#include "tools/luzia/set_up/fleet_check.h"
#include "tools/luzia/set_up/web_check.h"
#include "tools/read/schedule_findings.h"

namespace luzia {
namespace {

void examine_pauses(Examination& examination, Invocation& invocation, Client& client) {
  const auto answer = ask_rows(client, pauses_query(invocation.args()));
  if (!answer) examination.bad(answer.error().message, answer.error().hint);
  for (const view::QueueSwitch* pause : pauses_of(answer ? &*answer : nullptr)) {
    const std::string project = pause->scope() == nullptr ? "" : pause->scope()->str();
    const bool drains = pause->draining() && !pause->paused();
    // Rows of breakers and used-up budgets have no start time. Only a budget needs --budget to go on.
    const std::string_view note = pause->note() == nullptr ? "" : pause->note()->string_view();
    const bool spent = pause->since_us() == 0 && note.starts_with("its budget of ");
    const std::string resume = project.empty() ? "luzia resume --all" : "luzia resume --project " + project;
    const std::string goes_on = drains ? "luzia daemon drain --off" : spent ? resume + " --budget" : resume;
    examination.warning(pause_text(*pause, invocation.now()) + ": nothing starts there", goes_on);
  }
}

/// Whether somebody holds the limits that the configuration sets.
void examine_attempt_limits(Examination& examination, const Config& config, const wire::DaemonFactT& fact) {
  std::vector<schema::AttemptLimitsT> all{config.jobs.limits};
  for (const auto& [name, project] : config.projects) all.push_back(project.limits);
  for (const auto& [name, agent] : config.agents) all.push_back(agent.limits);
  const std::string held = fact.title + ": " + fact.text;
  if (std::ranges::all_of(all, [](const auto& each) { return limits_text(each).empty(); })) return;
  const bool has_cpu = std::ranges::any_of(all, [](const auto& each) { return each.cpu_percent != 0; });
  if (!has_cpu || fact.state == Verdict::good) return examination.good(held);
  examination.warning("the configuration limits CPU, and " + held,
                      "run luziad by its systemd unit: systemctl --user enable --now luziad.socket (the "
                      "system's: without --user); or remove cpu");
}

/// What the daemon says of itself; nothing to callers other than its owner.
void examine_facts(Examination& examination, const std::vector<std::unique_ptr<wire::DaemonFactT>>& facts,
                   const Config* config) {
  for (const auto& fact : facts) {
    std::string what = fact->title + ": " + fact->text, fix;
    switch (fact->topic) {
      case wire::DaemonTopic::configuration:
        what = (fact->state == Verdict::bad       ? "the daemon cannot read its configuration: "
                : fact->state == Verdict::warning ? "the daemon's configuration has "
                                                  : "the daemon's configuration is ") +
               fact->text;
        fix = fact->state == Verdict::bad
                  ? "luzia config check shows every mistake; correct them, then luzia config reload"
                  : "luzia config reload";
        break;
      case wire::DaemonTopic::scrub:
        if (fact->state != Verdict::good) what = "the store is damaged: " + fact->text;
        fix =
            "luzia-query verify says what; restore a backup, or save what can be proved of it: "
            "luzia-query salvage DIR";
        break;
      case wire::DaemonTopic::keep:
      case wire::DaemonTopic::removals:
        fix = "fix that; luziad tries again every hour and at its start";
        break;
      case wire::DaemonTopic::seal:
        fix = "correct [store] seal_to, or make room; luziad tries again by itself";
        break;
      case wire::DaemonTopic::limits:
        if (config != nullptr) examine_attempt_limits(examination, *config, *fact);
        continue;
    }
    examination.add(fact->state, std::move(what), std::move(fix));
  }
}

/// Devices that take pushes, if the daemon has a view of them.
void examine_pushes(Examination& examination, Client& client) {
  const auto devices = ask_rows(client, view_query(wire::View::devices));
  if (!devices || devices->type() != wire::RowType::device) return;
  if (auto fault = push_fault(devices->as<view::Device>(), find_own_program("luzia-push")))
    examination.bad(std::move(fault->what), std::move(fault->fix));
}

void examine_schedules(Examination& examination, Client& client) {
  const auto page = ask_rows(client, view_query(wire::View::schedules));
  if (!page || page->type() != wire::RowType::schedule) return;
  for (auto& [bad, what, fix] : schedule_findings(page->as<view::Schedule>())) {
    examination.add(bad ? Verdict::bad : Verdict::warning, std::move(what), std::move(fix));
  }
}

void examine_fleet(Examination& examination, Invocation& invocation, Position tip) {
  const auto place = invocation.place();
  if (!place || place->store.empty()) return;
  auto findings = order_findings(place->store, invocation.now());
  findings.insert(findings.begin(),
                  fleet_finding(place->store, tip, invocation.now(), find_own_program("luzia-fleet")));
  for (auto& [bad, what, fix] : findings) {
    const Verdict verdict = fix.empty() ? Verdict::good : bad ? Verdict::bad : Verdict::warning;
    examination.add(verdict, std::move(what), std::move(fix));
  }
}

}  // namespace

void examine_daemon(Examination& examination, Invocation& invocation) {
  auto client = invocation.connect(WhenAbsent::complain, WhenMistaken::leave_to_daemon);
  // Mistakes of the configuration are found already.
  if (!client && client.error().code.starts_with("config_")) return;
  if (!client && client.error().code == "no_daemon") {
    examination.good("no daemon is running; it starts when it is needed");
    return;
  }
  if (!client) {
    examination.bad(client.error().message, client.error().hint);
    return;
  }
  const auto reply = ask_control(*client, wire::ControlAction::ping);
  const auto* welcome = reply ? (*reply)->reply.AsWelcome() : nullptr;
  if (welcome == nullptr) {
    examination.bad(
        "the daemon does not answer a ping" + (reply ? std::string() : ": " + reply.error().message),
        reply || reply.error().hint.empty() ? "luzia daemon restart" : reply.error().hint);
  } else if (welcome->version != LUZIA_VERSION) {
    examination.warning("the daemon is version " + welcome->version + ", this program " LUZIA_VERSION,
                        "luzia daemon restart; running jobs are not touched");
  } else {
    examination.good("the daemon answers, pid " + std::to_string(welcome->pid));
    const auto config = invocation.config();
    examine_facts(examination, ask_description(*client).facts, config ? &**config : nullptr);
    if (config) {
      if (!(*config)->fleet.url.empty()) examine_fleet(examination, invocation, welcome->position);
      for (const auto& [agent, program] : agents_daemon_lacks(**config, static_cast<pid_t>(welcome->pid))) {
        examination.warning("agent " + agent + ": the daemon's PATH lacks " + program,
                            "luzia daemon restart, or name that path in [agents." + agent + "] command");
      }
    }
    if (const auto low = too_low_limit(static_cast<pid_t>(welcome->pid), Bound::soft))
      examination.bad(low->message, "luzia daemon stop, then start it where that limit is higher");
    examine_pauses(examination, invocation, *client);
    examine_pushes(examination, *client);
    examine_schedules(examination, *client);
  }
}

}  // namespace luzia
