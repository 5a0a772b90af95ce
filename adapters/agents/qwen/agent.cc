#include "adapters/agents/agents.h"
#include "adapters/agents/settings/entries.h"
#include "adapters/agents/settings/hooks.h"

namespace luzia::qwen {
namespace {

/// Its hooks' time limits are seconds below 1,000, and else milliseconds (0.24).
Status change_settings(JsonEdit& settings, const SettingsEdit& edit) {
  return edit_trusted_server(settings, edit)
      .and_then([&] { return edit_call_hook(settings, edit, "PreToolUse", kDaySeconds * 1'000); })
      .and_then([&] { return edit_hook(settings, edit, "PostToolUse", "*", our_hook(edit)); });
}

}  // namespace

/// Verified with 0.15. A fork of Gemini CLI that prints Claude Code's format.
Agent agent() {
  Agent agent;
  agent.name = "qwen";
  agent.title = "Qwen Code";
  agent.resume_words = {"--resume", "{session_id}"};
  set_profile(agent, {"qwen", "--output-format", "stream-json", "{permissions}"}, "claude-stream-json");
  agent.permissions = permission_option("--approval-mode", {"plan", "default", "auto-edit", "yolo"});
  allow_job_dir(agent.permissions, "--include-directories");
  agent.profile.interactive = {"qwen", "--prompt-interactive", "{task}"};
  agent.login_variables = {"OPENAI_API_KEY", "DASHSCOPE_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"};
  agent.login_help = "run qwen at a terminal once, or set OPENAI_API_KEY and OPENAI_BASE_URL";
  agent.login_files = {".qwen/oauth_creds.json"};
  agent.state = {".qwen"};
  agent.state_to_read = {
      ".qwen/settings.json", ".qwen/trustedFolders.json", ".qwen/QWEN.md", ".qwen/.env",
      ".qwen/commands/",     ".qwen/extensions/",         ".qwen/agents/", ".qwen/skills/"};
  agent.other_variables = {"OPENAI_BASE_URL", "OPENAI_MODEL"};
  agent.settings = {{".qwen/settings.json", edit_json<change_settings>}};
  agent.has_user_settings = true;
  agent.advice =
      "Qwen Code starts a project's servers only once you have approved them: type /mcp in qwen there; else\n"
      "  use --user";
  agent.told_event = "PostToolUse";
  agent.tools = {{"run_shell_command", "run", about::kRun},
                 {"grep_search", "search", about::kSearch},
                 {"glob", "search", about::kFind},
                 {"read_file", "read", about::kRead},
                 {"edit", "edit", about::kEdit},
                 {"write_file", "edit", about::kWrite},
                 {"web_fetch", "web", about::kWebFetch},
                 {"todo_write", "plan", about::kPlan}};
  agent.changing_tools = {"edit", "write_file"};
  return agent;
}

}  // namespace luzia::qwen
