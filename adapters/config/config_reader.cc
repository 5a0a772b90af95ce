#include "adapters/config/config_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "adapters/config/nearest.h"
#include "engine/base/lower_case.h"
#include "engine/base/places.h"
#include "engine/base/time.h"
#include "engine/base/variable_name.h"

namespace luzia {
namespace {

constexpr std::size_t kMaxNameBytes = 100;

std::string join(const std::vector<std::string>& words) {
  std::string joined;
  for (const std::string& word : words) joined += (joined.empty() ? "" : ", ") + word;
  return joined;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& known) {
  const std::string near = nearest_name(name, known);
  return near.empty() ? "known here: " + join(known) : "did you mean " + near + "?";
}

std::string number_text(double number) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, number);
  return std::string(text, end.ptr);
}

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

void ConfigReader::read(const TomlValue& root, Config& into) {
  frame_ = {&root, "", {}};
  visit_keys(into, *this);
  report_unknown_keys();
}

void ConfigReader::read_older(const TomlValue& root, Config& into) {
  frame_ = {&root, "", {}};
  visit_old_tool_keys(into, *this);
}

std::string ConfigReader::full_name(std::string_view key) const {
  return frame_.path.empty() ? std::string(key) : frame_.path + "." + std::string(key);
}

std::string ConfigReader::where(TomlPlace place) const {
  return file_name_ + ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
}

void ConfigReader::wrong(TomlPlace place, const char* code, const std::string& what,
                         const std::string& hint) {
  errors_.push_back(
      Error{ErrorKind::usage, code, "reading " + where(place) + ": " + one_line(what), one_line(hint)});
}

const TomlEntry* ConfigReader::find(const char* name) {
  frame_.known.emplace_back(name);
  if (frame_.table == nullptr) return nullptr;
  for (const TomlEntry& entry : frame_.table->entries) {
    if (entry.key == name) {
      places_[full_name(name)] = where(entry.value.place);
      return &entry;
    }
  }
  return nullptr;
}

bool ConfigReader::check_kind(const TomlEntry& entry, TomlKind kind) {
  const bool fits =
      entry.value.kind == kind || (kind == TomlKind::real && entry.value.kind == TomlKind::integer);
  if (!fits) {
    wrong(entry.value.place, "config_type",
          full_name(entry.key) + " is " + std::string(kind_name(entry.value.kind)) + ", it must be " +
              std::string(kind_name(kind)));
  }
  return fits;
}

const TomlEntry* ConfigReader::find(const char* name, TomlKind kind) {
  const TomlEntry* entry = find(name);
  return entry != nullptr && check_kind(*entry, kind) ? entry : nullptr;
}

void ConfigReader::enter(const TomlEntry& entry, const std::function<void()>& body) {
  if (!check_kind(entry, TomlKind::table)) return;
  Frame outer = std::move(frame_);
  frame_ = {&entry.value, outer.path.empty() ? entry.key : outer.path + "." + entry.key, {}};
  places_[frame_.path] = where(entry.place);
  body();
  report_unknown_keys();
  frame_ = std::move(outer);
}

void ConfigReader::table(const char* name, const std::function<void()>& body) {
  if (const TomlEntry* entry = find(name)) enter(*entry, body);
}

void ConfigReader::report_unknown_keys() {
  for (const TomlEntry& entry : frame_.table->entries) {
    if (std::find(frame_.known.begin(), frame_.known.end(), entry.key) == frame_.known.end()) {
      const std::string section = frame_.path.empty() ? "" : " in [" + frame_.path + "]";
      wrong(entry.place, "config_unknown_key", "unknown key '" + entry.key + "'" + section,
            did_you_mean(entry.key, frame_.known));
    }
  }
}

