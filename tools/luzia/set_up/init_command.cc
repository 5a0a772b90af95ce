// init: sets up the current folder by three questions; or adds Luzia to the settings of one agent, and
// removes it again.
#include <stdio.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "engine/base/counted.h"
#include "engine/base/try.h"
#include "projections/rows/harmless.h"
#include "projections/rows/wrapped.h"
#include "tools/cli/invocation.h"
#include "tools/cli/json_text.h"
#include "tools/luzia/families.h"
#include "tools/luzia/run/find_program.h"
#include "tools/luzia/run/folder_project.h"
#include "tools/luzia/set_up/agent_settings.h"
#include "tools/luzia/set_up/line_diff.h"
#include "tools/luzia/set_up/reload.h"
#include "tools/luzia/set_up/settings_files.h"
#include "tools/luzia/set_up/setup_questions.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

constexpr Option kInitOptions[] = {
    {"--project", ValueKind::text, "DIR", "the project's folder (default: the current one)", "",
     Completes::directory},
    {"--user", ValueKind::flag, "",
     "the user's own settings instead of a project's, also where a variable of the agent puts them "
     "elsewhere"},
    {"--undo", ValueKind::flag, "", "remove what luzia init has added, and nothing else"},
    {"-y,--yes", ValueKind::flag, "", "change the files; without AGENT: ask nothing, take the defaults"},
};

/// "luzia" if $PATH leads to this program, so that the settings can be shared; else its path.
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
              "setting up '" + name + "': luzia init does not know this agent's settings",
              "luzia init AGENT, of " + agent_names(has_settings));
}

