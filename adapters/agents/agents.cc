#include "adapters/agents/agents.h"

#include <algorithm>

#include "adapters/agents/list.h"
#include "engine/base/lower_case.h"

namespace luzia {

#define LUZIA_AGENT(name, format) \
  namespace name {                \
  Agent agent();                  \
  }
LUZIA_AGENTS(LUZIA_AGENT)
#undef LUZIA_AGENT

std::span<const Agent> known_agents() {
#define LUZIA_AGENT(name, format) name::agent(),
  static const std::vector<Agent> agents = {LUZIA_AGENTS(LUZIA_AGENT)};
#undef LUZIA_AGENT
  return agents;
}

const Agent* find_agent(std::string_view name) {
  const auto agents = known_agents();
  const auto found = std::ranges::find(agents, name, &Agent::name);
  return found == agents.end() ? nullptr : &*found;
}

std::string agent_names(bool (*which)(const Agent& agent)) {
  std::string names;
  for (const Agent& agent : known_agents()) {
    if (which == nullptr || which(agent)) names.append(names.empty() ? "" : ", ").append(agent.name);
  }
  return names;
}

AgentPlaces places_of(const Agent& agent, const std::string& home, const std::string& moved) {
  const bool is_moved = moved.starts_with('/');
  // Some variables name the folder itself, some the one in place of the home.
  const bool own_folder = is_moved && agent.variable_names_own_folder;
  const std::string folder = moved.substr(0, std::max<std::size_t>(1, moved.find_last_not_of('/') + 1));
  const std::string base = (is_moved && !own_folder ? folder : home) + "/";
  AgentPlaces places;
  if (own_folder) places.write.push_back(folder);
  for (const std::string path : agent.state) {
    // What lies in the home itself moves into that folder; caches stay.
    if (!own_folder || path.find('/') != std::string::npos) places.write.push_back(base + path);
  }
  for (std::string path : agent.state_to_read) {
    if (path.ends_with('/')) path.pop_back();
    places.read.push_back(own_folder ? folder + path.substr(path.find('/')) : base + path);
  }
  for (const char* path : agent.state_to_forget) places.forget.push_back(home + "/" + path);
  for (const std::string path : agent.login_files)
    places.login.push_back(own_folder ? folder + path.substr(path.find('/')) : base + path);
  return places;
}

std::string moved_place(const Agent& agent, const AgentProfile& profile, bool is_own) {
  const std::string variable = agent.user_settings_variable;
  if (variable.empty()) return "";
  if (const auto set = profile.env.find(variable); set != profile.env.end()) return set->second;
  const char* inherited = is_own ? std::getenv(variable.c_str()) : nullptr;
  return inherited == nullptr ? "" : inherited;
}

std::vector<std::string> agent_formats() {
  std::vector<std::string> formats;
  for (const Agent& agent : known_agents()) {
    if (std::ranges::find(formats, agent.profile.output) == formats.end()) {
      formats.push_back(agent.profile.output);
    }
  }
  return formats;
}

bool changes_files(std::string_view tool) {
  const std::string name = lower_case(tool);
  return std::ranges::any_of(known_agents(), [&](const Agent& agent) {
    return std::ranges::find(agent.changing_tools, name) != agent.changing_tools.end();
  });
}

std::string usual_tool(std::string_view tool) {
  const AgentTool* known = nullptr;
  for (const Agent& agent : known_agents()) {
    const auto found = std::ranges::find(agent.tools, tool, &AgentTool::name);
    if (found != agent.tools.end() && known == nullptr) known = &*found;
  }
  if (known == nullptr) return std::string(tool);
  const auto& usual = known_agents().front().tools;
  const auto same = std::ranges::find(usual, known->about, &AgentTool::about);
  return std::string(same == usual.end() ? tool : same->name);
}

void set_profile(Agent& agent, std::vector<std::string> command, std::string output) {
  using schema::ExitMeaning;
  AgentProfile& profile = agent.profile;
  profile.command = std::move(command);
  profile.output = std::move(output);
  profile.resume = resume_of(agent, profile.command);
  profile.exit_codes = {{0, ExitMeaning::completed},
                        {1, ExitMeaning::retriable_failure},
                        {2, ExitMeaning::final_failure},
                        {100, ExitMeaning::needs_clarification}};
}

std::map<Permissions, PermissionOptions> permission_option(const std::string& option,
                                                           const std::vector<std::string>& values) {
  std::map<Permissions, PermissionOptions> all;
  for (std::size_t i = 0; i < values.size(); ++i) {
    all[static_cast<Permissions>(i)].words = {option, values[i]};
  }
  return all;
}

void allow_job_dir(std::map<Permissions, PermissionOptions>& levels, const std::string& option) {
  for (auto& [level, options] : levels) options.words.insert(options.words.begin(), {option, "{job_dir}"});
}

}  // namespace luzia
