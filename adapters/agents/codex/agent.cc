#include "adapters/agents/agents.h"

namespace luzia::codex {

Result<std::string> edit_settings(const SettingsEdit& edit);
Result<std::string> edit_hooks(const SettingsEdit& edit);

namespace {

/// Settings, because `exec resume` has no --sandbox. `exec` asks nobody: whatever needs an approval fails, so
/// that "ask" reads only.
std::map<Permissions, PermissionOptions> permissions() {
  auto all =
      permission_option("-c", {R"(sandbox_mode="read-only")", R"(sandbox_mode="read-only")",
                               R"(sandbox_mode="workspace-write")", R"(sandbox_mode="danger-full-access")"});
  auto& edits = all[Permissions::edits].words;
  edits.insert(edits.end(), {"-c", R"(sandbox_workspace_write.writable_roots=["{job_dir}"])"});
  return all;
}

}  // namespace

Agent agent() {
  Agent agent;
  agent.name = "codex";
  agent.title = "Codex";
  agent.resume_words = {"resume", "{session_id}"};
  // By naming a folder as a project, a person trusts it: without the option it ends outside of repositories.
  set_profile(agent, {"codex", "exec", "--skip-git-repo-check", "{permissions}", "--json", "-"},
              "codex-json");
  agent.permissions = permissions();
  // Its own sandbox needs a user namespace, and ours has none inside.
  const std::vector<std::string> unconfined = {"-c", R"(sandbox_mode="danger-full-access")"};
  agent.sandboxed_permissions = {{Permissions::plan, {.words = unconfined, .env = {}, .only_reads = true}},
                                 {Permissions::ask, {.words = unconfined, .env = {}, .only_reads = true}},
                                 {Permissions::edits, {.words = unconfined, .env = {}}}};
  agent.profile.interactive = {"codex", "{task}"};
  agent.login_variables = {"CODEX_API_KEY"};  // `exec` takes it, `login status` does not see it
  agent.login_help = "run codex login, or set CODEX_API_KEY";
  agent.login_check = {"login", "status"};
  agent.login_files = {".codex/auth.json"};
  agent.state = {".codex"};
  agent.state_to_read = {".codex/config.toml",        ".codex/hooks.json", ".codex/AGENTS.md",
                         ".codex/AGENTS.override.md", ".codex/prompts/",   ".codex/rules/"};
  agent.other_variables = {"OPENAI_API_KEY", "OPENAI_BASE_URL", "CODEX_HOME"};
  agent.settings = {{".codex/config.toml", edit_settings}, {".codex/hooks.json", edit_hooks}};
  agent.user_settings_variable = "CODEX_HOME";
  agent.variable_names_own_folder = true;
  agent.has_user_settings = true;
  agent.advice =
      "Codex reads a project's settings only where it trusts the project (codex exec --trust, once);\n"
      "  else use --user. It runs a hook, by which gates decide about its tool calls, only once you have\n"
      "  trusted it: type /hooks in codex";
  agent.told_event = "PreToolUse";
  agent.tools = {{"shell", "run", about::kRun},
                 {"apply_patch", "edit", about::kEdit},
                 {"update_plan", "plan", about::kPlan},
                 {"web_search", "web", about::kWebSearch}};
  agent.changing_tools = {"file_change", "apply_patch"};
  return agent;
}

}  // namespace luzia::codex
