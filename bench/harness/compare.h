// Compares two runs: what improved, what got worse, and what is only noise. Pure.
#pragma once

#include <string>
#include <vector>

#include "bench/harness/measure.h"

namespace luzia::bench {

enum class Verdict { same, better, worse, added, gone };

struct Change {
  std::string name;
  Verdict verdict = Verdict::same;
  double before = 0, after = 0;  // ratios to the yardstick if both runs have the same one, else values
  bool of_ratios = false;
  double gain = 0;   // improvement of after over before; positive is better: 0.1 is a tenth better
  double noise = 0;  // gains up to this mean nothing
};

/// Noise: medians differ only if the ranges of their repetitions, centered on them, do not touch. A figure
/// measured once may vary by a fifth; changes under a twentieth never count. Rejected: a significance test.
/// Three repetitions on a machine with other users are not a sample of one distribution.
std::vector<Change> compare_figures(const std::vector<Figure>& before, const std::vector<Figure>& after);

/// Whether lower values of this unit are better.
bool smaller_is_better(const std::string& unit);

std::string changes_table(const std::vector<Change>& changes);

}  // namespace luzia::bench
