// `luzia flow run`: creates a flow from a file; the daemon then dispatches its steps.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "adapters/config/flow_file.h"
#include "adapters/config/nearest.h"
#include "engine/base/shell_quote.h"
#include "engine/base/try.h"
#include "projections/rows/flow_rows.h"
#include "projections/rows/harmless.h"
#include "projections/rows/json_object.h"
#include "projections/rows/table.h"
#include "tools/luzia/run/dispatch.h"
#include "tools/luzia/run/flows.h"
#include "tools/luzia/signals.h"
#include "tools/luzia/text_file.h"

namespace luzia {
namespace {

/// The steps in rows: each step is in the first row after everything it needs. Steps in a cycle are in no
/// row.
std::vector<std::vector<std::string>> rows_of(const wire::CreateFlowT& flow) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> placed;
  while (placed.size() < flow.steps.size()) {
    std::vector<std::string> row;
    for (const auto& step : flow.steps) {
      const auto has = [&](const std::string& name) {
        return std::ranges::find(placed, name) != placed.end();
      };
      if (!has(step->name) && std::ranges::all_of(step->needs, has)) row.push_back(step->name);
    }
    if (row.empty()) break;
    placed.insert(placed.end(), row.begin(), row.end());
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string joined_by_commas(const Words& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
  return all;
}

bool has(const Words& words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

/// A cycle as text, "a needs b needs a". `name` is a step that is not in `placed`; each such step needs
/// another one that is not.
std::string circle_of(const wire::CreateFlowT& flow, const Words& placed, std::string name) {
  Words way;
  while (!has(way, name)) {
    way.push_back(name);
    const auto step = std::ranges::find_if(flow.steps, [&](const auto& each) { return each->name == name; });
    name = *std::ranges::find_if((*step)->needs, [&](const auto& need) { return !has(placed, need); });
  }
  std::string circle;
  for (auto at = std::ranges::find(way, name); at != way.end(); ++at) circle += *at + " needs ";
  return circle + name;
}

/// Checks that every step can run at some time. `bad_steps` (usage): an unknown step, or a cycle.
Status check_needs(const wire::CreateFlowT& flow, const std::string& file) {
  Words names, placed;
  for (const auto& step : flow.steps) names.push_back(step->name);
  for (const auto& step : flow.steps) {
    for (const std::string& need : step->needs) {
      if (has(names, need)) continue;
      const std::string near = nearest_name(need, names);
      return fail(ErrorKind::usage, "bad_steps",
                  file + ": step '" + step->name + "' needs unknown step '" + need + "'",
                  near.empty() ? "the steps are " + joined_by_commas(names) : "did you mean " + near + "?");
    }
  }
  for (const auto& row : rows_of(flow)) placed.insert(placed.end(), row.begin(), row.end());
  const auto left = std::ranges::find_if(names, [&](const auto& name) { return !has(placed, name); });
  if (left == names.end()) return {};
  return fail(ErrorKind::usage, "bad_steps",
              file + ": steps depend on each other in a cycle: " + circle_of(flow, placed, *left),
              "remove one of these dependencies");
}

std::string first_line_of(const std::string& text) {
  const std::size_t end = text.find('\n');
  return end == std::string::npos ? text : text.substr(0, end) + " ...";
}

std::string drawing(const wire::CreateFlowT& flow, const TableStyle& style) {
  std::string text =
      "flow for " + flow.project + (flow.description.empty() ? "" : ": " + flow.description) + "\n";
  std::string way;
  for (const auto& row : rows_of(flow)) {
    const std::string steps = row.size() > 1 ? "{" + joined_by_commas(row) + "}" : joined_by_commas(row);
    way += (way.empty() ? "" : (style.unicode ? " → " : " -> ")) + steps;
  }
  text = make_harmless(text, {.keep_newlines = true}) + make_harmless(way) + "\n\n";
  Table table({{"STEP", Align::left, 8, true},
               {"AFTER", Align::left, 8, true, 2},
               {"BY", Align::left, 6},
               {"GATE", Align::left, 4, false, 1},
               {"TRIES", Align::right, 5, false, 1},
               {"DOES", Align::left, 12, true}});
  for (const auto& step : flow.steps) {
    const bool by_job = !step->prompt.empty();
    const std::string agent = step->agent.empty() ? "(default)" : step->agent;
    table.add({{step->name},
               {joined_by_commas(step->needs)},
               {by_job ? agent : std::string("people")},
               {step->gate},
               {by_job ? std::to_string(step->retries + 1) : std::string()},
               {first_line_of(by_job ? step->prompt : step->description)}});
  }
  return text + table.text(style);
}

Result<wire::CreateFlowT> read_flow(const Invocation& invocation, const std::string& name) {
  auto text = LUZIA_TRY(read_text(name));
  const std::filesystem::path folder = std::filesystem::absolute(name).parent_path();
  FlowFile file = parse_flow_file(text, name == "-" ? "(standard input)" : name, folder.string());
  if (!file.errors.empty()) {
    for (std::size_t i = 0; i + 1 < file.errors.size(); ++i) {
      invocation.say(file.errors[i].message +
                     (file.errors[i].hint.empty() ? "" : "; " + file.errors[i].hint));
    }
    return tl::unexpected(file.errors.back());
  }
  const Arguments& args = invocation.args();
  if (args.has("project")) file.flow.project = args.texts("project").back();
  for (const std::string& tag : args.texts("tag")) file.flow.tags.push_back(tag);
  if (file.flow.project.empty()) {
    return fail(ErrorKind::usage, "no_project", name + ": the flow has no project",
                "add project = \"NAME\" or give --project NAME");
  }
  if (file.flow.steps.size() > kMaxFlowSteps) {
    return fail(ErrorKind::usage, "too_many_steps",
                name + ": a flow has at most " + std::to_string(kMaxFlowSteps) + " steps", "split it");
  }
  LUZIA_TRY(check_needs(file.flow, name));
  return std::move(file.flow);
}

/// Waits on one connection until the project has an event later than `flow` (returns 0), or until a signal
/// (returns it). `follows`: whether the connection has subscribed already.
Result<int> await_event_from(Client& follower, const Flow& flow, bool& follows) {
  const StopSignals signals;
  if (!follows) {
    wire::FollowT follow;
    follow.since = flow.position;
    follow.live = true;
    follow.filter = std::make_unique<wire::FilterT>();
    follow.filter->projects = {flow.project};
    LUZIA_TRY(follower.send(request_of(std::move(follow))));
    follows = true;
  }
  return signals.wait_for_event(follower);
}

/// As await_event_from(), reconnecting if the daemon is restarted.
Result<int> await_event(Invocation& invocation, Client& follower, const Flow& flow, bool& follows) {
  for (;;) {
    auto came = await_event_from(follower, flow, follows);
    if (came || came.error().code != "connection_lost") return came;
    auto next = LUZIA_TRY(invocation.connect());
    follower = std::move(next);
    follows = false;
  }
}

/// Tells the person who stopped waiting that the flow continues, and how to look at it.
int stop_waiting(const Invocation& invocation, const std::string& id, int signal) {
  const std::string named = id + invocation.place_options();
  invocation.say("flow " + id + " continues; luzia flow status " + named + " shows it, luzia flow end " +
                 named + " ends it");
  return kSignalBase + signal;
}

/// Reports steps that wait for a person, each once, so that whoever waits knows why nothing happens.
void report_waiting_steps(const Invocation& invocation, const Flow& flow, std::set<std::string>& reported) {
  const auto which = [&](const std::string& step) {
    return flow.id + " " + shell_quote(step) + invocation.place_options();
  };
  for (const auto& step : flow.steps) {
    if (flow.state != view::FlowState::active || !waits_at_gate(*step)) continue;
    if (!reported.insert(step->name + "/gate").second) continue;
    invocation.say("step " + step->name + " waits at gate " + step->gate + ": luzia flow approve " +
                   which(step->name));
  }
  for (const view::FlowStepT* step : manual_steps(flow)) {
    if (!reported.insert(step->name).second) continue;
    invocation.say("step " + step->name + " is done by a person: when it is done, luzia flow complete " +
                   which(step->name));
  }
}

Result<int> wait_for_flow_end(Invocation& invocation, Client& client, const std::string& id) {
  auto follower = LUZIA_TRY(invocation.connect());
  bool follows = false;
  std::set<std::string> reported;
  for (;;) {
    const auto flow = LUZIA_TRY(ask_flow(invocation, client, id));
    report_waiting_steps(invocation, flow, reported);
    if (flow.state != view::FlowState::active) {
      invocation.say(id + " " + std::string(flow_state_name(flow.state)) +
                     (flow.result.empty() ? "" : ": " + flow.result));
      return flow.state == view::FlowState::completed ? 0 : 1;
    }
    const auto came = LUZIA_TRY(await_event(invocation, follower, flow, follows));
    if (came != 0) return stop_waiting(invocation, id, came);
  }
}

void write_step(JsonObject& object, const std::unique_ptr<wire::NewFlowStepT>& step) {
  object.text("name", step->name);
  object.strings("needs", step->needs);
  object.text_or_null("agent", step->agent);
  object.text_or_null("gate", step->gate);
  object.number("retries", step->retries);
  object.text_or_null("description", step->description);
  object.text_or_null("prompt", step->prompt);
}

/// `checked`: a daemon has validated the flow.
std::string dry_run_json(const wire::CreateFlowT& flow, bool checked) {
  JsonObject object;
  object.boolean("dry_run", true);
  object.boolean("checked", checked);
  object.text("project", flow.project);
  object.text("description", flow.description);
  object.strings("tags", flow.tags);
  object.objects("steps", flow.steps, write_step);
  return object.take();
}

/// Asks the daemon to validate the flow, without starting one. Returns whether a daemon was running.
Result<bool> try_flow(Invocation& invocation, wire::CreateFlowT flow) {
  auto client = invocation.connect(WhenAbsent::complain);
  if (!client && client.error().code == "no_daemon") {
    invocation.say(
        "no daemon runs, so project, agents, rights, names and sizes of the flow were not checked");
    return false;
  }
  if (!client) return tl::unexpected(client.error());
  flow.dry_run = true;
  flow.command_id = fresh_command_id();
  const auto accepted = LUZIA_TRY(send_command(invocation, *client, request_of(std::move(flow))));
  invocation.say("the daemon would accept the flow; nothing was started");
  return true;
}

Result<int> run_dry(Invocation& invocation, const wire::CreateFlowT& flow) {
  if (!invocation.json()) {
    print(drawing(flow, invocation.terminal().style()));
    std::fflush(stdout);
  }
  const auto checked = LUZIA_TRY(try_flow(invocation, flow));
  if (invocation.json()) print_line(dry_run_json(flow, checked));
  return 0;
}

Result<int> run_file(Invocation& invocation, const Words& words) {
  auto flow = LUZIA_TRY(read_flow(invocation, words[0]));
  if (invocation.args().has("dry-run")) return run_dry(invocation, flow);
  flow.command_id = command_id_of(invocation.args());
  auto client = LUZIA_TRY(invocation.connect());
  const auto accepted = LUZIA_TRY(send_command(invocation, client, request_of(std::move(flow))));
  const std::string id = print_flow_id(invocation, accepted);
  std::fflush(stdout);
  if (invocation.args().has("wait")) return wait_for_flow_end(invocation, client, id);
  invocation.say("the flow is running; what next:\n  luzia flow status " + id + "\n  luzia flow pause " + id);
  return 0;
}

constexpr FlowVerb kFlowRunVerbs[] = {{"run", "FILE.toml [--project P] [--dry-run] [--wait]", 1, 1, run_file,
                                       "project tag dry-run wait command-id", false,
                                       "run a flow from a file"}};

}  // namespace

std::span<const FlowVerb> flow_run_verbs() {
  return kFlowRunVerbs;
}

}  // namespace luzia
