// Reads configuration keys whose value is a list. A bad item is an error of the cursor. Private to
// adapters/config.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "adapters/config/toml_cursor.h"

namespace luzia {

class ListValues {
 public:
  explicit ListValues(TomlCursor& cursor) : cursor_(cursor) {}

  void texts(const char* name, std::vector<std::string>& values);
  void words(const char* name, std::vector<std::string>& values, const std::vector<std::string>& known);
  void program(const char* name, std::vector<std::string>& words);
  void whole_numbers(const char* name, std::vector<std::int64_t>& values);
  void paths(const char* name, std::vector<std::string>& values);
  /// Absolute, or ~/..., which stays as it is: the job's user decides whose home that is.
  void home_paths(const char* name, std::vector<std::string>& values);
  /// "all", "none", or a list of hosts: then the word is "hosts".
  void network(const char* name, std::string& word, std::vector<std::string>& hosts);
  void variables(const char* name, std::vector<std::string>& names);
  void command(const char* name, std::vector<std::string>& words);
  void fractions(const char* name, std::vector<double>& values);

 private:
  /// Sets `values` and returns the entry if it is a list of strings.
  const TomlEntry* strings(const char* name, std::vector<std::string>& values);

  TomlCursor& cursor_;
};

}  // namespace luzia
