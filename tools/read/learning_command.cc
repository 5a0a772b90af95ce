// learning: shows solutions, facts, and the tools that agents can call, now or in the past.
#include "engine/base/try.h"
#include "projections/rows/catalogue_rows.h"
#include "projections/rows/learning_rows.h"
#include "tools/read/commands.h"
#include "tools/read/listing.h"

namespace luzia {
namespace {

/// The rows of the three views.
struct Learned {
  RowPage solutions{wire::RowType::solution, {}, {}, 0};
  RowPage facts{wire::RowType::fact, {}, {}, 0};
  RowPage tools{wire::RowType::catalogue_tool, {}, {}, 0};
};

Result<RowPage> all_rows(Session& session, Source& source, wire::View view) {
  RowPage page = LUZIA_TRY(collect_pages(source, session.query(view), session.options().limit.value_or(0)));
  page.next.clear();  // one cursor cannot continue three lists
  return page;
}

/// A kind without what a filter asks about has no rows then: only solutions have tags, only tools an agent.
/// Tools have no moment at which they were learned.
Result<Learned> read_learned(Session& session) {
  Source* const source = LUZIA_TRY(session.source());
  const wire::FilterT& filter = session.options().filter;
  const bool tagged = !filter.tags.empty(), of_agent = !filter.agents.empty();
  Learned learned;
  if (!of_agent) learned.solutions = LUZIA_TRY(all_rows(session, *source, wire::View::solutions));
  if (!of_agent && !tagged) learned.facts = LUZIA_TRY(all_rows(session, *source, wire::View::facts));
  const bool timed = filter.since_us != 0 || filter.until_us != 0;
  if (!tagged && !timed) learned.tools = LUZIA_TRY(all_rows(session, *source, wire::View::catalogue));
  return learned;
}

Status print_section(Console& console, std::string_view title, const Table& table) {
  if (table.empty()) return {};
  const std::string head = coloured(title, Colour::bold, console.style().colour) + "\n";
  return console.write(head + table.text(console.style()) + "\n");
}

Result<int> run_learning(Session& session) {
  const auto learned = LUZIA_TRY(read_learned(session));
  const auto as_of = LUZIA_TRY(session.as_of());
  const auto solutions = LUZIA_TRY(rows_of<view::Solution>(learned.solutions));
  const auto facts = LUZIA_TRY(rows_of<view::Fact>(learned.facts));
  const auto tools = LUZIA_TRY(rows_of<view::CatalogueTool>(learned.tools));
  const RowPage& place = learned.solutions.position != 0 ? learned.solutions : learned.tools;
  Console& console = session.console();
  if (session.options().format == Format::json) {
    JsonObject object;
    write_list(object, "solutions", solutions, solution_json);
    write_list(object, "facts", facts, fact_json);
    write_list(object, "tools", tools, catalogue_tool_json);
    object.number("position", place.position);
    object.at("next").null();
    LUZIA_TRY(console.write_line(object.take()));
  } else {
    if (solutions.empty() && facts.empty() && tools.empty()) console.say("nothing was learned yet");
    LUZIA_TRY(print_section(console, "Solutions", solutions_table(solutions, as_of)));
    LUZIA_TRY(print_section(console, "Facts", facts_table(facts)));
    LUZIA_TRY(print_section(console, "Tools", catalogue_table(tools, as_of)));
    report_place(session, place);
  }
  return 0;
}

constexpr Option kLearningOptions[] = {
    kProjectFilter, kLearnedAgent,
    kLearnedTag,    {"--since", ValueKind::moment, "TIME", "only solutions and facts learned since then"},
    kUntilFilter,   kLearnedLimit,
    kAtOption};

}  // namespace

const Command kLearningCommand = {"learning",
                                  "Look",
                                  "[filters] [--at TIME]",
                                  "show what was learned: solutions, facts, tools",
                                  "",
                                  "luzia learning --project web\n"
                                  "luzia learning --at yesterday --json",
                                  kLearningOptions,
                                  {},
                                  reading<run_learning>,
                                  kNeedsStore,
                                  kOfProjects};

}  // namespace luzia
