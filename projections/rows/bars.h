// Bars of text: what numbers look like beside each other in a terminal, in eighths of a column where it shows
// block characters, else in ASCII. Pure, any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "projections/rows/table.h"

namespace luzia {

/// `good` of `value` is drawn full, the rest lighter (red where there are colours).
struct Bar {
  std::string label;  // made harmless when printed
  double value = 0;   // not negative
  double good = 0;    // at most `value`
  std::string note;   // behind the bar
};

/// A line per bar, fitted to the width of the style (80 columns where it has none); the longest bar takes
/// what labels and notes leave. Empty for no bars.
std::string bars_text(const std::vector<Bar>& bars, const TableStyle& style);

/// Counts of durations in the buckets of projections/rows/buckets.h as bars, one for each doubling, from the
/// first that has any to the last.
std::vector<Bar> duration_bars(const std::vector<std::uint64_t>& buckets);

}  // namespace luzia
