#include "tools/luziad/watching/tool_catalogue.h"

#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "adapters/mcp_files/mcp_files.h"
#include "adapters/project_files/project_files.h"
#include "engine/base/utf8.h"
#include "engine/ports/agent.h"
#include "projections/catalogue.h"

namespace luzia {

/// A project and what its files name.
struct LookedAt {
  std::string name, path;
  std::vector<schema::ToolCataloguedT> tools;
};

namespace {

constexpr std::size_t kMaxToolName = 200, kMaxToolText = 1000;
constexpr const char* kMcpCategory = "mcp";
constexpr TimeUs kPause = kSecondUs;  // between two checks of a project

void add_servers(LookedAt& project, const std::string& path, std::string_view of_project,
                 const std::string& source) {
  const auto servers = read_mcp_servers(path, of_project);
  if (!servers) {
    spdlog::warn("tools of project {}: {}", project.name, servers.error().message);
    return;
  }
  for (const McpServer& server : *servers) {
    // A name is one tool, defined by its first entry; otherwise each check would report the other entry as
    // new.
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

/// A tool that no file or setting of the project names already.
void add_known(LookedAt& project, std::string_view name, std::string_view category, std::string_view about,
               const char* source) {
  if (std::ranges::find(project.tools, name, &schema::ToolCataloguedT::tool) != project.tools.end()) return;
  schema::ToolCataloguedT tool;
  tool.tool = name;
  tool.category = category;
  tool.documentation = about;
  tool.source = source;
  project.tools.push_back(std::move(tool));
}

/// What builds and tests the project, and what its agent brings along.
void add_own_tools(LookedAt& project, const std::string& agent) {
  // A shell runs what its task says: it chooses among no tools.
  const Agent* known = find_agent(agent);
  if (known == nullptr) return;
  for (const ProjectTool& tool : find_technologies(project.path).tools)
    add_known(project, tool.name, "build", tool.about, "project files");
  for (const AgentTool& tool : known->tools)
    add_known(project, tool.name, tool.category, tool.about, "agent");
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

struct ToolCatalogue::Look {
  struct Project : LookedAt {
    std::optional<Marks> before;  // unset: checked even if its files are unchanged
    Marks marks{};
    bool changed = false;
    std::string agent;
  };
  std::vector<Project> projects;
  std::string home;
};

ToolCatalogue::FileMark ToolCatalogue::mark_of(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return {};
  return {static_cast<std::int64_t>(status.st_ino), static_cast<std::int64_t>(status.st_size),
          static_cast<std::int64_t>(status.st_mtim.tv_sec),
          static_cast<std::int64_t>(status.st_mtim.tv_nsec)};
}

/// Takes the marks first: a file that changes during reading is read again.
void ToolCatalogue::read_files(Look& look) {
  const std::string of_person = look.home.empty() ? std::string() : look.home + "/.claude.json";
  for (Look::Project& project : look.projects) {
    const std::string own = project.path.empty() ? std::string() : project.path + "/.mcp.json";
    const std::string package = project.path.empty() ? std::string() : project.path + "/package.json";
    project.marks = {mark_of(own), mark_of(of_person), mark_of(package)};
    project.changed = !project.before || *project.before != project.marks;
    if (!project.changed) continue;
    if (!own.empty()) add_servers(project, own, {}, ".mcp.json");
    if (!of_person.empty()) add_servers(project, of_person, project.path, "~/.claude.json");
    add_own_tools(project, project.agent);
  }
}

void ToolCatalogue::look() {
  std::vector<std::string> projects;
  for (const auto& [name, project] : config_.projects) projects.push_back(name);
  start(projects, false);
}

void ToolCatalogue::job_changed(const JobState& job) {
  const bool comes = job.state == schema::JobState::queued || job.state == schema::JobState::starting;
  if (comes && job.spec) job_queued(job.spec->project);
}

void ToolCatalogue::job_queued(const std::string& project) {
  if (!config_.projects.contains(project)) return;
  Seen& seen = seen_[project];
  if (seen.again) return;
  const bool rests = seen.looks == 0 && (seen.begun == 0 || monotonic_now() - seen.begun >= kPause);
  if (rests) return start({project}, true);
  seen.again = true;
  if (timer_ && !timer_->running()) timer_->start(kPause / kMillisecondUs, [this] { look_again(); });
}

/// Projects being checked right now wait for the next time.
void ToolCatalogue::look_again() {
  std::vector<std::string> projects;
  for (auto& [name, seen] : seen_) {
    if (std::exchange(seen.again, false)) projects.push_back(name);
  }
  for (const std::string& name : projects) job_queued(name);
}

void ToolCatalogue::start(const std::vector<std::string>& projects, bool changed_only) {
  auto look = std::make_shared<Look>();
  for (const std::string& name : projects) {
    const ProjectConfig& project = config_.projects.at(name);
    Seen& seen = seen_[name];
    ++seen.looks;
    seen.begun = monotonic_now();
    Look::Project& each = look->projects.emplace_back();
    each.name = name;
    each.path = project.path;
    each.agent = project.agent.empty() ? config_.defaults.agent : project.agent;
    if (changed_only) each.before = seen.marks;
    for (const std::string& words : project.tools) each.tools.push_back(configured_tool(words));
  }
  const char* home = std::getenv("HOME");
  look->home = home != nullptr ? home : "";
  threads_.workers.run([look] { read_files(*look); },
                       [this, look] {
                         if (!threads_.stopping.stop_requested()) finish(*look);
                       });
}

void ToolCatalogue::finish(Look& look) {
  for (Look::Project& project : look.projects) {
    Seen& seen = seen_[project.name];
    seen.marks = project.marks;
    if (project.changed) record(project.name, std::move(project.tools));
    --seen.looks;
  }
}

void ToolCatalogue::record(const std::string& project, std::vector<schema::ToolCataloguedT> tools) {
  const auto rows = views_.snapshot();
  ToCatalogue item{project, {}};
  for (schema::ToolCataloguedT& tool : tools) {
    if (tool.tool.empty() || is_catalogued(*rows, project, tool, wall_now() - kDayUs)) continue;
    item.tools.push_back(std::move(tool));
  }
  if (item.tools.empty() || !rows->status()) return;
  engine_.submit(by_daemon(wall_now()), std::move(item), {});
}

}  // namespace luzia
