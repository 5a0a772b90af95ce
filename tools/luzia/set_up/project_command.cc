// project: lists projects, and makes a folder a project.
#include <algorithm>
#include <filesystem>

#include "engine/base/try.h"
#include "projections/rows/harmless.h"
#include "projections/rows/json_object.h"
#include "projections/rows/table.h"
#include "tools/luzia/families.h"
#include "tools/luzia/run/folder_project.h"
#include "tools/luzia/verbs.h"
#include "tools/read/commands.h"

namespace luzia {
namespace {

constexpr Option kProjectOptions[] = {
    {"--name", ValueKind::text, "NAME", "add: the project's name (default: the folder's name)"},
    {"--since", ValueKind::moment, "TIME", "show: only what was counted, learned or asked since then"},
    kAtOption,
};

std::string project_json(const std::string& name, const std::string& path, const std::string& agent) {
  JsonObject object;
  object.text("name", name);
  object.text("path", path);
  object.text("agent", agent);
  return object.take();
}

const std::string& agent_of(const Config& config, const ProjectConfig& project) {
  return project.agent.empty() ? config.defaults.agent : project.agent;
}

/// `only_here` (refused)
Status need_this_machine(const Invocation& invocation) {
  if (!invocation.is_elsewhere()) return {};
  return fail(ErrorKind::refused, "only_here",
              "projects are listed and added on their own machine: they are in its configuration",
              "luzia --on MACHINE project NAME shows one of another machine");
}

Result<int> list_projects(Invocation& invocation, const Words&) {
  LUZIA_TRY(need_this_machine(invocation));
  const auto config = LUZIA_TRY(invocation.config());
  if (invocation.json()) {
    std::string all;
    for (const auto& [name, project] : config->projects) {
      all += (all.empty() ? "" : ",") + project_json(name, project.path, agent_of(*config, project));
    }
    print_line("{\"projects\":[" + all + "]}");
    return 0;
  }
  if (config->projects.empty()) {
    invocation.say("no projects yet; what next: luzia project add, in the folder you work in");
    return 0;
  }
  Table table({{"PROJECT"}, {"PATH", Align::left, 10, true}, {"AGENT"}});
  for (const auto& [name, project] : config->projects) {
    table.add({{name, Colour::bold}, {project.path}, {agent_of(*config, project)}});
  }
  print(table.text(invocation.terminal().style()));
  return 0;
}

/// Adds the folder as a project. If it is one already, returns that, unless --name asks for another name.
Result<FolderProject> added(Invocation& invocation, const Config& config, const std::string& folder) {
  const std::string option = invocation.args().text("config"), wanted = invocation.args().text("name");
  if (wanted.empty()) {
    auto project = LUZIA_TRY(project_for_folder(config, option, folder));
    if (!project.file.empty()) {
      LUZIA_TRY(write_project(project));
    }
    return project;
  }
  if (config.projects.contains(wanted)) {
    return fail(ErrorKind::usage, "project_exists", "project '" + wanted + "' already exists",
                "luzia projects shows its folder; choose another --name");
  }
  FolderProject project{wanted, folder, config_files(option).back().path, {}};
  LUZIA_TRY(write_project(project));
  return project;
}

Result<int> add_project(Invocation& invocation, const Words& words) {
  LUZIA_TRY(need_this_machine(invocation));
  const auto config = LUZIA_TRY(invocation.config());
  std::error_code error;
  const std::string named = words.empty() ? "." : words.front();
  const auto folder = std::filesystem::canonical(named, error);
  if (error || !std::filesystem::is_directory(folder, error)) {
    return fail(ErrorKind::usage, "no_directory", "there is no folder '" + named + "'",
                "luzia project add [DIR]");
  }
  const auto before = project_of_folder(*config, folder.string());
  const auto project = LUZIA_TRY(added(invocation, *config, folder.string()));
  const bool has_two = before && before->path == project.path && before->name != project.name;
  print_line(invocation.json() ? project_json(project.name, project.path, config->defaults.agent)
                               : make_harmless(project.name));
  invocation.say(
      project.file.empty()
          ? project.path + " is project " + project.name + " already"
          : project.path + " is project " + project.name + " from now on (" + project.file + ")" +
                (has_two ? "; it is project " + before->name + " already, and stays that, too" : ""));
  return 0;
}

Result<int> show_page(Invocation& invocation, const Words& words) {
  invocation.create_nothing();
  return run_reading(invocation, [&](Session& session) { return show_project(session, words.front()); });
}

constexpr Verb kProjectVerbs[] = {
    {"list", "", 0, 0, list_projects},
    {"show", "NAME [--since TIME] [--at TIME]", 1, 1, show_page, "since at", kNeedsStore},
    {"add", "[DIR] [--name NAME]", 0, 1, add_project, "name"},
};

/// A single word that is no verb is a project: luzia project NAME.
Result<int> run_project(Invocation& invocation) {
  const auto& words = invocation.args().positionals();
  const bool names_verb = words.empty() || std::ranges::any_of(kProjectVerbs, [&](const Verb& verb) {
                            return verb.name == words.front();
                          });
  if (!names_verb && words.size() == 1 && !invocation.args().has("name")) return show_page(invocation, words);
  return run_verb(invocation, verbs_of(kProjectVerbs), "list");
}

}  // namespace

const Command kProjectCommand = {
    "project",
    "Set up",
    "[list]\n[show] NAME [--since TIME] [--at TIME]\nadd [DIR] [--name NAME]",
    "list projects, show all about one, or make a folder a project",
    "A project is a folder with a name. With a NAME, one page shows what is known of it: how its jobs came "
    "out, by agent; how long they ran; costs; the problems they usually meet, and what helps; tools, "
    "solutions and facts; and what is open: questions, approvals, jobs, flows and todos. add writes it into "
    "the configuration: the top of the git work tree that contains DIR (default: the current folder), or DIR "
    "itself outside git. luzia run does this automatically. \"luzia projects\" is short for list.",
    "luzia projects\nluzia project web\nluzia project add ~/src/shop\nluzia project add --name shop-api "
    "~/src/shop/api",
    kProjectOptions,
    {0, 2, Completes::directory},
    run_project,
    false,
    "it lists all projects, or shows one, since a time\nluzia jobs and luzia stats take these filters"};

}  // namespace luzia
