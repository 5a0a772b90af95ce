#include "adapters/agents/agents.h"

namespace luzia::opencode {

Result<std::string> edit_plugin(const SettingsEdit& edit);

namespace {

/// It has no options for this, but a variable. Where it would ask, `run` refuses. Left to itself, it
/// edits the project's files and runs commands.
std::map<Permissions, PermissionOptions> permissions() {
  const auto set = [](const char* rules) { return PermissionOptions{{}, {{"OPENCODE_PERMISSION", rules}}}; };
  return {{Permissions::plan, set(R"({"edit":"deny","bash":"deny"})")},
          {Permissions::ask, set(R"({"edit":"ask","bash":"ask","webfetch":"ask"})")},
          {Permissions::edits, {}},
          {Permissions::bypass,
           set(R"({"edit":"allow","bash":"allow","webfetch":"allow","external_directory":"allow"})")}};
}

}  // namespace

Agent agent() {
  Agent agent;
  agent.name = "opencode";
  agent.title = "opencode";
  agent.resume_words = {"--session", "{session_id}"};
  set_profile(agent, {"opencode", "run", "--format", "json", "{permissions}"}, "opencode-json");
  agent.permissions = permissions();
  agent.profile.interactive = {"opencode", "--prompt", "{task}"};
  agent.login_variables = {"OPENCODE_API_KEY",   "ANTHROPIC_API_KEY", "OPENAI_API_KEY",
                           "OPENROUTER_API_KEY", "GEMINI_API_KEY",    "GOOGLE_GENERATIVE_AI_API_KEY"};
  agent.login_help = "run opencode auth login, or set the key of its provider";
  agent.login_files = {".local/share/opencode/auth.json"};
  agent.state = {".local/share/opencode", ".local/state/opencode", ".cache/opencode"};
  // It writes a .gitignore there, and may install what its plugins need.
  agent.state_to_forget = {".config/opencode"};
  agent.other_variables = {"OPENCODE_CONFIG"};
  agent.settings = {{".opencode/plugin/luzia.js", edit_plugin, ".config/opencode/plugin/luzia.js"}};
  agent.has_user_settings = true;
  agent.told_event = "PostToolUse";
  agent.tools = {{"bash", "run", about::kRun},          {"grep", "search", about::kSearch},
                 {"glob", "search", about::kFind},      {"read", "read", about::kRead},
                 {"edit", "edit", about::kEdit},        {"write", "edit", about::kWrite},
                 {"webfetch", "web", about::kWebFetch}, {"todowrite", "plan", about::kPlan}};
  agent.changing_tools = {"edit", "multiedit", "write", "patch", "apply_patch"};
  return agent;
}

}  // namespace luzia::opencode
