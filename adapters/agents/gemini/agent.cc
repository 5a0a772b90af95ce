#include "adapters/agents/agents.h"
#include "adapters/agents/settings/entries.h"
#include "adapters/agents/settings/hooks.h"

namespace luzia::gemini {
namespace {

Status change_settings(JsonEdit& settings, const SettingsEdit& edit) {
  return edit_trusted_server(settings, edit)
      .and_then([&] { return edit_call_hook(settings, edit, "BeforeTool", kDaySeconds * 1'000); })
      .and_then([&] { return edit_hook(settings, edit, "AfterTool", "*", our_hook(edit)); });
}

}  // namespace

Agent agent() {
  Agent agent;
  agent.name = "gemini";
  agent.title = "Gemini CLI";
  agent.resume_words = {"--resume", "{session_id}"};
  set_profile(agent, {"gemini", "--output-format", "stream-json", "{permissions}"}, "gemini-stream-json");
  agent.permissions = permission_option("--approval-mode", {"plan", "default", "auto_edit", "yolo"});
  allow_job_dir(agent.permissions, "--include-directories");
  agent.profile.interactive = {"gemini", "--prompt-interactive", "{task}"};
  // The outer process ignores SIGTERM and would leave the inner one running.
  agent.profile.env["GEMINI_CLI_NO_RELAUNCH"] = "true";
  // In a folder that nobody trusted at a terminal, which includes every new worktree, it exits with code 55
  // at once. By naming a folder as a project, a person allows agents to run there. A variable, not
  // --skip-trust: with that option (0.61) the servers in the folder's settings do not start, and older
  // releases reject it.
  agent.profile.env["GEMINI_CLI_TRUST_WORKSPACE"] = "true";
  agent.login_variables = {"GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_APPLICATION_CREDENTIALS"};
  agent.login_help = "run gemini at a terminal once, or set GEMINI_API_KEY";
  agent.login_files = {".gemini/oauth_creds.json"};
  agent.state = {".gemini"};
  agent.state_to_read = {
      ".gemini/settings.json", ".gemini/trustedFolders.json", ".gemini/GEMINI.md", ".gemini/.env",
      ".gemini/commands/",     ".gemini/extensions/",         ".gemini/agents/",   ".gemini/skills/",
      ".gemini/policies/"};
  agent.other_variables = {"GEMINI_MODEL", "GEMINI_CLI_HOME", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION",
                           "GOOGLE_GENAI_USE_VERTEXAI"};
  agent.settings = {{".gemini/settings.json", edit_json<change_settings>}};
  agent.user_settings_variable = "GEMINI_CLI_HOME";
  agent.has_user_settings = true;
  agent.advice =
      "Gemini reads a project's settings only where it trusts the folder: as the shipped agent does,\n"
      "  with GEMINI_CLI_TRUST_WORKSPACE=true; --skip-trust is not enough";
  agent.told_event = "AfterTool";
  agent.tools = {{"run_shell_command", "run", about::kRun},
                 {"grep_search", "search", about::kSearch},
                 {"glob", "search", about::kFind},
                 {"read_file", "read", about::kRead},
                 {"replace", "edit", about::kEdit},
                 {"write_file", "edit", about::kWrite},
                 {"google_web_search", "web", about::kWebSearch},
                 {"web_fetch", "web", about::kWebFetch}};
  agent.changing_tools = {"write_file", "replace"};
  // It exits with code 42 if it is to resume such a session (0.61).
  agent.forgets_unused_sessions = true;
  agent.peculiar_mcp_client = "gemini-cli";
  return agent;
}

}  // namespace luzia::gemini
