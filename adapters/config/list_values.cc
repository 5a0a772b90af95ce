#include "adapters/config/list_values.h"

#include <algorithm>

#include "adapters/config/nearest.h"
#include "adapters/config/single_values.h"
#include "engine/base/host_rule.h"
#include "engine/base/lower_case.h"
#include "engine/base/variable_name.h"

namespace luzia {
namespace {

constexpr std::size_t kMaxMoments = 16;
constexpr std::size_t kMostHomePathBytes = 4'000;

/// Finds a placeholder that nearly matches one of ours. Braces that belong to the command itself are fine.
std::string misspelt_placeholder(const std::string& word) {
  static const std::vector<std::string> known = {"task",         "task_file",  "prompt_file", "project",
                                                 "project_path", "session_id", "job_id",      "job_dir",
                                                 "permissions",  "luzia"};
  for (std::size_t open = word.find('{'); open != std::string::npos; open = word.find('{', open + 1)) {
    const std::size_t close = word.find('}', open);
    if (close == std::string::npos) break;
    const std::string name = word.substr(open + 1, close - open - 1);
    const std::string near = name.size() < 3 ? std::string() : nearest_name(name, known);
    if (!near.empty() && near != name && edit_distance(name, near) <= 2) {
      return "{" + name + "}, did you mean {" + near + "}?";
    }
  }
  return {};
}

}  // namespace

const TomlEntry* ListValues::strings(const char* name, std::vector<std::string>& values) {
  const TomlEntry* entry = cursor_.find(name, TomlKind::array);
  if (entry == nullptr) return nullptr;
  std::vector<std::string> read;
  for (const TomlValue& item : entry->value.items) {
    if (item.kind != TomlKind::text) {
      cursor_.wrong(item.place, "config_type",
                    cursor_.full_name(name) + " holds " + std::string(kind_name(item.kind)) +
                        ", it must hold strings only");
      return nullptr;
    }
    read.push_back(item.text);
  }
  values = std::move(read);
  return entry;
}

void ListValues::texts(const char* name, std::vector<std::string>& values) {
  (void)strings(name, values);
}

void ListValues::words(const char* name, std::vector<std::string>& values,
                       const std::vector<std::string>& known) {
  std::vector<std::string> read;
  const TomlEntry* entry = strings(name, read);
  if (entry == nullptr) return;
  for (std::string& word : read) word = lower_case(word);
  for (const TomlValue& item : entry->value.items) {
    if (std::find(known.begin(), known.end(), lower_case(item.text)) != known.end()) continue;
    const std::string near = nearest_name(lower_case(item.text), known);
    std::string all;
    for (const std::string& word : known) all += (all.empty() ? "known here: " : ", ") + word;
    cursor_.out_of_range(name, item.place, " has '" + item.text + "', which is not an event",
                         near.empty() ? all : "did you mean " + near + "?");
  }
  // Set the list even after errors, so that it is not reported as missing too.
  values = std::move(read);
}

void ListValues::program(const char* name, std::vector<std::string>& words) {
  std::vector<std::string> read;
  const TomlEntry* entry = strings(name, read);
  if (entry == nullptr) return;
  const bool has_nul = std::any_of(
      read.begin(), read.end(), [](const std::string& word) { return word.find('\0') != std::string::npos; });
  if (read.empty() || read.front().empty() || has_nul) {
    cursor_.out_of_range(
        name, entry->value.place, (has_nul ? " has a word with a NUL in it" : " names no program"),
        "write [\"program\", \"argument\", ...]; for a shell's line [\"sh\", \"-c\", \"...\"]");
    return;
  }
  words = std::move(read);
}

void ListValues::whole_numbers(const char* name, std::vector<std::int64_t>& values) {
  const TomlEntry* entry = cursor_.find(name, TomlKind::array);
  if (entry == nullptr) return;
  std::vector<std::int64_t> read;
  for (const TomlValue& item : entry->value.items) {
    if (item.kind != TomlKind::integer) {
      return cursor_.wrong(item.place, "config_type",
                           cursor_.full_name(name) + " holds " + std::string(kind_name(item.kind)) +
                               ", it must hold whole numbers");
    }
    read.push_back(item.integer);
  }
  values = std::move(read);
}

void ListValues::paths(const char* name, std::vector<std::string>& values) {
  std::vector<std::string> written;
  const TomlEntry* entry = strings(name, written);
  if (entry == nullptr) return;
  std::vector<std::string> expanded;
  for (const TomlValue& item : entry->value.items) {
    auto path = expanded_path(cursor_, *entry, item);
    if (!path) return;
    expanded.push_back(std::move(*path));
  }
  values = std::move(expanded);
}

void ListValues::home_paths(const char* name, std::vector<std::string>& values) {
  const TomlEntry* entry = strings(name, values);
  if (entry == nullptr) return;
  for (const TomlValue& item : entry->value.items) {
    const std::string& path = item.text;
    const bool good = (path.starts_with('/') || path.starts_with("~/")) && path.size() < kMostHomePathBytes &&
                      path.find('\0') == std::string::npos;
    if (good) continue;
    cursor_.out_of_range(name, item.place, ": '" + path + "' is not an absolute path, nor one below ~/",
                         "write it as /srv/data or ~/.cache");
  }
}

void ListValues::network(const char* name, std::string& word, std::vector<std::string>& hosts) {
  const TomlEntry* entry = cursor_.find(name);
  if (entry == nullptr) return;
  const TomlValue& value = entry->value;
  const std::string said = value.kind == TomlKind::text ? lower_case(value.text) : std::string();
  if (said == "all" || said == "none") {
    word = said;
    hosts.clear();
    return;
  }
  if (value.kind != TomlKind::array) {
    const bool is_host = parse_host_rule(said).has_value();
    return cursor_.wrong(value.place, value.kind == TomlKind::text ? "config_range" : "config_type",
                         cursor_.full_name(name) + " must be \"all\", \"none\" or a list of hosts",
                         is_host ? "write one host as a list too: [\"" + said + "\"]" : "");
  }
  std::vector<std::string> read;
  if (strings(name, read) == nullptr) return;
  const auto rules = parse_host_rules(read);
  if (!rules) {
    return cursor_.out_of_range(name, value.place, ": " + rules.error().message, rules.error().hint);
  }
  word = "hosts";
  hosts.clear();
  for (const HostRule& rule : *rules) hosts.push_back(rule_words(rule));
}

void ListValues::variables(const char* name, std::vector<std::string>& names) {
  const TomlEntry* entry = strings(name, names);
  if (entry == nullptr) return;
  for (const TomlValue& item : entry->value.items) {
    if (is_variable_name(item.text) && !item.text.starts_with("LUZIA_")) continue;
    cursor_.out_of_range(name, item.place, ": '" + item.text + "' cannot be passed on",
                         "name variables, without values; those of luzia itself are set by luzia");
  }
}

void ListValues::command(const char* name, std::vector<std::string>& words) {
  std::vector<std::string> read;
  const TomlEntry* entry = strings(name, read);
  if (entry == nullptr) return;
  for (const TomlValue& item : entry->value.items) {
    if (const std::string misspelt = misspelt_placeholder(item.text); !misspelt.empty()) {
      cursor_.out_of_range(name, item.place, " has the unknown placeholder " + misspelt);
      return;
    }
    if (item.text.find('\0') != std::string::npos) {
      cursor_.out_of_range(name, item.place, " has a word with a NUL in it");
      return;
    }
  }
  words = std::move(read);
}

void ListValues::fractions(const char* name, std::vector<double>& values) {
  const TomlEntry* entry = cursor_.find(name, TomlKind::array);
  if (entry == nullptr) return;
  std::vector<double> read;
  for (const TomlValue& item : entry->value.items) {
    if (item.kind != TomlKind::real && item.kind != TomlKind::integer) {
      return cursor_.wrong(
          item.place, "config_type",
          cursor_.full_name(name) + " holds " + std::string(kind_name(item.kind)) + ", it must hold numbers");
    }
    if (!(item.real > 0 && item.real < 1)) {
      return cursor_.out_of_range(name, item.place, ": each must be between 0 and 1",
                                  "0.5 is half the time until the deadline");
    }
    read.push_back(item.real);
  }
  if (read.size() > kMaxMoments) {
    return cursor_.out_of_range(name, entry->value.place,
                                " has over " + std::to_string(kMaxMoments) + " numbers");
  }
  std::ranges::sort(read);
  read.erase(std::unique(read.begin(), read.end()), read.end());
  values = std::move(read);
}

}  // namespace luzia
