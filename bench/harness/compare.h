// Two runs side by side: what is better, what is worse, and what is only noise. Pure.
#pragma once

#include <string>
#include <vector>

#include "bench/harness/measure.h"

namespace luzia::bench {

enum class Verdict { same, better, worse, added, gone };

struct Change {
  std::string name;
  Verdict verdict = Verdict::same;
  double before = 0, after = 0;  // ratios to the yardstick where both runs have the same one, else values
  bool of_ratios = false;
  double gain = 0;   // after against before, above 0 = better: 0.1 is a tenth better
  double noise = 0;  // gains within it mean nothing
};

/// Noise: medians are apart when the ranges of their repetitions, laid around them, would not touch. What was
/// not repeated is allowed a fifth; nothing is trusted to under a twentieth.
/// Rejected: a test of significance. Three repetitions on a machine that others use too are no sample of one
/// distribution.
std::vector<Change> compare_figures(const std::vector<Figure>& before, const std::vector<Figure>& after);

/// Whether less of this unit is better.
bool smaller_is_better(const std::string& unit);

std::string changes_table(const std::vector<Change>& changes);

}  // namespace luzia::bench
