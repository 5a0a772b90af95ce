// What agents' settings in JSON have in common: the MCP server of Luzia, words in lists. Pure, any thread.
#pragma once

#include "adapters/agents/settings/json_edit.h"
#include "engine/ports/agent.h"

namespace luzia {

/// No tool call of a person's takes longer.
inline constexpr int kDaySeconds = 24 * 3'600;

/// `bad_settings` (usage): what stands at `where` (a file, or a place in it) cannot be changed safely.
tl::unexpected<Error> bad_settings(const std::string& where, const std::string& why);

/// A file of settings in JSON after `change`. Empty: nothing is left in it once Luzia is taken out.
Result<std::string> edited_json(const SettingsEdit& edit, Status (*change)(JsonEdit&, const SettingsEdit&));

/// Whether `program` is luzia, by whichever path.
bool is_luzia(std::string_view program);
/// The entry mcpServers.luzia: `server` in place of what stands there; taken out only if it is ours.
Status edit_server(JsonEdit& settings, const SettingsEdit& edit, const OrderedJson& server);
/// A file of settings whose only change is that entry, with a day's time for a call, and `trust`: Gemini CLI
/// and its forks offer no tool that they would have to ask about while nobody is at the terminal.
Result<std::string> edit_trusted_server_entry(const SettingsEdit& edit);
/// A text in a list of texts.
Status edit_word(JsonEdit& settings, const SettingsEdit& edit, const JsonPath& list, const std::string& word);

}  // namespace luzia
