// "Did you mean": the nearest of some names. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace luzia {

/// The fewest insertions, deletions, replacements and swaps of neighbors that turn one into the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `name`; empty if none is near enough. Near enough: at most a third of its letters
/// edited, or one letter, but never all. Dashes of an option do not count as letters. Among equally near
/// candidates the first wins.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace luzia
