// Edits shared by agents' JSON settings: the hooks by which the project's gates decide about tool calls. All
// agents took over Claude Code's form: hooks.EVENT[].hooks[].command. Pure, any thread.
#pragma once

#include <string>

#include "adapters/agents/settings/json_edit.h"
#include "engine/ports/agent.h"

namespace luzia {

OrderedJson our_hook(const SettingsEdit& edit);
/// Adds `hook` for an event, unless one of ours is there, or removes ours. `matcher`: for which tools; empty:
/// the event has no tools.
Status edit_hook(JsonEdit& settings, const SettingsEdit& edit, const std::string& event,
                 const std::string& matcher, OrderedJson hook);
/// Our hook before each tool call. An agent lets the call proceed when `timeout` is over, in its own unit,
/// and a person may need a day.
Status edit_call_hook(JsonEdit& settings, const SettingsEdit& edit, const std::string& event, int timeout);

}  // namespace luzia
