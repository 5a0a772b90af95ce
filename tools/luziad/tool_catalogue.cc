#include "tools/luziad/tool_catalogue.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdlib>

#include "adapters/mcp_files/mcp_files.h"
#include "engine/base/utf8.h"
#include "projections/catalogue.h"

namespace luzia {
namespace {

constexpr std::size_t kMaxToolName = 200, kMaxToolText = 1000;
constexpr const char* kMcpCategory = "mcp";

struct Look {
  struct Project {
    std::string name, path;
    std::vector<schema::ToolCataloguedT> tools;
  };
  std::vector<Project> projects;
  std::string home;
};

void add_servers(Look::Project& project, const std::string& path, std::string_view of_project,
                 const std::string& source) {
  const auto servers = read_mcp_servers(path, of_project);
  if (!servers) {
    spdlog::warn("tools of project {}: {}", project.name, servers.error().message);
    return;
  }
  for (const McpServer& server : *servers) {
    // One name is one tool, as it was named first: else each look would find the other one to be news.
    if (std::ranges::find(project.tools, server.name, &schema::ToolCataloguedT::tool) != project.tools.end())
      continue;
    schema::ToolCataloguedT tool;
    tool.tool = server.name;
    tool.category = kMcpCategory;
    tool.documentation =
        "a server of the Model Context Protocol" + (server.about.empty() ? "" : ", " + server.about);
    tool.source = source;
    project.tools.push_back(std::move(tool));
  }
}

}  // namespace

schema::ToolCataloguedT configured_tool(const std::string& words) {
  const std::size_t colon = words.find(": ");
  schema::ToolCataloguedT tool;
  tool.tool = bounded_utf8(words.substr(0, colon), kMaxToolName);
  if (colon != std::string::npos) tool.documentation = bounded_utf8(words.substr(colon + 2), kMaxToolText);
  tool.source = "config";
  return tool;
}

void ToolCatalogue::look() {
  auto look = std::make_shared<Look>();
  for (const auto& [name, project] : parts_.config.projects) {
    Look::Project& each = look->projects.emplace_back();
    each.name = name;
    each.path = project.path;
    for (const std::string& words : project.tools) each.tools.push_back(configured_tool(words));
  }
  const char* home = std::getenv("HOME");
  look->home = home != nullptr ? home : "";
  parts_.workers.run(
      [look] {
        for (Look::Project& project : look->projects) {
          if (!project.path.empty()) add_servers(project, project.path + "/.mcp.json", {}, ".mcp.json");
          if (!look->home.empty())
            add_servers(project, look->home + "/.claude.json", project.path, "~/.claude.json");
        }
      },
      [this, look] {
        if (parts_.stopping.stop_requested()) return;
        for (Look::Project& project : look->projects) record(project.name, std::move(project.tools));
      });
}

void ToolCatalogue::record(const std::string& project, std::vector<schema::ToolCataloguedT> tools) {
  const auto rows = parts_.views.snapshot();
  CatalogueOrder order{project, {}};
  for (schema::ToolCataloguedT& tool : tools) {
    if (tool.tool.empty() || is_catalogued(*rows, project, tool, wall_now() - kDayUs)) continue;
    order.tools.push_back(std::move(tool));
  }
  if (order.tools.empty() || !rows->status()) return;
  CommandMeta meta;
  meta.now = wall_now();
  parts_.engine.submit(meta, std::move(order), {});
}

}  // namespace luzia
