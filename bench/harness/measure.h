// Measuring tools: clocks, latencies in logarithmic buckets, medians, and one result row.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace luzia::bench {

/// The monotonic clock in seconds.
double now_seconds();

/// Latencies of one run, like an HDR histogram: 64 buckets per doubling (1.1 % wide), 1 ns to 1 hour.
class Latencies {
 public:
  void add(double seconds);
  void add_all(const Latencies& other);
  std::uint64_t count() const { return count_; }
  /// `share`: 0 to 1. The result is in microseconds.
  double percentile_us(double share) const;

 private:
  static constexpr int kPerDoubling = 64;
  std::array<std::uint64_t, 42 * kPerDoubling> buckets_{};
  std::uint64_t count_ = 0;
};

/// Operations per second, and the latency of each.
struct Rate {
  double per_second = 0;
  Latencies latencies;
};

double median(std::vector<double> values);

/// One figure and its yardstick from the same run. `goal` is text from the project's goals; `met`: whether
/// `ratio` or the value satisfies it.
struct Figure {
  std::string name;
  double value = 0;
  std::string unit;
  std::optional<double> p50_us, p99_us;
  std::string yardstick;
  double yardstick_value = 0;
  std::string goal;
  bool met = false;
  double spread = 0;         // (max - min) / median over the repetitions
  double size = 0;           // jobs or events in the store, if the figure is a point of a curve; 0: none
  std::string not_measured;  // why there is no value; empty: there is one
  double ratio() const { return yardstick_value > 0 ? value / yardstick_value : 0; }
};

/// A row without a value.
Figure missing_figure(const std::string& name, const std::string& why);
/// A figure with only a value so far.
Figure plain_figure(const std::string& name, double value, const std::string& unit);
/// Operations per second: median and spread from repeated(), percentiles from `latencies`.
Figure rate_figure(const std::string& name, std::pair<double, double> rate, const std::string& unit,
                   const Latencies& latencies);
/// The median latency in microseconds; the goal is at most `bound_us`.
Figure latency_figure(const std::string& name, const Latencies& latencies, double bound_us);

/// Runs `once` `repetitions` times; returns median and spread.
template <class Once>
std::pair<double, double> repeated(int repetitions, Once once) {
  std::vector<double> values;
  for (int i = 0; i < repetitions; ++i) values.push_back(once());
  const double middle = median(values);
  double low = values.front(), high = values.front();
  for (double value : values) {
    low = value < low ? value : low;
    high = value > high ? value : high;
  }
  return {middle, middle > 0 ? (high - low) / middle : 0};
}

}  // namespace luzia::bench
