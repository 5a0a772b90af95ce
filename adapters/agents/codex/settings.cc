// Codex's settings are TOML. Our entry is a separate block of lines; the parser is used only to check the
// result. Its hooks are a JSON file beside it.
#include "adapters/agents/settings/entries.h"
#include "adapters/agents/settings/hooks.h"

namespace luzia::codex {
namespace {

constexpr std::string_view kHeader = "[mcp_servers.luzia]";

constexpr std::string_view kVariables =
    R"(["LUZIA_JOB_ID", "LUZIA_ATTEMPT", "LUZIA_SOCKET", "LUZIA_CREDENTIAL"])";
/// The block as versions before attempt credentials wrote it; it is replaced by the current one.
constexpr std::string_view kOlderVariables = R"(["LUZIA_JOB_ID", "LUZIA_ATTEMPT", "LUZIA_SOCKET"])";

/// Codex passes its servers only the variables listed here, and aborts a call after a minute by default.
std::string block(const std::string& program, std::string_view variables = kVariables) {
  // A basic string of TOML has the escapes of JSON.
  return std::string(kHeader) + "\ncommand = " + OrderedJson(program).dump() +
         "\nargs = [\"mcp\"]\nenv_vars = " + std::string(variables) + "\ntool_timeout_sec = 86400\n";
}

/// Where our block begins and how long it is; npos if there is none in the form that we write.
std::pair<std::size_t, std::size_t> find_block(const std::string& text) {
  const std::size_t begin = text.find(kHeader);
  const std::size_t command = begin == std::string::npos ? begin : text.find("command = ", begin);
  const std::size_t end_of_line = command == std::string::npos ? command : text.find('\n', command);
  if (end_of_line == std::string::npos) return {std::string::npos, 0};
  for (const std::string_view variables : {kVariables, kOlderVariables}) {
    const std::string ours = block("luzia", variables);
    const std::size_t rest_at = ours.find('\n', ours.find("command = "));
    const std::string head = std::string(kHeader) + "\ncommand = ", rest = ours.substr(rest_at);
    const bool same =
        text.compare(begin, head.size(), head) == 0 && text.compare(end_of_line, rest.size(), rest) == 0;
    if (same) return {begin, end_of_line + rest.size() - begin};
  }
  return {std::string::npos, 0};
}

Status change_hooks(JsonEdit& settings, const SettingsEdit& edit) {
  return edit_call_hook(settings, edit, "PreToolUse", kDaySeconds);
}

}  // namespace

Result<std::string> edit_hooks(const SettingsEdit& edit) {
  return edited_json(edit, change_hooks);
}

Result<std::string> edit_settings(const SettingsEdit& edit) {
  const std::string& text = edit.text;
  const bool present = LUZIA_TRY(edit.has_toml_table(edit, "mcp_servers", "luzia"));
  const auto [begin, size] = find_block(text);
  if (present && begin == std::string::npos) {
    return bad_settings(edit.file, "it has an entry mcp_servers.luzia that luzia init did not write");
  }
  SettingsEdit edited = edit;
  if (present) {
    edited.text.erase(begin, size);
    // Also remove the empty line that was added before it.
    if (begin >= 2 && edited.text.compare(begin - 2, 2, "\n\n") == 0) edited.text.erase(begin - 1, 1);
  }
  if (edit.undo) return edited.text;
  if (present && text.compare(begin, size, block(edit.program)) == 0) return text;
  edited.text += edited.text.empty() || edited.text.ends_with('\n') ? "" : "\n";
  edited.text += (edited.text.empty() ? "" : "\n") + block(edit.program);
  const auto checked = edit.has_toml_table(edited, "mcp_servers", "luzia");
  return checked ? Result<std::string>(edited.text) : tl::unexpected(checked.error());
}

}  // namespace luzia::codex
