#include "tools/luzia/set_up/agent_settings.h"

#include <algorithm>

#include "adapters/config/toml_tree.h"
#include "engine/base/try.h"
#include "tools/luzia/set_up/settings_files.h"

namespace luzia::init {
namespace {

/// The value of a key of a table; null where there is none.
const TomlValue* member(const TomlValue* table, std::string_view key) {
  if (table == nullptr) return nullptr;
  const auto found = std::ranges::find(table->entries, key, &TomlEntry::key);
  return found == table->entries.end() ? nullptr : &found->value;
}

Result<bool> has_toml_table(const SettingsEdit& edit, std::string_view table, std::string_view name) {
  const auto parsed = LUZIA_TRY(parse_toml(edit.text, edit.file));
  return member(member(&parsed, table), name) != nullptr;
}

}  // namespace

Result<std::vector<FileChange>> changes_of(const Task& task) {
  std::vector<FileChange> changes;
  for (const SettingsFile& settings : task.agent->settings) {
    std::string_view name = task.is_users && settings.user_path ? settings.user_path : settings.path;
    if (task.is_agents) name.remove_prefix(name.find('/') + 1);
    const std::string file = task.folder + "/" + std::string(name);
    const auto text = LUZIA_TRY(read_settings(file));
    const auto after = LUZIA_TRY(settings.edit({file, text, task.program, task.undo, has_toml_table}));
    if (after != text) changes.push_back({file, text, after});
  }
  return changes;
}

}  // namespace luzia::init
