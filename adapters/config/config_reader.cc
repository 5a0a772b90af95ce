#include "adapters/config/config_reader.h"

#include <algorithm>

#include "adapters/config/config_keys.h"

namespace luzia {

void ConfigReader::read(const TomlValue& root, Config& into) {
  at_.begin(root);
  visit_keys(into, *this);
  at_.report_unknown_keys();
}

void ConfigReader::read_older(const TomlValue& root, Config& into) {
  at_.begin(root);
  visit_old_tool_keys(into, *this);
}

bool ConfigReader::check_new_name(const TomlEntry& item, std::vector<std::string>& seen) {
  if (!at_.check_name(item)) return false;
  if (std::find(seen.begin(), seen.end(), item.key) != seen.end()) {
    at_.wrong(item.place, "config_range", "there are two [[" + at_.path() + "]] named '" + item.key + "'",
              "give each a name of its own");
    return false;
  }
  seen.push_back(item.key);
  return true;
}

}  // namespace luzia
