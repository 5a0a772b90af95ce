// learning: shows solutions, facts, and the tools that agents can call, now or in the past.
#include "projections/rows/catalogue_rows.h"
#include "projections/rows/learning_rows.h"
#include "tools/read/commands.h"
#include "tools/read/listing.h"

namespace luzia {
namespace {

/// The rows of the three views.
struct Learned {
  RowPage solutions, facts, tools;
};

Result<RowPage> all_rows(Session& session, Source& source, wire::View view) {
  return collect_pages(source, session.query(view), session.options().limit.value_or(0));
}

Result<Learned> read_learned(Session& session) {
  auto source = session.source();
  if (!source) return tl::unexpected(source.error());
  auto solutions = all_rows(session, **source, wire::View::solutions);
  if (!solutions) return tl::unexpected(solutions.error());
  auto facts = all_rows(session, **source, wire::View::facts);
  if (!facts) return tl::unexpected(facts.error());
  auto tools = all_rows(session, **source, wire::View::catalogue);
  if (!tools) return tl::unexpected(tools.error());
  return Learned{std::move(*solutions), std::move(*facts), std::move(*tools)};
}

Status print_section(Console& console, std::string_view title, const Table& table) {
  if (table.empty()) return {};
  const std::string head = coloured(title, Colour::bold, console.style().colour) + "\n";
  return console.write(head + table.text(console.style()) + "\n");
}

Result<int> run_learning(Session& session) {
  const auto learned = read_learned(session);
  if (!learned) return tl::unexpected(learned.error());
  const auto as_of = session.as_of();
  if (!as_of) return tl::unexpected(as_of.error());
  const auto solutions = rows_of<view::Solution>(learned->solutions);
  const auto facts = rows_of<view::Fact>(learned->facts);
  const auto tools = rows_of<view::CatalogueTool>(learned->tools);
  if (!solutions) return tl::unexpected(solutions.error());
  if (!facts) return tl::unexpected(facts.error());
  if (!tools) return tl::unexpected(tools.error());
  Console& console = session.console();
  Status written;
  if (session.options().format == Format::json) {
    std::string out;
    JsonObject object(out);
    write_list(object, "solutions", *solutions, solution_json);
    write_list(object, "facts", *facts, fact_json);
    write_list(object, "tools", *tools, catalogue_tool_json);
    object.number("position", learned->solutions.position);
    object.at("next").null();
    object.end();
    written = console.write_line(out);
  } else {
    if (solutions->empty() && facts->empty() && tools->empty()) console.say("nothing was learned yet");
    written = print_section(console, "Solutions", solutions_table(*solutions, *as_of));
    if (written) written = print_section(console, "Facts", facts_table(*facts));
    if (written) written = print_section(console, "Tools", catalogue_table(*tools, *as_of));
    tell_place(session, learned->solutions);
  }
  if (!written) return tl::unexpected(written.error());
  return 0;
}

constexpr Option kLearningOptions[] = {
    kProjectFilter,
    kAgentFilter,
    {"--since", ValueKind::moment, "TIME", "only what was learned since then"},
    kUntilFilter,
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
                                  0,
                                  0,
                                  Completes::nothing,
                                  reading<run_learning>,
                                  kNeedsStore};

}  // namespace luzia
