#include "bench/harness/compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "bench/harness/report.h"

namespace luzia::bench {
namespace {

constexpr double kLeastNoise = 0.05;
constexpr double kNoiseUnrepeated = 0.2;

const Figure* find(const std::vector<Figure>& figures, const std::string& name) {
  const auto it = std::find_if(figures.begin(), figures.end(),
                               [&](const Figure& f) { return f.name == name && f.not_measured.empty(); });
  return it == figures.end() ? nullptr : &*it;
}

double noise_of(const Figure& figure) {
  return figure.spread > 0 ? figure.spread / 2 : kNoiseUnrepeated / 2;
}

double gain_of(double before, double after, bool smaller) {
  if (before == after) return 0;
  const double old = smaller ? after : before, fresh = smaller ? before : after;
  if (old <= 0) return fresh > 0 ? HUGE_VAL : 0;
  return fresh > 0 ? fresh / old - 1 : -1;
}

Change compare_one(const Figure& before, const Figure& after) {
  Change change;
  change.name = before.name;
  change.of_ratios = !before.yardstick.empty() && before.yardstick == after.yardstick && before.ratio() > 0 &&
                     after.ratio() > 0;
  change.before = change.of_ratios ? before.ratio() : before.value;
  change.after = change.of_ratios ? after.ratio() : after.value;
  change.gain = gain_of(change.before, change.after, smaller_is_better(before.unit));
  change.noise = std::max(kLeastNoise, noise_of(before) + noise_of(after));
  if (change.gain > change.noise) {
    change.verdict = Verdict::better;
  } else if (change.gain < -change.noise / (1 + change.noise)) {
    change.verdict = Verdict::worse;  // so that a tenth faster and back again have the same factor
  }
  return change;
}

std::string_view word(Verdict verdict) {
  switch (verdict) {
    case Verdict::same:
      return "same";
    case Verdict::better:
      return "better";
    case Verdict::worse:
      return "WORSE";
    case Verdict::added:
      return "new";
    case Verdict::gone:
      return "gone";
  }
  return "";
}

std::string percent(double share) {
  return std::isinf(share) ? "from 0" : (share > 0 ? "+" : "") + short_number(share * 100) + " %";
}

}  // namespace

bool smaller_is_better(const std::string& unit) {
  static constexpr std::array<std::string_view, 11> kSmaller = {
      "us", "ms", "s", "KiB", "MiB", "bytes", "% of a core", "lines", "1/s", "descriptors", "frames"};
  return std::find(kSmaller.begin(), kSmaller.end(), unit) != kSmaller.end();
}

std::vector<Change> compare_figures(const std::vector<Figure>& before, const std::vector<Figure>& after) {
  std::vector<Change> changes;
  for (const Figure& old : before) {
    if (!old.not_measured.empty()) continue;
    if (const Figure* fresh = find(after, old.name)) {
      changes.push_back(compare_one(old, *fresh));
    } else {
      changes.push_back({.name = old.name, .verdict = Verdict::gone, .before = old.value});
    }
  }
  for (const Figure& fresh : after) {
    if (fresh.not_measured.empty() && find(before, fresh.name) == nullptr) {
      changes.push_back({.name = fresh.name, .verdict = Verdict::added, .after = fresh.value});
    }
  }
  return changes;
}

std::string changes_table(const std::vector<Change>& changes) {
  std::string text =
      "| figure | before | after | gain | noise | verdict |\n"
      "|---|---|---|---|---|---|\n";
  for (const Change& change : changes) {
    const bool both = change.verdict != Verdict::added && change.verdict != Verdict::gone;
    const std::string times = change.of_ratios ? " x" : "";
    text += "| " + change.name + " | " +
            (change.verdict == Verdict::added ? "" : short_number(change.before) + times) + " | " +
            (change.verdict == Verdict::gone ? "" : short_number(change.after) + times) + " | " +
            (both ? percent(change.gain) : "") + " | " + (both ? percent(change.noise) : "") + " | " +
            std::string(word(change.verdict)) + " |\n";
  }
  return text;
}

}  // namespace luzia::bench
