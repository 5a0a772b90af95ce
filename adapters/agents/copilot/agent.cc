#include "adapters/agents/agents.h"
#include "adapters/agents/settings/entries.h"
#include "adapters/agents/settings/hooks.h"
#include "engine/base/try.h"

namespace luzia::copilot {
namespace {

constexpr const char* kTelemetryFile = "COPILOT_OTEL_FILE_EXPORTER_PATH";

Status change_servers(JsonEdit& settings, const SettingsEdit& edit) {
  return edit_server(settings, edit, {{"command", edit.program}, {"args", {"mcp"}}});
}

/// The event's name decides what a hook is told: with a capital it is what Claude Code tells.
Status change_hooks(JsonEdit& settings, const SettingsEdit& edit) {
  const bool has_version = !settings.at({"version"}).is_null();
  if (!edit.undo && !has_version) {
    LUZIA_TRY(settings.set({}, "version", 1));
  }
  LUZIA_TRY(edit_call_hook(settings, edit, "PreToolUse", kDaySeconds));
  const bool only_version = has_version && settings.at({}).size() == 1;
  if (edit.undo && only_version) settings.remove({"version"});
  return {};
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
                       {Permissions::bypass, {{"--allow-all"}, {}}}};
  // Token counts, and the session id before the end, are only in its telemetry. It appends that to this file,
  // which is the attempt's output. Not /dev/stdout: a release that renames files into place would replace it.
  agent.profile.env[kTelemetryFile] = "/proc/self/fd/1";
  agent.profile.interactive = {"env", "-u", kTelemetryFile, "copilot", "--interactive", "{task}"};
  agent.login_variables = {"COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN", "COPILOT_PROVIDER_BASE_URL"};
  agent.login_help = "run copilot at a terminal and type /login, or set GH_TOKEN";
  agent.login_files = {".copilot/config.json"};
  agent.state = {".copilot"};
  agent.state_to_read = {".copilot/mcp-config.json", ".copilot/copilot-instructions.md", ".copilot/hooks/",
                         ".copilot/agents/", ".copilot/skills/"};
  agent.other_variables = {"COPILOT_HOME", "COPILOT_MODEL", "COPILOT_PROVIDER_API_KEY",
                           "COPILOT_PROVIDER_TYPE"};
  // Not .mcp.json, which it reads too: that is Claude Code's.
  agent.settings = {{".github/mcp.json", edit_json<change_servers>, ".copilot/mcp-config.json"},
                    {".github/hooks/luzia.json", edit_json<change_hooks>, ".copilot/hooks/luzia.json"}};
  agent.user_settings_variable = "COPILOT_HOME";
  agent.variable_names_own_folder = true;
  agent.has_user_settings = true;
  agent.advice =
      "Copilot reads a project's settings only where it trusts the folder: start copilot there once and say\n"
      "  so; else use --user";
  agent.told_event = "PreToolUse";
  agent.tools = {{"bash", "run", about::kRun},     {"grep", "search", about::kSearch},
                 {"glob", "search", about::kFind}, {"view", "read", about::kRead},
                 {"edit", "edit", about::kEdit},   {"create", "edit", about::kWrite}};
  agent.changing_tools = {"edit", "create"};
  return agent;
}

}  // namespace luzia::copilot
