// One parsed line of a scenario.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/base/time.h"

namespace luzia {

struct Step {
  int line = 0;
  std::vector<std::string> words;
  std::map<std::string, std::string> values;
  const std::string& word(std::size_t i) const {
    static const std::string kNone;
    return i < words.size() ? words[i] : kNone;
  }
  std::string value(const std::string& key, const std::string& otherwise = {}) const {
    const auto it = values.find(key);
    return it == values.end() ? otherwise : it->second;
  }
  std::uint64_t number(const std::string& key, std::uint64_t otherwise = 0) const {
    const auto it = values.find(key);
    return it == values.end() ? otherwise : std::stoull(it->second);
  }
  std::uint64_t duration_ms(const std::string& key) const {
    return parse_duration_ms(value(key, "0")).value_or(0);
  }
};

}  // namespace luzia
