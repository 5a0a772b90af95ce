// flows, flow: tasks of several steps, now and as they were.
#include "projections/rows/flow_rows.h"
#include "tools/luzia-query/commands.h"
#include "tools/luzia-query/listing.h"

namespace luzia {
namespace {

std::vector<Flow> native_flows(const std::vector<const view::Flow*>& rows) {
  std::vector<Flow> flows;
  for (const view::Flow* row : rows) row->UnPackTo(&flows.emplace_back());
  return flows;
}

std::string json_of(const view::Flow& row) {
  Flow flow;
  row.UnPackTo(&flow);
  return flow_json(flow);
}

}  // namespace

Result<int> run_flows(Session& session) {
  auto source = session.source();
  if (!source) return tl::unexpected(source.error());
  const auto page = collect_pages(**source, session.query(wire::View::flows),
                                  session.options().limit.value_or(kDefaultLimit));
  if (!page) return tl::unexpected(page.error());
  const auto as_of = session.seen_until();
  if (!as_of) return tl::unexpected(as_of.error());
  const Shapes<view::Flow> shapes = {
      "flows", json_of,
      [&](const auto& rows, Form form) { return flows_table(native_flows(rows), *as_of, form); },
      session.options().filter.ended ? "no such flows"
                                     : "no active flows; --all shows those that have ended"};
  if (Status printed = print_list(session, *page, shapes); !printed) return tl::unexpected(printed.error());
  return 0;
}

Result<int> run_flow(Session& session) {
  auto source = session.source();
  if (!source) return tl::unexpected(source.error());
  wire::QueryT query = session.query(wire::View::flows);
  query.id = session.options().name;
  const auto page = (*source)->query(query);
  if (!page) return tl::unexpected(page.error());
  const auto as_of = session.seen_until();
  if (!as_of) return tl::unexpected(as_of.error());
  const auto rows = rows_of<view::Flow>(*page);
  if (!rows) return tl::unexpected(rows.error());
  const auto flows = native_flows(*rows);
  if (flows.empty()) {
    return fail(ErrorKind::not_found, "no_such_flow",
                "there was no flow '" + session.options().name + "' then",
                "without --at it is shown as it is now");
  }
  Console& console = session.console();
  Status written;
  switch (session.options().format) {
    case Format::json:
      written = console.write_line(flow_json(flows.front()));
      break;
    case Format::csv:
      written = console.write(flows_table(flows, *as_of, Form::data).csv());
      break;
    case Format::table:
      written = console.write(flow_card(flows.front(), *as_of, console.style()));
      tell_place(session, *page);
      break;
  }
  if (!written) return tl::unexpected(written.error());
  return 0;
}

}  // namespace luzia
