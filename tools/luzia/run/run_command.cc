// run: dispatches a task in the current folder, without configuration.
#include <filesystem>

#include "engine/base/places.h"
#include "engine/base/try.h"
#include "engine/ports/agent.h"
#include "tools/luzia/families.h"
#include "tools/luzia/run/dispatch.h"
#include "tools/luzia/run/find_program.h"
#include "tools/luzia/run/folder_project.h"

namespace luzia {
namespace {

constexpr const char* kShell = "shell";

/// The agent to use. Empty: let the daemon use the configured one. `no_agent` (usage): none is installed.
Result<std::string> agent_for(const Config& config, const FolderProject& project) {
  const auto known = config.projects.find(project.name);
  const bool configured = known != config.projects.end() && !known->second.agent.empty();
  if (configured || config.defaults.agent != kShell) return std::string();
  for (const Agent& agent : known_agents()) {
    if (is_installed(config, agent.name)) return std::string(agent.name);
  }
  return fail(
      ErrorKind::usage, "no_agent", "no coding agent is installed (" + agent_names() + ")",
      "install one, run a plain command with luzia -- COMMAND, or choose an agent with --agent NAME or "
      "[defaults] agent in luzia.toml");
}

/// The folder that --dir names, if the current one is in no project: the work is there.
std::string folder_of_work(const Config& config, const Arguments& args, const std::string& current) {
  if (!args.has("dir") || project_of_folder(config, current)) return current;
  std::error_code ignored;
  const auto named = std::filesystem::absolute(args.text("dir"), ignored);
  return std::filesystem::weakly_canonical(named, ignored).string();
}

/// A whole home folder becomes a project only if somebody says so.
Status is_not_home(const std::string& folder) {
  std::error_code error;
  const auto home = std::filesystem::weakly_canonical(home_directory(), error);
  if (error || home.empty() || project_top(folder) != home) return {};
  return fail(ErrorKind::usage, "home_folder",
              home.string() + " is your home folder, and all of it would become a project",
              "change to the folder you work in, name it with --dir, or if you mean it: luzia project add ~");
}

Result<int> run_here(Invocation& invocation) {
  return run_in_folder(invocation, invocation.args().positionals(), invocation.args().text("agent"));
}

}  // namespace

Result<int> run_in_folder(Invocation& invocation, const std::vector<std::string>& words,
                          const std::string& agent) {
  const Arguments& args = invocation.args();
  if (args.has("batch")) {
    return fail(ErrorKind::usage, "bad_usage",
                "run takes no --batch, because the lines of a batch name projects",
                "luzia dispatch --batch FILE.jsonl");
  }
  if (words.empty() && !args.has("file")) {
    return fail(ErrorKind::usage, "bad_usage", "running: no task given",
                "luzia run \"TASK\", or - for standard input, or --file FILE");
  }
  const auto config = LUZIA_TRY(invocation.config());
  std::error_code error;
  const std::string current = std::filesystem::current_path(error).string();
  if (error)
    return fail(ErrorKind::usage, "no_directory", "the current folder does not exist any more",
                "change to another one");
  const std::string folder = folder_of_work(*config, args, current);
  const auto known = project_of_folder(*config, folder);
  if (!known && args.has("dry-run")) {
    return fail(ErrorKind::usage, "unknown_project",
                folder + " is not a project yet, and a dry run does not create one", "luzia project add");
  }
  if (!known && !args.has("dir")) {
    LUZIA_TRY(is_not_home(folder));
  }
  std::string chosen = agent;
  if (chosen.empty()) {
    chosen = LUZIA_TRY(agent_for(*config, known.value_or(FolderProject{})));
  }
  const auto project = LUZIA_TRY(project_for_folder(*config, args.text("config"), folder));
  std::vector<std::string> dispatched = {project.name};
  dispatched.insert(dispatched.end(), words.begin(), words.end());
  std::string none;
  auto dispatch = LUZIA_TRY(dispatch_from(args, dispatched, none));
  wire::DispatchJobT& job = *dispatch.jobs.front();
  if (job.dir.empty() && folder != project.path) job.dir = folder;
  job.agent = chosen;
  return send_dispatch(invocation, std::move(dispatch), none, project);
}

const Command kRunCommand = {
    "run",
    "Run",
    "\"TASK\" [options]\n- < TASK.md\n--file TASK.md",
    "run a task in the current folder; needs no configuration",
    "The folder becomes a project named after it (the top of its git work tree, or "
    "the folder itself outside git; luzia projects lists them). Outside of a project, --dir names the folder "
    "that becomes one; a home folder becomes one only by --dir or luzia project add. The agent is the "
    "configured one, or the first installed one that luzia doctor knows. \"luzia "
    "AGENT TASK\" is short for run --agent AGENT, \"luzia . TASK\" for run, and \"luzia -- COMMAND\" runs a "
    "command line. Everything else is as for luzia dispatch.",
    "luzia run \"fix the failing test\"\n"
    "luzia claude \"add dark mode\"\n"
    "luzia -- make test",
    dispatch_options(),
    {0, 1},
    run_here};

}  // namespace luzia
