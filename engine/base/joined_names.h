// Names in one text: "web, api, docs". Any thread.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

namespace luzia {

/// `names`: a range of texts, or a pointer to the names of a row, which may be null.
template <class Names>
std::string joined_names(const Names& names, std::string_view between = ", ") {
  std::string all;
  const auto add = [&](std::string_view name) { all.append(all.empty() ? "" : between).append(name); };
  if constexpr (!std::is_pointer_v<Names>) {
    for (const std::string_view name : names) add(name);
  } else if (names != nullptr) {
    for (const auto* name : *names) add(name->string_view());
  }
  return all;
}

}  // namespace luzia
