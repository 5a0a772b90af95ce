// Walks a TOML tree table by table. Notes where each key is set, and collects errors: kinds that do not fit,
// names that cannot be, keys that nobody asked for. Private to adapters/config.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "adapters/config/toml_tree.h"
#include "engine/base/result.h"

namespace luzia {

class TomlCursor {
 public:
  /// `places` records where each key was last set: "projects.web.agent" -> "file:line:column". All must
  /// outlive it.
  TomlCursor(const std::string& file_name, std::map<std::string, std::string>& places,
             std::vector<Error>& errors)
      : file_name_(file_name), places_(places), errors_(errors) {}

  void begin(const TomlValue& root) { frame_ = {&root, "", {}}; }
  void know(const char* name) { frame_.known.emplace_back(name); }
  /// The key's entry in the current table, or null. The key is known from now on.
  const TomlEntry* find(const char* name);
  /// The same if it has that kind.
  const TomlEntry* find(const char* name, TomlKind kind);
  /// Runs `body` with that table as the current one, then reports its unknown keys.
  void table(const char* name, const std::function<void()>& body);
  void enter(const TomlEntry& entry, const std::function<void()>& body);
  /// Runs `body` for each entry of the table, whose keys are all known, with the table as the current one.
  void each_entry(const char* name, const std::function<void(const TomlEntry&)>& body);
  /// Runs `body` for each table of the list [[name]] as an entry under its own name. Errors are named like
  /// those of a table [name.NAME].
  void each_item(const char* name, const std::function<void(const TomlEntry&)>& body);
  void report_unknown_keys();
  bool check_name(const TomlEntry& entry);
  bool check_kind(const TomlEntry& entry, TomlKind kind);
  void note_place(const TomlEntry& entry) { places_[full_name(entry.key)] = where(entry.value.place); }
  void wrong(TomlPlace place, const char* code, const std::string& what, const std::string& hint = {});
  /// `what` follows the full name of the key: " is 7, it must be 0 to 5".
  void out_of_range(std::string_view key, TomlPlace place, const std::string& what,
                    const std::string& hint = {}) {
    wrong(place, "config_range", full_name(key) + what, hint);
  }
  /// "projects.web"; empty: the root.
  const std::string& path() const { return frame_.path; }
  std::string full_name(std::string_view key) const;

 private:
  struct Frame {
    const TomlValue* table = nullptr;
    std::string path;
    std::vector<std::string> known;
  };
  std::string where(TomlPlace place) const;

  const std::string& file_name_;
  std::map<std::string, std::string>& places_;
  std::vector<Error>& errors_;
  Frame frame_;
};

/// "known here: a, b", or "did you mean a?".
std::string did_you_mean(std::string_view name, const std::vector<std::string>& known);
/// The words with commas between them.
std::string listed_words(const std::vector<std::string>& words);

}  // namespace luzia
