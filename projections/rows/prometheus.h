// Metrics in the text format of Prometheus, version 0.0.4: families one after another, each with its help,
// its type and all of its samples. One thread at a time.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "view.fb.h"

namespace luzia {

using PrometheusLabels = std::vector<std::pair<std::string_view, std::string_view>>;

class PrometheusText {
 public:
  /// Begins a family, whose samples follow. `type`: counter, gauge or histogram.
  void family(std::string_view name, std::string_view type, std::string_view help);
  void sample(const PrometheusLabels& labels, double value) { line({}, labels, {}, value); }
  /// A sample of a histogram: durations from the buckets of projections/rows/buckets.h, in seconds, with
  /// bounds that double.
  void durations(const PrometheusLabels& labels, const view::Durations& row);

  const std::string& text() const { return text_; }

 private:
  void line(std::string_view suffix, const PrometheusLabels& labels, std::string_view bound, double value);

  std::string text_, name_;
};

}  // namespace luzia
