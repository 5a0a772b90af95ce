// Claude Code's settings: the server, its permission, and the hooks through which the project's gates decide.
#include "adapters/agents/settings/entries.h"
#include "adapters/agents/settings/hooks.h"

namespace luzia {
namespace claude {
namespace {

Status change_servers(JsonEdit& settings, const SettingsEdit& edit) {
  return edit_server(settings, edit, {{"command", edit.program}, {"args", {"mcp"}}});
}

Status change_settings(JsonEdit& settings, const SettingsEdit& edit) {
  return edit_word(settings, edit, {"enabledMcpjsonServers"}, "luzia")
      .and_then([&] {
        return edit_word(settings, edit, {"permissions", "allow"}, "mcp__luzia");
      })
      .and_then([&] { return edit_call_hook(settings, edit, "PreToolUse", kDaySeconds); })
      .and_then([&] { return edit_hook(settings, edit, "Notification", "", our_hook(edit)); });
}

}  // namespace

Result<std::string> edit_servers(const SettingsEdit& edit) {
  return edited_json(edit, change_servers);
}

Result<std::string> edit_settings(const SettingsEdit& edit) {
  return edited_json(edit, change_settings);
}

}  // namespace claude
}  // namespace luzia
