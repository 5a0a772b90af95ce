// flows and flow: lists flows, shows one and what could come next in it, now or in the past.
#include <optional>

#include "engine/base/try.h"
#include "projections/rows/flow_context.h"
#include "projections/rows/flow_rows.h"
#include "projections/rows/harmless.h"
#include "tools/read/commands.h"
#include "tools/read/listing.h"

namespace luzia {
namespace {

std::vector<Flow> native_flows(const std::vector<const view::Flow*>& rows) {
  std::vector<Flow> flows;
  for (const view::Flow* row : rows) row->UnPackTo(&flows.emplace_back());
  return flows;
}

/// The row of a flow by id, beginning or @last. `no_flow` (usage), `no_such_flow` (not_found).
Result<RowPage> page_of_flow(Session& session, const std::string& name) {
  if (name.empty()) {
    return fail(ErrorKind::usage, "no_flow", "no flow given", "give an id, its beginning, or @last");
  }
  Source* const source = LUZIA_TRY(session.source());
  wire::QueryT query = session.query(wire::View::flows);
  query.filter = std::make_unique<wire::FilterT>();
  query.id = name;
  auto page = LUZIA_TRY(source->query(query));
  const auto rows = LUZIA_TRY(rows_of<view::Flow>(page));
  if (!rows.empty()) return page;
  const bool now = session.options().at.is_now();
  return fail(ErrorKind::not_found, "no_such_flow",
              now ? "no flow '" + name + "'" : "there was no flow '" + name + "' then",
              now ? session.name() + " flows --all lists them" : "leave out --at to see it as it is now");
}

/// What usually followed the flow's last completed step in its project; none if nothing is known.
Result<std::optional<view::StepStatisticT>> usual_next(Session& session, const Flow& flow) {
  const view::FlowStepT* last = last_completed_step(flow);
  if (last == nullptr) return std::nullopt;
  Source* const source = LUZIA_TRY(session.source());
  wire::QueryT query = session.query(wire::View::step_statistics);
  query.filter = std::make_unique<wire::FilterT>();
  query.filter->projects = {flow.project};
  query.text = last->name;
  const auto page = LUZIA_TRY(source->query(query));
  const auto rows = LUZIA_TRY(rows_of<view::StepStatistic>(page));
  if (rows.empty()) return std::nullopt;
  view::StepStatisticT statistic;
  rows.front()->UnPackTo(&statistic);
  return statistic;
}

Result<int> run_suggestions(Session& session) {
  return show_suggestions(session, session.options().name);
}

Result<int> run_flow_context(Session& session) {
  return show_flow_context(session, session.options().name);
}

Result<int> run_flow_card(Session& session) {
  return show_flow(session, session.options().name);
}

constexpr Option kFlowsOptions[] = {
    {"-A,--all", ValueKind::flag, "", "also list ended flows"},
    {"--job", ValueKind::list, "JOB", "only flows of these jobs (ids, prefixes, @last)", "", Completes::job},
    kProjectFilter,
    {"--agent", ValueKind::list, "NAME", "only flows in which one of these agents works", "",
     Completes::agent},
    {"--tag", ValueKind::list, "TAG", "only flows with all of these tags"},
    {"--state", ValueKind::flow_states, "STATE", "only these states: active, completed, failed, cancelled"},
    {"--since", ValueKind::moment, "TIME", "only flows created since then"},
    kUntilFilter,
    kLimitOption,
    kCursorOption,
    kSortOption,
    kColumnsOption,
    kAtOption,
    kCsvOption};
constexpr Option kFlowCardOptions[] = {kAtOption, kCsvOption};
constexpr Option kFlowContextOptions[] = {
    {"--results", ValueKind::number, "N", "results of the last N completed steps (default 3)"},
    {"--characters", ValueKind::number, "N", "cut outputs to N characters (default 500)"},
    {"--as-prompt", ValueKind::flag, "", "print it as a section of a prompt"},
    kAtOption};

}  // namespace

Result<int> list_flows(Session& session) {
  const std::string none = session.options().filter.ended
                               ? "no such flows"
                               : "no flow is active; for ended ones: " + session.name() + " flows --all";
  return run_list<view::Flow>(session, wire::View::flows, [&](TimeUs as_of) -> Shapes<view::Flow> {
    return {"flows", [](const view::Flow& row) { return flow_json(row); },
            [as_of](const auto& rows, Form form) {
              return form == Form::data ? flows_data(rows, as_of) : flows_table(native_flows(rows), as_of);
            },
            none};
  });
}

Result<int> show_flow(Session& session, const std::string& name) {
  const auto page = LUZIA_TRY(page_of_flow(session, name));
  const auto as_of = LUZIA_TRY(session.seen_until());
  const auto rows = LUZIA_TRY(rows_of<view::Flow>(page));
  const auto flows = native_flows(rows);
  Console& console = session.console();
  if (session.options().format == Format::json) {
    LUZIA_TRY(console.write_line(flow_json(flows.front())));
  } else if (session.options().format == Format::csv) {
    LUZIA_TRY(console.write(flows_data(rows, as_of).csv()));
  } else {
    LUZIA_TRY(console.write(flow_card(flows.front(), as_of, console.style())));
    report_place(session, page);
  }
  return 0;
}

Result<int> show_suggestions(Session& session, const std::string& name) {
  const auto page = LUZIA_TRY(page_of_flow(session, name));
  const auto rows = LUZIA_TRY(rows_of<view::Flow>(page));
  const Flow flow = native_flows(rows).front();
  const auto usual = LUZIA_TRY(usual_next(session, flow));
  const auto found = suggestions_for(flow, usual ? &*usual : nullptr);
  LUZIA_TRY(session.options().format == Format::json
                ? session.console().write_line(suggestions_json(flow, found))
                : session.console().write(suggestions_text(flow, found)));
  return 0;
}

Result<int> show_flow_context(Session& session, const std::string& name) {
  const auto page = LUZIA_TRY(page_of_flow(session, name));
  const auto rows = LUZIA_TRY(rows_of<view::Flow>(page));
  const Flow flow = native_flows(rows).front();
  const Arguments& args = session.invocation().args();
  ContextLimits limits;
  limits.results = args.number("results").value_or(limits.results);
  limits.output_characters = args.number("characters").value_or(limits.output_characters);
  LUZIA_TRY(args.has("as-prompt") ? session.console().write(make_harmless(flow_context_prompt(flow, limits),
                                                                          {.keep_newlines = true}))
                                  : session.console().write_line(flow_context_json(flow, limits)));
  return 0;
}

const Command kFlowsCommand = {
    "flows",
    "Look",
    "[--all] [filters] [--sort FIELD] [--columns FIELD,...] [--limit N] [--at TIME]",
    "list active flows; with --all ended ones too",
    "",
    "luzia flows\n"
    "luzia flows --all --project web --json",
    kFlowsOptions,
    {},
    reading<list_flows>,
    kNeedsStore,
    {},
    {},
    {},
    [](std::string_view) { return flows_data({}, 0).columns(); }};

const Command kFlowCardCommand = {
    "flow",
    "Look",
    "[FLOW] [--at TIME]",
    "show everything about one flow",
    "",
    "luzia flow @last\n"
    "luzia flow f-1r3q --at 14:05 --json",
    kFlowCardOptions,
    {0, 1},
    reading<run_flow_card>,
    kNeedsStore,
    "it is about the one flow that is named\nthe command flows takes these filters",
    {},
    kLastJob};

const Command kSuggestionsCommand = {"suggestions",
                                     "Look",
                                     "FLOW [--at TIME]",
                                     "suggest what could come next in a flow",
                                     "",
                                     "luzia flow suggest @last",
                                     kFlowCardOptions,
                                     {1, 1},
                                     reading<run_suggestions>,
                                     kNeedsStore,
                                     "it is about the one flow that is named"};

const Command kFlowContextCommand = {"context",
                                     "Look",
                                     "FLOW [--as-prompt] [--results N] [--characters N] [--at TIME]",
                                     "show what a flow's next step should know",
                                     "",
                                     "luzia flow context @last",
                                     kFlowContextOptions,
                                     {1, 1},
                                     reading<run_flow_context>,
                                     kNeedsStore,
                                     "it is about the one flow that is named"};

}  // namespace luzia
