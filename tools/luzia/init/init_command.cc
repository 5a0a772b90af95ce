// init: enters Luzia into the settings of an agent, and takes it out again.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "engine/base/counted.h"
#include "projections/rows/harmless.h"
#include "tools/cli/invocation.h"
#include "tools/cli/json_text.h"
#include "tools/luzia/families.h"
#include "tools/luzia/init/agent_settings.h"
#include "tools/luzia/init/line_diff.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

constexpr Option kInitOptions[] = {
    {"--project", ValueKind::text, "DIR", "the project's folder (default: the current one)", "",
     Completes::directory},
    {"--user", ValueKind::flag, "",
     "the user's own settings instead of a project's, also where a variable of the agent puts them "
     "elsewhere"},
    {"--undo", ValueKind::flag, "", "take out again what luzia init has entered, and nothing else"},
    {"-y,--yes", ValueKind::flag, "", "really change the files"},
};

/// "luzia" where that finds this program, so that the settings can be shared; else its path.
std::string own_name() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const char* variable = std::getenv("PATH");
  std::string_view folders = variable == nullptr ? "" : variable;
  while (!folders.empty()) {
    const std::string_view folder = folders.substr(0, folders.find(':'));
    folders.remove_prefix(std::min(folder.size() + 1, folders.size()));
    const fs::path candidate = fs::path(folder) / "luzia";
    if (::access(candidate.c_str(), X_OK) == 0) {
      return fs::equivalent(candidate, self, error) ? "luzia" : self.string();
    }
  }
  return self.string();
}

bool has_settings(const Agent& agent) {
  return !agent.settings.empty();
}

Result<const Agent*> agent_of(const std::string& name) {
  if (const Agent* agent = find_agent(name); agent != nullptr && has_settings(*agent)) return agent;
  return fail(ErrorKind::usage, "bad_usage",
              "setting up '" + name + "': there are no settings for this agent",
              "luzia init AGENT, of " + agent_names(has_settings));
}

/// Where a variable puts the user's settings of an agent; empty: where they are by default.
std::string moved_settings(const Agent& agent) {
  const char* folder = std::getenv(agent.user_settings_variable);
  std::error_code ignored;
  return folder == nullptr || folder[0] == '\0' ? std::string() : fs::absolute(folder, ignored).string();
}

Result<std::string> settings_folder(const Arguments& args, const Agent& agent) {
  if (args.has("user")) {
    const char* home = std::getenv("HOME");
    if (args.has("project") || !agent.has_user_settings || home == nullptr || home[0] != '/') {
      return fail(ErrorKind::usage, "bad_usage",
                  !agent.has_user_settings
                      ? "--user: " + std::string(agent.title) + " is set up for a project"
                  : args.has("project") ? "--user and --project: one of them"
                                        : "--user: $HOME is not set",
                  "luzia init AGENT --project DIR");
    }
    const std::string moved = moved_settings(agent);
    std::error_code unreadable;
    if (!moved.empty() && !fs::is_directory(moved, unreadable)) {
      return fail(
          ErrorKind::usage, "bad_usage",
          "--user: there is no folder " + moved + ", which " + agent.user_settings_variable + " names",
          "make it, or unset the variable");
    }
    return moved.empty() ? std::string(home) : moved;
  }
  std::error_code error;
  const fs::path folder = fs::canonical(args.has("project") ? args.text("project") : ".", error);
  if (error || !fs::is_directory(folder, error)) {
    return fail(ErrorKind::usage, "bad_usage", "--project: there is no folder " + args.text("project"));
  }
  return folder.string();
}

void show_changes(const Invocation& invocation, const std::vector<init::FileChange>& changes, bool done) {
  if (!invocation.json()) {
    for (const auto& change : changes) {
      print(
          make_harmless(init::line_diff(change.file, change.before, change.after), {.keep_newlines = true}));
    }
    return;
  }
  Json list = Json::array();
  for (const auto& change : changes) {
    list.push_back(
        {{"file", change.file}, {"diff", init::line_diff(change.file, change.before, change.after)}});
  }
  print_line(json_line({{"changes", list}, {"done", done}}));
}

Result<int> run_init(Invocation& invocation) {
  const Arguments& args = invocation.args();
  const auto agent = agent_of(args.positionals().front());
  if (!agent) {
    return tl::unexpected(agent.error());
  }
  auto folder = settings_folder(args, **agent);
  if (!folder) {
    return tl::unexpected(folder.error());
  }
  const bool is_agents =
      (*agent)->variable_names_own_folder && args.has("user") && !moved_settings(**agent).empty();
  const auto changes =
      init::changes_of({*agent, std::move(*folder), own_name(), args.has("undo"), is_agents});
  if (!changes) {
    return tl::unexpected(changes.error());
  }
  const bool wanted = args.has("yes") && !changes->empty();
  if (wanted) {
    if (const Status written = init::write_changes(*changes); !written) {
      return tl::unexpected(written.error());
    }
  }
  show_changes(invocation, *changes, args.has("yes"));
  if (changes->empty()) {
    invocation.say("nothing to change");
  } else if (!wanted) {
    return fail(ErrorKind::refused, "needs_yes", "this would change " + counted(changes->size(), "file"),
                "add --yes to do it");
  }
  if (!args.has("undo") && !(*agent)->advice.empty()) {
    invocation.say((*agent)->advice);
  }
  return 0;
}

}  // namespace

const Command kInitCommand = {
    "init",
    "Agents",
    "AGENT [--project DIR | --user] [--undo] [--yes]",
    "add Luzia's tools and hooks to an agent's settings",
    "Shows what would change; with --yes it is done. Everything else in the files stays as it is, byte for "
    "byte; what is already there is not entered twice. Every agent gets Luzia's tools; of Claude Code, which "
    "asks hooks "
    "before each tool call, also those and the permission to use the tools.",
    "luzia init claude --project /srv/web\n"
    "luzia init claude --project /srv/web --yes\n"
    "luzia init codex --user --yes\n"
    "luzia init claude --undo --yes",
    kInitOptions,
    1,
    1,
    Completes::agent,
    run_init};

}  // namespace luzia
