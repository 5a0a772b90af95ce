#include "adapters/agents/agents.h"
#include "adapters/agents/settings/entries.h"
#include "adapters/agents/settings/hooks.h"

namespace luzia::claude {
namespace {

/// Luzia as the server that decides about tool calls, without anything in the project's settings.
constexpr const char* kServer = R"({"mcpServers":{"luzia":{"command":"{luzia}","args":["mcp"]}}})";

/// --add-dir and --mcp-config take all words up to the next option, so they never come last.
std::map<Permissions, PermissionOptions> permissions() {
  auto all = permission_option("--permission-mode", {"plan", "default", "acceptEdits", "bypassPermissions"});
  allow_job_dir(all, "--add-dir");
  auto& asks = all[Permissions::ask].words;
  asks.insert(asks.begin(),
              {"--mcp-config", kServer, "--permission-prompt-tool", "mcp__luzia__permission_prompt"});
  return all;
}

Status change_servers(JsonEdit& settings, const SettingsEdit& edit) {
  return edit_server(settings, edit, {{"command", edit.program}, {"args", {"mcp"}}});
}

/// The server, its permission, and the hooks through which the project's gates decide.
Status change_settings(JsonEdit& settings, const SettingsEdit& edit) {
  return edit_word(settings, edit, {"enabledMcpjsonServers"}, "luzia")
      .and_then([&] {
        return edit_word(settings, edit, {"permissions", "allow"}, "mcp__luzia");
      })
      .and_then([&] { return edit_call_hook(settings, edit, "PreToolUse", kDaySeconds); })
      .and_then([&] { return edit_hook(settings, edit, "Notification", "", our_hook(edit)); });
}

}  // namespace

Agent agent() {
  Agent agent;
  agent.name = "claude";
  agent.title = "Claude Code";
  agent.resume_words = {"--resume", "{session_id}"};
  set_profile(agent, {"claude", "-p", "--output-format", "stream-json", "--verbose", "{permissions}"},
              "claude-stream-json");
  agent.permissions = permissions();
  // With a person at the terminal: the screen instead of JSON lines, and the task as the first message.
  agent.profile.interactive = {"claude", "{task}"};
  agent.login_variables = {"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN",
                           "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX"};
  agent.login_help = "run claude at a terminal and type /login, or set ANTHROPIC_API_KEY";
  agent.login_check = {"auth", "status"};
  agent.login_files = {".claude/.credentials.json"};
  agent.state = {".claude", ".claude.json", ".cache/claude-cli-nodejs"};
  agent.state_to_read = {".claude/settings.json",  ".claude/settings.local.json",
                         ".claude/CLAUDE.md",      ".claude/hooks/",
                         ".claude/commands/",      ".claude/agents/",
                         ".claude/skills/",        ".claude/plugins/",
                         ".claude/output-styles/", ".claude/rules/",
                         ".claude/local/"};
  agent.other_variables = {"ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL", "CLAUDE_CONFIG_DIR"};
  agent.settings = {{".mcp.json", edit_json<change_servers>},
                    {".claude/settings.json", edit_json<change_settings>}};
  agent.user_settings_variable = "CLAUDE_CONFIG_DIR";
  agent.variable_names_own_folder = true;
  agent.advice = "to have a person decide about tool calls, set permissions = \"ask\" in [agents.claude]";
  agent.told_event = "PreToolUse";
  agent.tools = {{"Bash", "run", about::kRun},
                 {"Grep", "search", about::kSearch},
                 {"Glob", "search", about::kFind},
                 {"Read", "read", about::kRead},
                 {"Edit", "edit", about::kEdit},
                 {"Write", "edit", about::kWrite},
                 {"WebSearch", "web", about::kWebSearch},
                 {"WebFetch", "web", about::kWebFetch},
                 {"TodoWrite", "plan", about::kPlan}};
  agent.changing_tools = {"edit", "multiedit", "write", "notebookedit", "str_replace_editor"};
  return agent;
}

}  // namespace luzia::claude
