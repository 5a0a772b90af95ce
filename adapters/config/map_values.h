// Reads configuration keys whose value is a table of names and values. A bad entry is an error of the cursor.
// Private to adapters/config.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>

#include "adapters/config/config.h"
#include "adapters/config/toml_cursor.h"

namespace luzia {

class MapValues {
 public:
  explicit MapValues(TomlCursor& cursor) : cursor_(cursor) {}

  void headers(const char* name, std::map<std::string, std::string>& values);
  void text_map(const char* name, std::map<std::string, std::string>& values);
  void secrets(const char* name, SecretPlaces& values);
  void real_map(const char* name, std::map<std::string, double>& values,
                std::initializer_list<const char*> keys);
  void limits(const char* name, std::map<std::string, std::uint32_t>& values);
  void exit_codes(const char* name, std::map<int, schema::ExitMeaning>& codes);
  void gates(const char* name, std::map<std::string, GatePolicy>& values);

 private:
  std::optional<SecretPlace> secret_place(const TomlEntry& secret);

  TomlCursor& cursor_;
};

}  // namespace luzia
