// "Did you mean": the nearest of some names. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace luzia {

/// Insertions, deletions, replacements and swaps of neighbours that turn one into the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `name`, or empty when none is near enough to be meant: edits of at most a third
/// of its letters, or of one, but not of all. The dashes of an option are no letters. Of equally near ones
/// the first.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace luzia
