// Subcommands of `luzia flow` that show flows.
#include <algorithm>

#include "engine/base/counted.h"
#include "engine/base/try.h"
#include "projections/query.h"
#include "projections/rows/json.h"
#include "projections/rows/step_statistics.h"
#include "tools/luzia/run/flows.h"
#include "tools/read/commands.h"

namespace luzia {
namespace {

constexpr std::uint32_t kEventsOfPage = 1'000, kFlowsOfPage = 1'000;

Result<int> show_status(Invocation& invocation, const Words& words) {
  const std::string name = words.empty() ? std::string(kLastJob) : words[0];
  return run_reading(invocation, [&](Session& session) { return show_flow(session, name); });
}

Result<int> show_list(Invocation& invocation, const Words&) {
  return run_reading(invocation, list_flows);
}

Result<int> show_context(Invocation& invocation, const Words& words) {
  return run_reading(invocation, [&](Session& session) { return show_flow_context(session, words[0]); });
}

Result<int> suggest_next_steps(Invocation& invocation, const Words& words) {
  return run_reading(invocation, [&](Session& session) { return show_suggestions(session, words[0]); });
}

/// Prints every event of the flow's stream, with its cause.
Result<int> show_flow_history(Invocation& invocation, const Words& words) {
  auto client = LUZIA_TRY(invocation.connect());
  const auto flow = LUZIA_TRY(ask_flow(invocation, client, words[0]));
  wire::QueryT query = view_query(wire::View::events);
  query.id = flow.id;
  query.limit = kEventsOfPage;
  std::vector<Position> shown;
  LUZIA_TRY(for_each_page(invocation, client, std::move(query), [&](const Page& page) {
    const auto events = page.as<schema::Event>();
    if (invocation.json()) {
      for (const schema::Event* event : events) print_line(event_json(*event));
    } else {
      print(why_text(events, invocation.terminal().style(), shown));
      for (const schema::Event* event : events) shown.push_back(event->position());
    }
  }));
  return 0;
}

/// Counts all flows that match the filter, however long ago they ended, except removed ones.
Result<FlowCounts> count_flows(Invocation& invocation, Client& client) {
  wire::QueryT query = view_query(wire::View::flows, filter_of(invocation.args()));
  query.filter->ended = true;
  query.all_time = true;
  query.limit = kFlowsOfPage;
  FlowCounts counts;
  LUZIA_TRY(for_each_page(invocation, client, std::move(query), [&](const Page& page) {
    for (const view::Flow* flow : page.as<view::Flow>()) counts.add(flow->state());
  }));
  return counts;
}

Result<int> show_flow_statistics(Invocation& invocation, const Words&) {
  auto client = LUZIA_TRY(connect_to_ask(invocation));
  const auto counts = LUZIA_TRY(count_flows(invocation, client));
  wire::QueryT query = view_query(wire::View::step_statistics, filter_of(invocation.args()));
  std::vector<Page> pages;
  std::vector<const view::StepStatistic*> rows;
  LUZIA_TRY(for_each_page(invocation, client, std::move(query), [&](Page page) {
    const auto more = page.as<view::StepStatistic>();
    rows.insert(rows.end(), more.begin(), more.end());
    pages.push_back(std::move(page));
  }));
  if (invocation.json()) {
    print_line(step_statistics_json(counts, rows, pages.back().position()));
    return 0;
  }
  print(counted(counts.total(), "flow") + ": " + std::to_string(counts.active) + " active, " +
        std::to_string(counts.completed) + " completed, " + std::to_string(counts.failed) + " failed, " +
        std::to_string(counts.cancelled) + " cancelled\n");
  if (!rows.empty()) print(step_statistics_table(rows).text(invocation.terminal().style()));
  return 0;
}

constexpr FlowVerb kFlowLookVerbs[] = {
    {"status", "[FLOW] [--at TIME]", 0, 1, show_status, "at", kNeedsStore, "show a flow and its steps"},
    {"list", "[--all] [filters] [--sort FIELD] [--columns FIELD,...] [--limit N] [--at TIME]", 0, 0,
     show_list, "all job project agent tag state since until limit cursor sort columns csv at", kNeedsStore,
     "list flows"},
    {"context", "FLOW [--as-prompt] [--results N] [--characters N] [--at TIME]", 1, 1, show_context,
     "as-prompt results characters at", kNeedsStore, "show what the next step should know"},
    {"suggest", "FLOW", 1, 1, suggest_next_steps, {}, kNeedsStore, "suggest which step comes next"},
    {"history", "FLOW", 1, 1, show_flow_history, {}, kNeedsStore, "show what happened to a flow"},
    {"statistics", "[--project P]", 0, 0, show_flow_statistics, "project", kNeedsStore,
     "add up how steps went"},
};

}  // namespace

std::span<const FlowVerb> flow_look_verbs() {
  return kFlowLookVerbs;
}

Result<Flow> ask_flow(Invocation& invocation, Client& client, const std::string& name) {
  if (name.empty()) {
    return fail(ErrorKind::usage, "no_flow", "no flow given", "give an id, its beginning, or @last");
  }
  wire::QueryT query = view_query(wire::View::flows);
  query.id = name;
  const auto page = LUZIA_TRY(ask_rows(invocation, client, query));
  const auto rows = page.as<view::Flow>();
  if (rows.empty()) {
    return fail(ErrorKind::not_found, "no_such_flow", "no flow '" + name + "'",
                "luzia flow list --all lists them");
  }
  return Flow(*std::unique_ptr<Flow>(rows.front()->UnPack()));
}

}  // namespace luzia
