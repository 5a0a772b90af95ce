#include "adapters/agents/settings/entries.h"

namespace luzia {
namespace {

/// Whether an entry of mcpServers is ours, under any path.
bool is_our_server(const OrderedJson& server) {
  return server.is_object() && server.value("args", OrderedJson()) == OrderedJson{"mcp"} &&
         server.value("command", OrderedJson()).is_string() && is_luzia(server["command"].get<std::string>());
}

}  // namespace

tl::unexpected<Error> bad_settings(const std::string& where, const std::string& why) {
  return fail(ErrorKind::usage, "bad_settings", where + ": " + why + "; it stays as it is",
              "fix it, or enter by hand what luzia init shows for an empty project");
}

Result<std::string> edited_json(const SettingsEdit& edit, Status (*change)(JsonEdit&, const SettingsEdit&)) {
  auto settings = LUZIA_TRY(JsonEdit::of(edit.text, edit.file));
  const std::string before = settings.text();
  LUZIA_TRY(change(settings, edit));
  if (settings.text() == before) return edit.text;
  return edit.undo && settings.at({}).empty() ? std::string() : settings.text();
}

bool is_luzia(std::string_view program) {
  return program == "luzia" || program.ends_with("/luzia");
}

Status edit_server(JsonEdit& settings, const SettingsEdit& edit, const OrderedJson& server) {
  const JsonPath place = {"mcpServers", "luzia"};
  const OrderedJson present = settings.at(place);
  if (edit.undo) {
    if (is_our_server(present)) settings.remove(place);
    return {};
  }
  return present == server ? Status() : settings.set({"mcpServers"}, "luzia", server);
}

Status edit_trusted_server(JsonEdit& settings, const SettingsEdit& edit) {
  // Gemini CLI (0.61) takes variables with such names from the environment of servers, unless they are
  // entered. Outside of jobs nothing replaces the value, and nobody reads it.
  return edit_server(settings, edit,
                     {{"command", edit.program},
                      {"args", {"mcp"}},
                      {"env", OrderedJson::object({{"LUZIA_CREDENTIAL", "$LUZIA_CREDENTIAL"}})},
                      {"timeout", kDaySeconds * 1'000},
                      {"trust", true}});
}

Status edit_word(JsonEdit& settings, const SettingsEdit& edit, const JsonPath& list,
                 const std::string& word) {
  const OrderedJson words = settings.at(list);
  const bool readable = words.is_array();
  std::size_t place = 0;
  while (readable && place < words.size() && words[place] != word) ++place;
  const bool present = readable && place < words.size();
  if (edit.undo && present) {
    JsonPath path = list;
    path.push_back(std::to_string(place));
    settings.remove(path);
  }
  return present || edit.undo ? Status() : settings.append(list, word);
}

}  // namespace luzia
