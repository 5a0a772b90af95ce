// Words of a search, and texts that have them. Pure, any thread.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/lower_case.h"

namespace luzia {

/// The words between spaces, with A to Z in lower case.
inline std::vector<std::string> lower_words(std::string_view text) {
  std::vector<std::string> words;
  const std::string lower = lower_case(text);
  for (std::size_t at = 0, end = 0; (at = lower.find_first_not_of(' ', end)) != std::string::npos;) {
    end = std::min(lower.find(' ', at), lower.size());
    words.push_back(lower.substr(at, end - at));
  }
  return words;
}

/// Whether the text has all of these words, which are in lower case, also within longer ones.
inline bool has_words(std::string_view text, const std::vector<std::string>& words) {
  const std::string lower = lower_case(text);
  return std::ranges::all_of(words,
                             [&](const std::string& word) { return lower.find(word) != std::string::npos; });
}

}  // namespace luzia
