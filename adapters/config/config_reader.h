// Reads one TOML tree into a Config and collects the errors in it. Private to adapters/config.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "adapters/config/config.h"
#include "adapters/config/config_keys.h"
#include "adapters/config/toml_tree.h"
#include "engine/base/durations.h"

namespace luzia {

class ConfigReader {
 public:
  /// `places` records where each key was last set: "projects.web.agent" -> "file:line:column".
  ConfigReader(const std::string& file_name, std::map<std::string, std::string>& places,
               std::vector<Error>& errors)
      : file_name_(file_name), places_(places), errors_(errors) {}

  void read(const TomlValue& root, Config& into);
  /// Reads only the keys that the older tool knew.
  void read_older(const TomlValue& root, Config& into);

  // The visitor's functions; see config_keys.h.
  void table(const char* name, const std::function<void()>& body);
  template <class Value, class Body>
  void named(const char* name, std::map<std::string, Value>& values, Body body) {
    table(name, [&] {
      const Frame here = frame_;
      for (const TomlEntry& entry : here.table->entries) {
        frame_.known.push_back(entry.key);
        if (check_name(entry)) enter(entry, [&] { body(values[entry.key]); });
      }
    });
  }
  /// [[name]] ...: each item has a name. An item with the name of an earlier file's item changes it key by
  /// key.
  template <class Value, class Body>
  void listed(const char* name, std::map<std::string, Value>& values, Body body) {
    std::vector<std::string> seen;
    each_item(name, [&](const TomlEntry& item) {
      if (check_new_name(item, seen))
        enter(item, [&] {
          frame_.known.emplace_back("name");
          body(values[item.key]);
        });
    });
  }
  void flag(const char* name, bool& value);
  void optional_flag(const char* name, std::optional<bool>& value);
  void bytes(const char* name, std::uint64_t& value);
  template <class Number>
  void integer(const char* name, Number& value, std::int64_t least, std::int64_t most) {
    if (const auto number = whole_number(name, least, most)) value = static_cast<Number>(*number);
  }
  template <class Number>
  void optional_integer(const char* name, std::optional<Number>& value, std::int64_t least,
                        std::int64_t most) {
    if (const auto number = whole_number(name, least, most)) value = static_cast<Number>(*number);
  }
  void real(const char* name, double& value, double least, double most);
  void text(const char* name, std::string& value);
  /// Any account but root: only root may run jobs as root, and must say so for each job.
  void account(const char* name, std::string& value);
  /// One of `known`, which are in lower case; the file may use any case.
  void choice(const char* name, std::string& value, const std::vector<std::string>& known);
  void path(const char* name, std::string& value);
  void duration(const char* name, std::uint64_t& value_ms, std::uint64_t least = 0,
                std::uint64_t most = kLongestDurationMs);
  void texts(const char* name, std::vector<std::string>& values);
  void words(const char* name, std::vector<std::string>& values, const std::vector<std::string>& known);
  void program(const char* name, std::vector<std::string>& words);
  void url(const char* name, std::string& value);
  /// "22:00-07:00", "none" or "".
  void hours(const char* name, std::string& value);
  void whole_numbers(const char* name, std::vector<std::int64_t>& values);
  void headers(const char* name, std::map<std::string, std::string>& values);
  void paths(const char* name, std::vector<std::string>& values);
  void variables(const char* name, std::vector<std::string>& names);
  void command(const char* name, std::vector<std::string>& words);
  void text_map(const char* name, std::map<std::string, std::string>& values);
  void real_map(const char* name, std::map<std::string, double>& values,
                std::initializer_list<const char*> keys);
  void limits(const char* name, std::map<std::string, std::uint32_t>& values);
  void exit_codes(const char* name, std::map<int, schema::ExitMeaning>& codes);
  void fractions(const char* name, std::vector<double>& values);
  void gates(const char* name, std::map<std::string, GatePolicy>& values);

 private:
  struct Frame {
    const TomlValue* table = nullptr;
    std::string path;  // "projects.web"
    std::vector<std::string> known;
  };

  /// Returns the key's entry if the current table has it with that kind. Records that the key is known and
  /// where it is.
  const TomlEntry* find(const char* name, TomlKind kind);
  const TomlEntry* find(const char* name);
  void enter(const TomlEntry& entry, const std::function<void()>& body);
  void each_item(const char* name, const std::function<void(const TomlEntry&)>& body);
  bool check_new_name(const TomlEntry& item, std::vector<std::string>& seen);
  void report_unknown_keys();
  bool check_name(const TomlEntry& entry);
  bool check_kind(const TomlEntry& entry, TomlKind kind);
  std::optional<std::int64_t> whole_number(const char* name, std::int64_t least, std::int64_t most);
  std::optional<std::string> expanded_path(const TomlEntry& entry, const TomlValue& value);
  void wrong(TomlPlace place, const char* code, const std::string& what, const std::string& hint = {});
  std::string full_name(std::string_view key) const;
  std::string where(TomlPlace place) const;

  const std::string& file_name_;
  std::map<std::string, std::string>& places_;
  std::vector<Error>& errors_;
  Frame frame_;
};

}  // namespace luzia
