// Edits shared by agents' JSON settings: the entry of Luzia's MCP server, words in lists. Pure, any thread.
#pragma once

#include "adapters/agents/settings/json_edit.h"
#include "engine/ports/agent.h"

namespace luzia {

/// The time limit of a tool call, long enough for one that waits for a person.
inline constexpr int kDaySeconds = 24 * 3'600;

/// `bad_settings` (usage): the content of `where` (a file, or a place in it) cannot be changed safely.
tl::unexpected<Error> bad_settings(const std::string& where, const std::string& why);

/// Returns a JSON settings file after `change`. Empty: nothing is left once Luzia's entries are removed.
Result<std::string> edited_json(const SettingsEdit& edit, Status (*change)(JsonEdit&, const SettingsEdit&));
/// The same as a function for SettingsFile::edit.
template <Status (*kChange)(JsonEdit&, const SettingsEdit&)>
Result<std::string> edit_json(const SettingsEdit& edit) {
  return edited_json(edit, kChange);
}

/// Whether `program` is luzia, under any path.
bool is_luzia(std::string_view program);
/// Sets mcpServers.luzia to `server`, replacing an existing entry. Removal affects only an entry of ours.
Status edit_server(JsonEdit& settings, const SettingsEdit& edit, const OrderedJson& server);
/// That entry with a time limit of a day per call, the job's credential and `trust`. Without `trust`, Gemini
/// CLI and its forks hide tools that need confirmation while nobody is at the terminal.
Status edit_trusted_server(JsonEdit& settings, const SettingsEdit& edit);
/// Adds a text to a list of texts, or removes it.
Status edit_word(JsonEdit& settings, const SettingsEdit& edit, const JsonPath& list, const std::string& word);

}  // namespace luzia