/// The folder that an environment variable of the agent names for the user's settings; empty if it is not
/// set.
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
                      ? "--user: " + std::string(agent.title) + " can only be set up for a project"
                  : args.has("project") ? "--user and --project exclude one another"
                                        : "--user: $HOME is not set",
                  "luzia init AGENT --project DIR");
    }
    const std::string moved = moved_settings(agent);
    std::error_code unreadable;
    if (!moved.empty() && !fs::is_directory(moved, unreadable)) {
      return fail(
          ErrorKind::usage, "bad_usage",
          "--user: there is no folder " + moved + ", which " + agent.user_settings_variable + " names",
          "create it, or unset the variable");
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

/// The text with its lines wrapped to the terminal, each below its first word or behind its number.
std::string to_terminal(Invocation& invocation, const std::string& text) {
  const std::size_t width = invocation.terminal().width;
  const std::string shown = make_harmless(text, {.keep_newlines = true});
  std::string lines;
  for (std::size_t from = 0; from < shown.size();) {
    const std::size_t end = std::min(shown.find('\n', from), shown.size());
    const std::string line = shown.substr(from, end - from);
    const std::size_t begin = std::min(line.find_first_not_of(" 0123456789"), line.size());
    const bool fits = width == 0 || display_width(line) <= width;
    lines += fits ? line : line.substr(0, begin) + wrap_hanging(line.substr(begin), width, begin);
    if (end < shown.size()) lines += '\n';
    from = end + 1;
  }
  return lines;
}

void say_wrapped(Invocation& invocation, const std::string& text) {
  invocation.say(to_terminal(invocation, text));
}

/// One line that is typed at the terminal, behind `text`.
std::optional<std::string> ask_at_terminal(Invocation& invocation, const std::string& text) {
  FILE* err = invocation.surroundings().err;
  std::fflush(invocation.surroundings().out);
  std::fputs(to_terminal(invocation, text).c_str(), err);
  std::fflush(err);
  std::string line;
  for (int c = 0; (c = std::fgetc(stdin)) != EOF && c != '\n';) line += static_cast<char>(c);
  if (!std::feof(stdin) && !std::ferror(stdin)) return line;
  std::fputs("\n", err);
  return std::nullopt;
}

bool has_person(const Invocation& invocation) {
  const Surroundings& around = invocation.surroundings();
  return around.in_stream.terminal && around.err_stream.terminal && !invocation.json() &&
         !invocation.args().has("quiet") && !invocation.args().has("yes");
}

init::Options options_here(const Config& config) {
  init::Options options;
  for (const Agent& agent : known_agents()) {
    if (is_installed(config, agent.name)) options.installed.push_back(&agent);
  }
  options.has_desktop = !find_program("notify-send").empty();
  options.asks_deadline = config.questions.default_timeout_ms == 0;
  options.asks_notified = !init::notifies(config);
  return options;
}

/// The project that the folder belongs to, or what it would become: then `file` is set.
Result<FolderProject> project_to_set_up(const Config& config, const Arguments& args) {
  std::error_code error;
  const fs::path folder = fs::canonical(args.has("project") ? args.text("project") : ".", error);
  if (error || !fs::is_directory(folder, error)) {
    return fail(ErrorKind::usage, "bad_usage", "--project: there is no folder " + args.text("project"));
  }
  if (auto known = project_of_folder(config, folder.string())) return *known;
  FolderProject project;
  project.path = project_top(folder.string());
  project.file = config_files(args.text("config")).back().path;
  if (project.path == "/") {
    return fail(ErrorKind::usage, "bad_folder", "the root folder is not a project",
                "change to a folder of your work, or name one with --project DIR");
  }
  project.name = free_project_name(config, project.path);
  return project;
}

/// The changes of the configuration and of the agents' settings; what is to be done by hand is said.
Result<std::vector<init::FileChange>> changes_for(const Invocation& invocation, const Config& config,
                                                  const FolderProject& project,
                                                  const init::Choices& choices) {
  const std::string file = config_files(invocation.args().text("config")).back().path;
  if (file.empty()) {
    return fail(ErrorKind::usage, "no_home", "there is no home folder to keep the configuration in",
                "set HOME, or name a file with --config");
  }
  const auto text = LUZIA_TRY(init::read_settings(file));
  auto with = LUZIA_TRY(init::with_choices(file, text, config, project, choices));
  std::vector<init::FileChange> changes;
  if (with.after != text) changes.push_back({file, text, with.after});
  for (const std::string& line : with.by_hand) {
    invocation.say("to be added to " + file + " by hand, where the table is already: " + line);
  }
  for (const Agent* agent : choices.agents) {
    auto settings = LUZIA_TRY(init::changes_of({agent, project.path, own_name()}));
    for (auto& change : settings) {
      const bool is_new = std::ranges::find(changes, change.file, &init::FileChange::file) == changes.end();
      if (is_new) changes.push_back(std::move(change));
    }
  }
  return changes;
}

/// A daemon that runs takes up what was written; one that starts later reads it anyway.
void report_daemon(Invocation& invocation) {
  const auto reloaded = reload_daemon(invocation);
  if (reloaded || reloaded.error().code == "no_daemon") return;
  invocation.say("the daemon that runs has not read the new configuration: " + reloaded.error().message);
}

Result<init::Choices> choices_of(Invocation& invocation, const Config& config, const FolderProject& project) {
  const init::Options options = options_here(config);
  if (options.installed.empty()) {
    say_wrapped(invocation, "no coding agent is installed (" + agent_names() +
                                "); commands work without one: luzia -- make test");
  }
  if (!has_person(invocation)) return init::default_choices(options);
  say_wrapped(invocation, "Setting up project " + project.name + ", " + project.path +
                              ". Enter takes the answer in brackets; Ctrl-C changes nothing.");
  return init::ask_choices(
      options, [&invocation](const std::string& text) { return ask_at_terminal(invocation, "\n" + text); });
}

void say_what_next(const Invocation& invocation, const init::Choices& choices) {
  invocation.say(choices.agents.empty()
                     ? "what next: luzia -- make test"
                     : "what next: luzia run \"TASK\", and luzia to see what waits for you");
}

Result<int> run_setup(Invocation& invocation) {
  const Arguments& args = invocation.args();
  if (args.has("undo") || args.has("user")) {
    return fail(ErrorKind::usage, "bad_usage",
                std::string(args.has("undo") ? "--undo" : "--user") + " is about the settings of one agent",
                "luzia init AGENT, of " + agent_names(has_settings));
  }
  const Config* config = LUZIA_TRY(invocation.config());
  const auto project = LUZIA_TRY(project_to_set_up(*config, args));
  const auto choices = LUZIA_TRY(choices_of(invocation, *config, project));
  const auto changes = LUZIA_TRY(changes_for(invocation, *config, project, choices));
  show_changes(invocation, changes, args.has("yes"));
  if (changes.empty()) {
    invocation.say("nothing to change: " + project.path + " is set up as project " + project.name);
    say_what_next(invocation, choices);
    return 0;
  }
  const bool wanted =
      args.has("yes") ||
      (has_person(invocation) && init::says_yes(ask_at_terminal(invocation, "\nWrite this? [yes]: ")));
  if (!wanted && has_person(invocation)) {
    return fail(ErrorKind::refused, "cancelled", "setting up: nothing was changed");
  }
  if (!wanted) {
    return fail(ErrorKind::refused, "needs_yes", "this would change " + counted(changes.size(), "file"),
                "add --yes to do it");
  }
  LUZIA_TRY(init::write_changes(changes));
  report_daemon(invocation);
  for (const Agent* agent : choices.agents) {
    if (!agent->advice.empty()) say_wrapped(invocation, std::string(agent->advice));
  }
  say_what_next(invocation, choices);
  return 0;
}

Result<int> run_init(Invocation& invocation) {
  const Arguments& args = invocation.args();
  if (args.positionals().empty()) return run_setup(invocation);
  const auto agent = LUZIA_TRY(agent_of(args.positionals().front()));
  auto folder = LUZIA_TRY(settings_folder(args, *agent));
  const bool is_users = args.has("user");
  const bool is_agents = agent->variable_names_own_folder && is_users && !moved_settings(*agent).empty();
  const auto changes = LUZIA_TRY(
      init::changes_of({agent, std::move(folder), own_name(), args.has("undo"), is_users, is_agents}));
  const bool wanted = args.has("yes") && !changes.empty();
  if (wanted) {
    LUZIA_TRY(init::write_changes(changes));
  }
  show_changes(invocation, changes, args.has("yes"));
  if (changes.empty()) {
    invocation.say("nothing to change");
  } else if (!wanted) {
    return fail(ErrorKind::refused, "needs_yes", "this would change " + counted(changes.size(), "file"),
                "add --yes to do it");
  }
  if (!args.has("undo") && !agent->advice.empty()) say_wrapped(invocation, std::string(agent->advice));
  return 0;
}

}  // namespace

const Command kInitCommand = {
    "init",
    "Set up",
    "[--project DIR] [--yes]\nAGENT [--project DIR | --user] [--undo] [--yes]",
    "set up a project, or add Luzia to an agent's settings",
    "Without AGENT it asks three questions at a terminal: which of the installed agents work in this "
    "folder, what happens when nobody answers a question, and who is notified. It shows what it would write "
    "into the configuration and the agents' settings, and asks before it does. What the configuration has "
    "already is left alone. --yes asks nothing and takes the defaults; where nobody is at a terminal, it "
    "only shows what --yes would do. With AGENT it shows what would change in the settings of that agent; "
    "--yes does it. Everything else in the files stays as it is, byte for byte; what is already there is "
    "not added twice. Every agent gets Luzia's tools, and a hook by which the project's gates decide about "
    "its "
    "tool calls. Claude Code also gets the permission to use the tools.",
    "luzia init\n"
    "luzia init claude --project /srv/web\n"
    "luzia init claude --project /srv/web --yes\n"
    "luzia init codex --user --yes\n"
    "luzia init claude --undo --yes",
    kInitOptions,
    {0, 1, Completes::agent},
    run_init};

}  // namespace luzia
