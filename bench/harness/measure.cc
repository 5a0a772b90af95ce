#include "bench/harness/measure.h"

#include <time.h>

#include <algorithm>
#include <cmath>

namespace luzia::bench {

double now_seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void Latencies::add(double seconds) {
  const double position = std::log2(std::max(1.0, seconds * 1e9)) * kPerDoubling;
  const auto bucket = std::min(buckets_.size() - 1, static_cast<std::size_t>(position));
  ++buckets_[bucket];
  ++count_;
}

void Latencies::add_all(const Latencies& other) {
  for (std::size_t i = 0; i < buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
}

double Latencies::percentile_us(double share) const {
  const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_)));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (seen >= wanted && seen > 0) return std::exp2((static_cast<double>(i) + 0.5) / kPerDoubling) / 1000;
  }
  return 0;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

Figure plain_figure(const std::string& name, double value, const std::string& unit) {
  Figure figure;
  figure.name = name;
  figure.value = value;
  figure.unit = unit;
  return figure;
}

Figure missing_figure(const std::string& name, const std::string& why) {
  Figure figure = plain_figure(name, 0, "");
  figure.not_measured = why;
  return figure;
}

Figure rate_figure(const std::string& name, std::pair<double, double> rate, const std::string& unit,
                   const Latencies& latencies) {
  Figure figure = plain_figure(name, rate.first, unit);
  figure.spread = rate.second;
  figure.p50_us = latencies.percentile_us(0.5);
  figure.p99_us = latencies.percentile_us(0.99);
  return figure;
}

Figure latency_figure(const std::string& name, const Latencies& latencies, double bound_us) {
  Figure figure = plain_figure(name, latencies.percentile_us(0.5), "us");
  figure.p50_us = figure.value;
  figure.p99_us = latencies.percentile_us(0.99);
  figure.goal = "<= " + std::to_string(static_cast<int>(bound_us)) + " us";
  figure.met = latencies.count() > 0 && figure.value <= bound_us;
  return figure;
}

}  // namespace luzia::bench
