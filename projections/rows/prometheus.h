// Metrics in the text format of Prometheus, version 0.0.4: one family after the other, each with its help,
// its type and all of its samples. Any thread.
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
  /// Begins a family; its samples follow. `type`: counter, gauge or histogram.
  void family(std::string_view name, std::string_view type, std::string_view help);
  void sample(const PrometheusLabels& labels, double value) { line({}, labels, {}, value); }
  /// Of a histogram: durations counted in the buckets of projections/rows/buckets.h, told in seconds, in
  /// steps that double.
  void durations(const PrometheusLabels& labels, const view::Durations& row);

  const std::string& text() const { return text_; }

 private:
  void line(std::string_view suffix, const PrometheusLabels& labels, std::string_view bound, double value);

  std::string text_, name_;
};

}  // namespace luzia
