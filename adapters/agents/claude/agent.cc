#include "adapters/agents/agents.h"

namespace luzia {
namespace claude {

Result<std::string> edit_servers(const SettingsEdit& edit);
Result<std::string> edit_settings(const SettingsEdit& edit);

Agent agent() {
  Agent agent;
  agent.name = "claude";
  agent.title = "Claude Code";
  agent.profile = agent_profile(
      {"claude", "-p", "--output-format", "stream-json", "--verbose"}, "claude-stream-json",
      {"claude", "-p", "--output-format", "stream-json", "--verbose", "--resume", "{session_id}"});
  // With a person at the terminal: the screen instead of JSON lines, and the task as the first message.
  agent.profile.interactive = {"claude", "{task}"};
  agent.login_variables = {"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN",
                           "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX"};
  agent.login_files = {".claude/.credentials.json"};
  agent.settings = {{".mcp.json", edit_servers}, {".claude/settings.json", edit_settings}};
  agent.advice =
      "so that a person decides about tool calls, let command of [agents.claude] end with\n"
      "  \"--mcp-config\", \"{project_path}/.mcp.json\", \"--permission-prompt-tool\", "
      "\"mcp__luzia__permission_prompt\"";
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

}  // namespace claude
}  // namespace luzia
