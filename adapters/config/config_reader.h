// Reads one TOML tree into a Config: the visitor of config_keys.h that sets the keys. Private to
// adapters/config.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "adapters/config/config.h"
#include "adapters/config/list_values.h"
#include "adapters/config/map_values.h"
#include "adapters/config/single_values.h"

namespace luzia {

class ConfigReader : public SingleValues, public ListValues, public MapValues {
 public:
  /// Errors and places of keys go to the cursor, which must outlive it.
  explicit ConfigReader(TomlCursor& cursor)
      : SingleValues(cursor), ListValues(cursor), MapValues(cursor), at_(cursor) {}

  void read(const TomlValue& root, Config& into);
  /// Reads only the keys that the older tool knew.
  void read_older(const TomlValue& root, Config& into);

  void table(const char* name, const std::function<void()>& body) { at_.table(name, body); }
  template <class Value, class Body>
  void named(const char* name, std::map<std::string, Value>& values, Body body) {
    at_.each_entry(name, [&](const TomlEntry& entry) {
      if (at_.check_name(entry)) at_.enter(entry, [&] { body(values[entry.key]); });
    });
  }
  /// [[name]] ...: each item has a name. An item with the name of an earlier file's item changes it key by
  /// key.
  template <class Value, class Body>
  void listed(const char* name, std::map<std::string, Value>& values, Body body) {
    std::vector<std::string> seen;
    at_.each_item(name, [&](const TomlEntry& item) {
      if (check_new_name(item, seen))
        at_.enter(item, [&] {
          at_.know("name");
          body(values[item.key]);
        });
    });
  }

 private:
  bool check_new_name(const TomlEntry& item, std::vector<std::string>& seen);

  TomlCursor& at_;
};

}  // namespace luzia
