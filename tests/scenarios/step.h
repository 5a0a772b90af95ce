// One parsed line of a scenario.
#pragma once

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "engine/base/time.h"

namespace luzia {

inline std::vector<std::string> words_between_commas(const std::string& words) {
  std::vector<std::string> list;
  std::istringstream in(words);
  for (std::string word; std::getline(in, word, ',');) list.push_back(word);
  return list;
}

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
  std::vector<std::string> list(const std::string& key, const std::string& otherwise = {}) const {
    return words_between_commas(value(key, otherwise));
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
