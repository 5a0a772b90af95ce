#include "adapters/config/config_differences.h"

#include <algorithm>

#include "adapters/config/toml_tree.h"

namespace luzia {
namespace {

const TomlValue* member(const TomlValue& table, std::string_view key) {
  const auto found = std::ranges::find(table.entries, key, &TomlEntry::key);
  return found == table.entries.end() ? nullptr : &found->value;
}

bool is_same(const TomlValue& a, const TomlValue& b) {
  const auto same_entry = [](const TomlEntry& x, const TomlEntry& y) {
    return x.key == y.key && is_same(x.value, y.value);
  };
  return a.kind == b.kind && a.text == b.text && a.integer == b.integer && a.real == b.real &&
         a.boolean == b.boolean && std::ranges::equal(a.items, b.items, is_same) &&
         std::ranges::equal(a.entries, b.entries, same_entry);
}

/// Hooks, webhooks and schedules are arrays of tables with names: as a table by these names.
TomlValue by_name(const TomlValue& value) {
  if (value.kind != TomlKind::array) return value;
  TomlValue table;
  for (const TomlValue& item : value.items) {
    const TomlValue* name = item.kind == TomlKind::table ? member(item, "name") : nullptr;
    if (name == nullptr) return value;
    table.entries.push_back({name->text, item.place, item});
  }
  return value.items.empty() ? value : table;
}

class Comparison {
 public:
  void compare(const std::string& name, const TomlValue& before_value, const TomlValue& after_value) {
    const TomlValue before = by_name(before_value), after = by_name(after_value);
    if (before.kind != TomlKind::table || after.kind != TomlKind::table) {
      if (!is_same(before, after)) found_.push_back(name);
      return;
    }
    const std::string prefix = name.empty() ? "" : name + ".";
    for (const TomlEntry& entry : after.entries) {
      if (const TomlValue* was = member(before, entry.key)) {
        compare(prefix + entry.key, *was, entry.value);
      } else {
        only_one_has(prefix + entry.key, entry.value, " (new)");
      }
    }
    for (const TomlEntry& entry : before.entries) {
      if (member(after, entry.key) == nullptr) only_one_has(prefix + entry.key, entry.value, " (gone)");
    }
  }
  std::vector<std::string> take() { return std::move(found_); }

 private:
  /// The first hook brings the whole table of hooks: each of its entries is named.
  void only_one_has(const std::string& name, const TomlValue& given, const char* which) {
    const TomlValue value = by_name(given);
    const bool holds_entries = name == "projects" || name == "hooks" || name == "webhooks" ||
                               name == "schedules" || name == "machines";
    if (!holds_entries || value.kind != TomlKind::table) return found_.push_back(name + which);
    for (const TomlEntry& entry : value.entries) found_.push_back(name + "." + entry.key + which);
  }

  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> config_differences(const Config& before, const Config& after) {
  const auto old_tree = parse_toml(show_config(before), "before");
  const auto new_tree = parse_toml(show_config(after), "after");
  if (!old_tree || !new_tree) return {"keys that cannot be written as TOML"};
  Comparison comparison;
  comparison.compare("", *old_tree, *new_tree);
  return comparison.take();
}

std::string named_differences(const std::vector<std::string>& differences) {
  constexpr std::size_t kNamed = 8;
  std::string words;
  for (std::size_t i = 0; i < std::min(kNamed, differences.size()); ++i) {
    words += (words.empty() ? "" : ", ") + one_line(differences[i]);
  }
  if (differences.size() <= kNamed) return words;
  return words + " and " + std::to_string(differences.size() - kNamed) + " more";
}

}  // namespace luzia
