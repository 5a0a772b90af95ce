// doctor: what the configuration needs on this machine. Starts only agents' own checks of their logins.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "adapters/notify/telegram_settings.h"
#include "engine/base/joined_names.h"
#include "engine/ports/agent.h"
#include "tools/luzia/run/find_program.h"
#include "tools/luzia/set_up/examination.h"
#include "tools/luzia/set_up/login_check.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

/// Looks at files and variables only; `luzia hooks test telegram` asks Telegram.
void examine_telegram(Examination& examination, const TelegramConfig& telegram) {
  const bool in_file = !telegram.token_file.empty();
  const auto token = read_token(telegram.token_file, telegram.token_variable);
  if (token) {
    examination.good("telegram: the token is in place; luzia hooks test telegram sends a sample");
  } else if (in_file) {
    examination.bad(token.error().message, token.error().hint);
  } else {
    examination.warning(token.error().message + " here", "the daemon needs it in its own environment");
  }
  if (telegram.chats.empty()) {
    examination.warning("telegram: [telegram] chats is empty, so nobody is notified",
                        "write to the bot: luziad.log then names the chat");
  }
}

/// Whether the agent itself says that it is logged in; else, whether files or variables show it. Only a
/// warning, as keyrings are not searched.
void examine_login(Examination& examination, const std::string& name, const AgentProfile& profile) {
  const Agent* known = agent_of(name, profile.command);
  const char* home = std::getenv("HOME");
  const auto is_set = [&](const char* variable) {
    return std::getenv(variable) != nullptr || profile.env.contains(variable);
  };
  const auto is_there = [](const std::string& file) {
    std::error_code ignored;
    return fs::exists(file, ignored);
  };
  const std::string& program = profile.command.front();
  const LoginCheck checked =
      known == nullptr ? LoginCheck::unknown : check_login(program, known->login_check, profile.env);
  const bool has_variable = known != nullptr && std::ranges::any_of(known->login_variables, is_set);
  const auto has_file = [&] {
    const std::string moved = moved_place(*known, profile, true);
    return home != nullptr && std::ranges::any_of(places_of(*known, home, moved).login, is_there);
  };
  const bool shows = known == nullptr || has_variable || has_file();
  if (checked == LoginCheck::good || has_variable || (checked == LoginCheck::unknown && shows)) {
    return examination.good("agent " + name + ": " + program +
                            (checked == LoginCheck::good ? ", which says that it is logged in" : ""));
  }
  const std::string help = std::string(known->login_help) + "; luzia daemon restart, if you set a variable";
  if (checked == LoginCheck::bad) {
    return examination.warning("agent " + name + ": " + program + ", which says that it is not logged in",
                               help);
  }
  examination.warning(
      "agent " + name + ": " + program + ", but no login of " + std::string(known->title) + " shows here",
      help + "; a keyring may have it all the same");
}

/// "projects api and web" that use the agent by their own key or by [defaults]; empty: none does.
std::string users_of_agent(const Config& config, const std::string& agent) {
  constexpr std::size_t kMostNamed = 5;
  std::vector<std::string> projects;
  for (const auto& [name, project] : config.projects) {
    const std::string& its = project.agent.empty() ? config.defaults.agent : project.agent;
    if (its == agent) projects.push_back(name);
  }
  if (projects.empty()) return config.defaults.agent == agent ? "[defaults]" : "";
  std::string words = projects.size() == 1 ? "project " : "projects ";
  if (projects.size() > kMostNamed) {
    const std::size_t others = projects.size() - kMostNamed;
    projects.resize(kMostNamed);
    projects.push_back(std::to_string(others) + " others");
  }
  return words + joined_names(projects);
}

}  // namespace

void examine_config(Examination& examination, const Config& config) {
  bool has_coding_agent = false;
  for (const auto& [name, agent] : config.agents) {
    const std::string program = agent.command.empty() ? "" : agent.command.front();
    if (!find_program(program).empty()) {
      has_coding_agent = has_coding_agent || name != "shell";
      examine_login(examination, name, agent);
    } else if (const std::string users = users_of_agent(config, name); !users.empty()) {
      examination.bad(
          "agent " + name + ": there is no program " + program + ", and " + users + " would use it",
          "install it, name it in [agents." + name + "] command, or choose another agent there");
    }
  }
  if (!has_coding_agent) {
    examination.warning("no coding agent is installed (" + agent_names() + "): only commands can run",
                        "install one; if it is not on PATH, name it in [agents.NAME] command");
  }
  std::error_code ignored;
  for (const auto& [name, project] : config.projects) {
    if (project.path.empty()) {
      examination.warning("project " + name + " has no path",
                          "set path in [projects." + name + "], or use --dir");
    } else if (!fs::is_directory(project.path, ignored)) {
      examination.bad("project " + name + ": there is no directory " + project.path,
                      "fix path in [projects." + name + "]");
    } else {
      examination.good("project " + name + ": " + project.path);
    }
  }
  for (const auto& [name, hook] : config.hooks) {
    const std::string program = hook.desktop ? "notify-send" : hook.command.front();
    if (find_program(program).empty()) {
      examination.bad("hook " + name + ": there is no program " + program,
                      hook.desktop ? "apt install libnotify-bin"
                                   : "install it, or fix command of the [[hooks]] named " + name);
    } else {
      examination.good("hook " + name + ": " + program);
    }
  }
  if (config.telegram.in_use()) examine_telegram(examination, config.telegram);
  if (config.projects.empty()) {
    examination.warning("no project is configured, so nothing can be dispatched",
                        "add [projects.NAME] with path = \"...\" to " + config_files().back().path);
  }
}

}  // namespace luzia
