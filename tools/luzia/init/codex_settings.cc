// Codex's settings are TOML: the entry is a block of lines of its own, and the parser only checks.
#include <algorithm>

#include "adapters/config/toml_tree.h"
#include "tools/cli/json_text.h"
#include "tools/luzia/init/agent_settings.h"
#include "tools/luzia/init/settings_files.h"

namespace luzia::init {
namespace {

constexpr std::string_view kHeader = "[mcp_servers.luzia]";

constexpr std::string_view kVariables =
    R"(["LUZIA_JOB_ID", "LUZIA_ATTEMPT", "LUZIA_SOCKET", "LUZIA_CREDENTIAL"])";
/// As versions before attempts had credentials wrote it: it is brought up to date.
constexpr std::string_view kOlderVariables = R"(["LUZIA_JOB_ID", "LUZIA_ATTEMPT", "LUZIA_SOCKET"])";

/// Codex hands its servers only those variables that it is told, and gives a call up after a minute.
std::string block(const std::string& program, std::string_view variables = kVariables) {
  // A basic string of TOML has the escapes of JSON.
  return std::string(kHeader) + "\ncommand = " + json_line(program) +
         "\nargs = [\"mcp\"]\nenv_vars = " + std::string(variables) + "\ntool_timeout_sec = 86400\n";
}

/// The value of a key of a table; null where there is none.
const TomlValue* member(const TomlValue* table, std::string_view key) {
  if (table == nullptr) {
    return nullptr;
  }
  const auto found = std::find_if(table->entries.begin(), table->entries.end(),
                                  [&](const TomlEntry& entry) { return entry.key == key; });
  return found == table->entries.end() ? nullptr : &found->value;
}

/// Where our block begins and how long it is; npos where there is none as we write it.
std::pair<std::size_t, std::size_t> find_block(const std::string& text) {
  const std::size_t begin = text.find(kHeader);
  const std::size_t command = begin == std::string::npos ? begin : text.find("command = ", begin);
  const std::size_t end_of_line = command == std::string::npos ? command : text.find('\n', command);
  if (end_of_line == std::string::npos) {
    return {std::string::npos, 0};
  }
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

}  // namespace

Result<std::string> edit_codex(const std::string& file, const std::string& text, const std::string& program,
                               bool undo) {
  const auto parsed = parse_toml(text, file);
  if (!parsed) {
    return tl::unexpected(parsed.error());
  }
  const bool present = member(member(&*parsed, "mcp_servers"), "luzia") != nullptr;
  const auto [begin, size] = find_block(text);
  if (present && begin == std::string::npos) {
    return bad_settings(file, "it has an entry mcp_servers.luzia that luzia init did not write");
  }
  std::string without = text;
  if (present) {
    without.erase(begin, size);
    // The empty line before it came with it.
    if (begin >= 2 && without.compare(begin - 2, 2, "\n\n") == 0) {
      without.erase(begin - 1, 1);
    }
  }
  if (undo) {
    return without;
  }
  if (present && text.compare(begin, size, block(program)) == 0) {
    return text;
  }
  std::string edited = without;
  edited += edited.empty() || edited.ends_with('\n') ? "" : "\n";
  edited += (edited.empty() ? "" : "\n") + block(program);
  const auto checked = parse_toml(edited, file);
  return checked ? Result<std::string>(edited) : tl::unexpected(checked.error());
}

}  // namespace luzia::init
