#include "adapters/agents/agents.h"

namespace luzia {
namespace codex {

Result<std::string> edit_settings(const SettingsEdit& edit);

Agent agent() {
  Agent agent;
  agent.name = "codex";
  agent.title = "Codex";
  agent.profile = agent_profile({"codex", "exec", "--json", "-"}, "codex-json",
                                {"codex", "exec", "resume", "--json", "{session_id}", "-"});
  agent.profile.interactive = {"codex", "{task}"};
  agent.login_variables = {"OPENAI_API_KEY", "CODEX_API_KEY"};
  agent.login_files = {".codex/auth.json"};
  agent.settings = {{".codex/config.toml", edit_settings}};
  agent.user_settings_variable = "CODEX_HOME";
  agent.variable_names_own_folder = true;
  agent.has_user_settings = true;
  agent.advice =
      "Codex reads a project's settings only where it trusts the project (codex exec --trust, once);\n"
      "  else use --user";
  agent.tools = {{"shell", "run", about::kRun},
                 {"apply_patch", "edit", about::kEdit},
                 {"update_plan", "plan", about::kPlan},
                 {"web_search", "web", about::kWebSearch}};
  agent.changing_tools = {"file_change", "apply_patch"};
  return agent;
}

}  // namespace codex
}  // namespace luzia
