#include "adapters/agents/agents.h"
#include "adapters/agents/settings/entries.h"

namespace luzia {
namespace copilot {
namespace {

constexpr const char* kTelemetryFile = "COPILOT_OTEL_FILE_EXPORTER_PATH";

Status change_servers(JsonEdit& settings, const SettingsEdit& edit) {
  return edit_server(settings, edit, {{"command", edit.program}, {"args", {"mcp"}}});
}

Result<std::string> edit_servers(const SettingsEdit& edit) {
  return edited_json(edit, change_servers);
}

}  // namespace

/// Verified with 1.0.102.
Agent agent() {
  Agent agent;
  agent.name = "copilot";
  agent.title = "GitHub Copilot CLI";
  agent.resume_words = {"--resume={session_id}"};
  set_profile(agent,
              {"copilot", "--output-format", "json", "--stream", "off", "--no-ask-user", "{permissions}"},
              "copilot-json");
  agent.permissions = {{Permissions::plan, {{"--deny-tool=write", "--deny-tool=shell"}, {}}},
                       {Permissions::ask, {}},
                       {Permissions::edits, {{"--add-dir={job_dir}", "--allow-tool=write"}, {}}},
                       {Permissions::bypass, {{"--allow-all-tools"}, {}}}};
  // Token counts, and the session id before the end, are only in its telemetry. It appends that to this file,
  // which is the attempt's output. Not /dev/stdout: a release that renames files into place would replace it.
  agent.profile.env[kTelemetryFile] = "/proc/self/fd/1";
  agent.profile.interactive = {"env", "-u", kTelemetryFile, "copilot", "--interactive", "{task}"};
  agent.login_variables = {"COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN", "COPILOT_PROVIDER_BASE_URL"};
  agent.login_help = "run copilot at a terminal and type /login, or set GH_TOKEN";
  agent.login_files = {".copilot/config.json"};
  agent.other_variables = {"COPILOT_MODEL", "COPILOT_PROVIDER_API_KEY", "COPILOT_PROVIDER_TYPE"};
  agent.settings = {{".mcp.json", edit_servers}};
  agent.advice =
      "Copilot reads a project's settings only where it trusts the folder: let command and resume of\n"
      "  [agents.copilot] end with \"--additional-mcp-config\", \"@{project_path}/.mcp.json\", "
      "\"--allow-tool=luzia\"";
  agent.tools = {{"bash", "run", about::kRun},     {"grep", "search", about::kSearch},
                 {"glob", "search", about::kFind}, {"view", "read", about::kRead},
                 {"edit", "edit", about::kEdit},   {"create", "edit", about::kWrite}};
  agent.changing_tools = {"edit", "create"};
  return agent;
}

}  // namespace copilot
}  // namespace luzia
