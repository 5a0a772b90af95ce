// Bars of text that show numbers side by side in a terminal: in eighths of a column if it can show block
// characters, else in ASCII. Pure, any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "projections/rows/table.h"

namespace luzia {

/// Draws the part `good` of `value` full and the rest lighter (red if there are colors).
struct Bar {
  std::string label;  // made harmless when printed
  double value = 0;   // not negative
  double good = 0;    // at most `value`
  std::string note;   // printed after the bar
};

/// One line per bar, fitted to the width of the style (80 columns if unknown). The longest bar takes what
/// labels and notes leave. Empty if there are no bars.
std::string bars_text(const std::vector<Bar>& bars, const TableStyle& style);

/// Counts of durations in the buckets of projections/rows/buckets.h as bars, one for each doubling, from the
/// first to the last that is not empty.
std::vector<Bar> duration_bars(const std::vector<std::uint64_t>& buckets);

}  // namespace luzia
