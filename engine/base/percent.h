// Shares as percentages for people: the one way in which they are rounded. Any thread.
#pragma once

#include <cmath>
#include <string>

namespace luzia {

/// "86 %" for a share from 0 to 1: the nearest whole number, but 0 % only for nothing and 100 % only for all.
inline std::string whole_percent(double share) {
  constexpr double kMost = 1e9;  // shares that agents report may be anything
  if (!(std::abs(share) <= kMost)) share = 0;
  long long whole = std::llround(share * 100);
  if (whole >= 100 && share < 1) whole = 99;
  if (whole <= 0 && share > 0) whole = 1;
  return std::to_string(whole) + " %";
}

}  // namespace luzia