bool ConfigReader::check_name(const TomlEntry& entry) {
  const std::string& name = entry.key;
  const bool control = std::any_of(name.begin(), name.end(),
                                   [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (name.empty() || name.size() > kMaxNameBytes || control || name.front() == '-' || name.front() == '.' ||
      name.find('/') != std::string::npos) {
    wrong(entry.place, "config_range", "'" + full_name(name) + "' cannot be a name",
          "use up to 100 characters without '/' and control characters, not starting with '-' or '.'");
    return false;
  }
  return true;
}

void ConfigReader::flag(const char* name, bool& value) {
  if (const TomlEntry* entry = find(name, TomlKind::boolean)) value = entry->value.boolean;
}

std::optional<std::int64_t> ConfigReader::whole_number(const char* name, std::int64_t least,
                                                       std::int64_t most) {
  const TomlEntry* entry = find(name, TomlKind::integer);
  if (entry == nullptr) return std::nullopt;
  const std::int64_t number = entry->value.integer;
  if (number < least || number > most) {
    wrong(entry->value.place, "config_range",
          full_name(name) + " is " + std::to_string(number) + ", it must be " + std::to_string(least) +
              " to " + std::to_string(most));
    return std::nullopt;
  }
  return number;
}

void ConfigReader::real(const char* name, double& value, double least, double most) {
  const TomlEntry* entry = find(name, TomlKind::real);
  if (entry == nullptr) return;
  const double number = entry->value.real;
  if (!(number >= least && number <= most)) {
    wrong(entry->value.place, "config_range",
          full_name(name) + " is " + number_text(number) + ", it must be " + number_text(least) + " to " +
              number_text(most));
    return;
  }
  value = number;
}

void ConfigReader::text(const char* name, std::string& value) {
  if (const TomlEntry* entry = find(name, TomlKind::text)) value = entry->value.text;
}

void ConfigReader::account(const char* name, std::string& value) {
  const TomlEntry* entry = find(name, TomlKind::text);
  if (entry == nullptr) return;
  const std::string& account = entry->value.text;
  if (account == "root" || account.find_first_of(std::string_view(":/\n\0", 4)) != std::string::npos) {
    wrong(entry->value.place, "config_range",
          full_name(name) + " is '" + account + "', it must be a user other than root",
          "root has a job run as root by asking for it: luzia PROJECT TASK --user root");
    return;
  }
  value = account;
}

void ConfigReader::choice(const char* name, std::string& value, const std::vector<std::string>& known) {
  const TomlEntry* entry = find(name, TomlKind::text);
  if (entry == nullptr) return;
  const std::string word = lower_case(entry->value.text);
  if (std::find(known.begin(), known.end(), word) == known.end()) {
    wrong(entry->value.place, "config_range",
          full_name(name) + " is '" + entry->value.text + "', it must be one of " + join(known),
          did_you_mean(word, known));
    return;
  }
  value = word;
}

std::optional<std::string> ConfigReader::expanded_path(const TomlEntry& entry, const TomlValue& value) {
  const std::string& path = value.text;
  if (path == "~" || path.rfind("~/", 0) == 0) {
    const std::string home = home_directory();
    if (!home.empty()) return home + path.substr(1);
  } else if (path.empty() || (path.front() == '/' && path.find('\0') == std::string::npos)) {
    return path;
  }
  wrong(value.place, "config_range", full_name(entry.key) + " is '" + path + "', it must be an absolute path",
        "begin it with / or ~/");
  return std::nullopt;
}

void ConfigReader::path(const char* name, std::string& value) {
  if (const TomlEntry* entry = find(name, TomlKind::text)) {
    if (auto expanded = expanded_path(*entry, entry->value)) value = std::move(*expanded);
  }
}

void ConfigReader::duration(const char* name, std::uint64_t& value_ms, std::uint64_t least,
                            std::uint64_t most) {
  const TomlEntry* entry = find(name);
  if (entry == nullptr) return;
  const bool is_integer = entry->value.kind == TomlKind::integer;
  if (!is_integer && !check_kind(*entry, TomlKind::text)) return;
  const std::string written = is_integer ? std::to_string(entry->value.integer) : entry->value.text;
  const auto parsed = parse_duration_ms(written);
  if (parsed && *parsed >= least && *parsed <= most) {
    value_ms = *parsed;
  } else if (parsed) {
    wrong(entry->value.place, "config_range",
          full_name(name) + " is '" + written + "', it must be " + std::to_string(least) + "ms to " +
              std::to_string(most) + "ms");
  } else {
    wrong(entry->value.place, "config_range",
          full_name(name) + " is '" + written + "', it must be a duration",
          "write \"90s\", \"10m\", \"2h30m\" or a number of seconds");
  }
}

void ConfigReader::texts(const char* name, std::vector<std::string>& values) {
  const TomlEntry* entry = find(name, TomlKind::array);
  if (entry == nullptr) return;
  std::vector<std::string> read;
  for (const TomlValue& item : entry->value.items) {
    if (item.kind != TomlKind::text) {
      wrong(item.place, "config_type",
            full_name(name) + " holds " + std::string(kind_name(item.kind)) + ", it must hold strings only");
      return;
    }
    read.push_back(item.text);
  }
  values = std::move(read);
}

void ConfigReader::variables(const char* name, std::vector<std::string>& names) {
  const std::size_t errors_before = errors_.size();
  texts(name, names);
  const TomlEntry* entry = find(name);
  if (entry == nullptr || errors_.size() != errors_before) return;
  for (const TomlValue& item : entry->value.items) {
    if (is_variable_name(item.text) && !item.text.starts_with("LUZIA_")) continue;
    wrong(item.place, "config_range", full_name(name) + ": '" + item.text + "' cannot be passed on",
          "name variables, without values; those of luzia itself are set by luzia");
  }
}

void ConfigReader::paths(const char* name, std::vector<std::string>& values) {
  std::vector<std::string> written;
  const std::size_t errors_before = errors_.size();
  texts(name, written);
  const TomlEntry* entry = find(name);
  if (entry == nullptr || errors_.size() != errors_before) return;
  std::vector<std::string> expanded;
  for (const TomlValue& item : entry->value.items) {
    auto path = expanded_path(*entry, item);
    if (!path) return;
    expanded.push_back(std::move(*path));
  }
  values = std::move(expanded);
}

void ConfigReader::command(const char* name, std::vector<std::string>& words) {
  const std::size_t errors_before = errors_.size();
  std::vector<std::string> read = words;
  texts(name, read);
  const TomlEntry* entry = find(name);
  if (entry == nullptr || errors_.size() != errors_before) return;
  for (const TomlValue& item : entry->value.items) {
    if (const std::string misspelt = misspelt_placeholder(item.text); !misspelt.empty()) {
      wrong(item.place, "config_range", full_name(name) + " has the unknown placeholder " + misspelt);
      return;
    }
    if (item.text.find('\0') != std::string::npos) {
      wrong(item.place, "config_range", full_name(name) + " has a word with a NUL in it");
      return;
    }
  }
  words = std::move(read);
}

void ConfigReader::text_map(const char* name, std::map<std::string, std::string>& values) {
  const TomlEntry* entry = find(name, TomlKind::table);
  if (entry == nullptr) return;
  for (const TomlEntry& variable : entry->value.entries) {
    if (variable.value.kind != TomlKind::text) {
      wrong(variable.value.place, "config_type",
            full_name(name) + "." + variable.key + " is " + std::string(kind_name(variable.value.kind)) +
                ", it must be a string");
    } else if (!is_variable_name(variable.key) || variable.value.text.find('\0') != std::string::npos) {
      wrong(variable.place, "config_range",
            full_name(name) + ": '" + variable.key + "' cannot be a variable");
    } else {
      values[variable.key] = variable.value.text;
    }
  }
}

void ConfigReader::real_map(const char* name, std::map<std::string, double>& values,
                            std::initializer_list<const char*> keys) {
  table(name, [&] {
    for (const char* key : keys) {
      double number = -1;
      real(key, number, 0, 1e9);
      if (number >= 0) values[key] = number;
    }
  });
}

void ConfigReader::limits(const char* name, std::map<std::string, std::uint32_t>& values) {
  table(name, [&] {
    const Frame here = frame_;
    for (const TomlEntry& entry : here.table->entries) {
      frame_.known.push_back(entry.key);
      if (check_name(entry)) integer(entry.key.c_str(), values[entry.key], 1, 100'000);
    }
  });
}

void ConfigReader::exit_codes(const char* name, std::map<int, schema::ExitMeaning>& codes) {
  const TomlEntry* entry = find(name, TomlKind::table);
  if (entry == nullptr) return;
  static const std::vector<std::string> words = {"completed", "retriable", "failed", "needs_clarification"};
  for (const TomlEntry& row : entry->value.entries) {
    int code = -1;
    const char* end = row.key.data() + row.key.size();
    const auto parsed = std::from_chars(row.key.data(), end, code);
    const auto meaning = parse_exit_meaning(row.value.text);
    if (parsed.ec != std::errc() || parsed.ptr != end || code < 0 || code > 255) {
      wrong(row.place, "config_range", full_name(name) + ": '" + row.key + "' is no exit code, 0 to 255 are");
    } else if (row.value.kind != TomlKind::text || !meaning) {
      wrong(row.value.place, "config_range",
            full_name(name) + "." + row.key + " must be one of " + join(words),
            did_you_mean(lower_case(row.value.text), words));
    } else {
      codes[code] = *meaning;
    }
  }
}

}  // namespace luzia
