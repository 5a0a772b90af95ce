// The part of DaemonDoor for the tools about flows, solutions and facts.
#include "engine/base/try.h"
#include "projections/rows/catalogue_rows.h"
#include "projections/rows/flow_context.h"
#include "projections/rows/learning_rows.h"
#include "tools/luzia/agents/mcp/daemon_door.h"

namespace luzia::mcp {
namespace {

constexpr std::size_t kSuggestedTools = 10;
constexpr std::uint32_t kMostTools = 500;

}  // namespace

Workplace DaemonDoor::workplace() const {
  return {own_.job, environment_variable("LUZIA_PROJECT"), environment_variable("LUZIA_FLOW"),
          environment_variable("LUZIA_STEP")};
}

Result<std::vector<std::string>> DaemonDoor::teach(wire::RequestUnion request) {
  const auto accepted = reports_.send(request);
  return accepted ? Result<std::vector<std::string>>(accepted->ids) : tl::unexpected(accepted.error());
}

Result<std::string> DaemonDoor::learned(const wire::QueryT& query) {
  const auto page = LUZIA_TRY(read(query));
  if (page.type() == wire::RowType::fact) return rows_json("facts", page.as<view::Fact>(), page, fact_json);
  if (page.type() == wire::RowType::todo) return rows_json("todos", page.as<view::Todo>(), page, todo_json);
  return rows_json("solutions", page.as<view::Solution>(), page, solution_json);
}

Result<std::string> DaemonDoor::tools(const std::string& project, const std::string& task) {
  wire::QueryT query = view_query(wire::View::catalogue);
  query.limit = kMostTools;
  if (!project.empty()) query.filter->projects = {project};
  const auto page = LUZIA_TRY(read(query));
  if (task.empty()) return rows_json("tools", page.as<view::CatalogueTool>(), page, catalogue_tool_json);
  std::vector<view::CatalogueToolT> tools;
  for (const view::CatalogueTool* row : page.as<view::CatalogueTool>()) row->UnPackTo(&tools.emplace_back());
  return tool_suggestions_json(suggest_tools(tools, task, kSuggestedTools));
}

Result<std::string> DaemonDoor::context(const std::string& flow) {
  wire::QueryT query = view_query(wire::View::flows);
  query.id = flow;
  const auto page = LUZIA_TRY(read(query));
  const auto rows = page.as<view::Flow>();
  if (rows.empty()) return fail(ErrorKind::not_found, "no_such_flow", "no flow '" + flow + "'");
  Flow native;
  rows.front()->UnPackTo(&native);
  return flow_context_json(native);
}

}  // namespace luzia::mcp
