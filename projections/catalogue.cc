#include "projections/catalogue.h"

#include <map>
#include <tuple>

#include "engine/event/event.h"
#include "projections/tool_advice.h"
#include "projections/tools.h"

namespace luzia {
namespace {

/// Agents name the tools of a Model Context Protocol server mcp__SERVER__TOOL.
std::string source_of(std::string_view tool) {
  constexpr std::string_view kBegin = "mcp__";
  if (!tool.starts_with(kBegin)) return "agent";
  tool.remove_prefix(kBegin.size());
  const std::size_t end = tool.find("__");
  return end == std::string_view::npos ? std::string("agent") : "mcp " + std::string(tool.substr(0, end));
}

class CatalogueReport : public OneView<JobReport, view::CatalogueTool, kCatalogueView> {
 public:
  using OneView::OneView;

  void note(const JobStep& step) override {
    const auto* tool = step.event.payload_as_ToolEvent();
    if (tool == nullptr) return;
    if (const auto* named = tool->fact_as_ToolCatalogued()) return catalogued(*named, step.event.time_us());
    const auto* offered = tool->fact_as_ToolsOffered();
    if (offered == nullptr || step.job == nullptr || offered->tools() == nullptr) return;
    for (const auto* name : *offered->tools()) {
      const std::string_view tool_name = name->string_view();
      row_of(step.job->project, tool_name, step.job->agent, step.event.time_us()).source =
          source_of(tool_name);
    }
  }

 private:
  void catalogued(const schema::ToolCatalogued& fact, TimeUs now) {
    view::CatalogueToolT& row = row_of(text(fact.project()), text(fact.tool()), "", now);
    row.category = text(fact.category());
    row.documentation = text(fact.documentation());
    row.source = text(fact.source());
  }
  view::CatalogueToolT& row_of(std::string_view project, std::string_view tool, std::string_view agent,
                               TimeUs now) {
    view::CatalogueToolT& row = rows_.edit(joined_key({project, tool, agent}));
    if (row.first_us == 0) {
      row.project = project;
      row.tool = tool;
      row.agent = agent;
      row.first_us = now;
    }
    row.last_us = now;
    return row;
  }
};

struct Usage {
  std::uint64_t calls = 0, failures = 0;
};
/// By project, tool, agent.
using Usages = std::map<std::tuple<std::string, std::string, std::string>, Usage>;

Usages usages_of(const ViewReader& rows, std::string_view project) {
  Usages usages;
  rows.scan(
      row_key(kToolsView, ""), row_key(kToolsView, kBehindDays),
      [&](std::string_view, std::string_view value) {
        const StoredRow<view::ToolDay> day(value);
        if (!project.empty() && text(day->project()) != project) return true;
        for (const std::string_view agent : {text(day->agent()), std::string_view()}) {
          Usage& usage =
              usages[{std::string(text(day->project())), std::string(text(day->tool())), std::string(agent)}];
          usage.calls += day->calls();
          usage.failures += day->failures() + day->denials();
        }
        return true;
      });
  return usages;
}

}  // namespace

std::unique_ptr<JobReport> make_catalogue_report(const ViewReaderSource& rows) {
  return std::make_unique<CatalogueReport>(rows);
}

void visit_catalogue(const ViewReader& rows, std::string_view project,
                     const std::function<bool(view::CatalogueToolT)>& visit) {
  const Usages usages = usages_of(rows, project);
  std::string from(project), end;
  if (!project.empty()) from.push_back('\0');
  if (!project.empty()) end = row_key(kCatalogueView, std::string(project).append(1, '\1'));
  rows.scan(row_key(kCatalogueView, from), project.empty() ? row_end(kCatalogueView) : end,
            [&](std::string_view, std::string_view value) {
              view::CatalogueToolT row = StoredRow<view::CatalogueTool>(value).native();
              const auto used = usages.find({row.project, row.tool, row.agent});
              if (used != usages.end()) {
                row.calls = used->second.calls;
                row.failures = used->second.failures;
              }
              if (row.agent.empty()) join_advice(rows, row);
              return visit(std::move(row));
            });
}

bool is_catalogued(const ViewReader& rows, std::string_view project, const schema::ToolCataloguedT& tool,
                   TimeUs since) {
  const auto row = read_row<view::CatalogueTool>(rows, kCatalogueView, joined_key({project, tool.tool, ""}));
  return row && (*row)->last_us() >= since && text((*row)->category()) == tool.category &&
         text((*row)->documentation()) == tool.documentation && text((*row)->source()) == tool.source;
}

}  // namespace luzia
