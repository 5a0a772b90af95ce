#include "bench/harness/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "bench/harness/compare.h"
#include "bench/harness/svg.h"

namespace luzia::bench {
namespace {

constexpr double kWidth = 960, kMargin = 60, kLegend = 380, kCurveHeight = 300, kRow = 20, kTitle = 34;
constexpr std::array<const char*, 8> kColors = {"#1b6ca8", "#d1495b", "#2e8b57", "#edae49",
                                                "#6a4c93", "#00798c", "#8d6a3f", "#555555"};
constexpr const char *kGrid = "#dddddd", *kAxis = "#333333";

/// Maps values to pixels by their logarithm; its ends are whole powers of ten.
class LogAxis {
 public:
  LogAxis(double least, double most, double from, double to) : from_(from), to_(to) {
    low_ = std::floor(std::log10(std::max(least, 1e-3)));
    high_ = std::max(low_ + 1, std::ceil(std::log10(std::max(most, 1e-3))));
  }
  double at(double value) const {
    const double share = (std::log10(std::max(value, 1e-3)) - low_) / (high_ - low_);
    return from_ + std::clamp(share, 0.0, 1.0) * (to_ - from_);
  }
  std::vector<double> ticks() const {
    std::vector<double> list;
    for (int above = 0; low_ + above <= high_; ++above) list.push_back(std::pow(10, low_ + above));
    return list;
  }

 private:
  double low_, high_, from_, to_;
};

std::string tick_text(double value) {
  if (value >= 1e6) return short_number(value / 1e6) + "M";
  if (value >= 1e3) return short_number(value / 1e3) + "k";
  return short_number(value);
}

/// `name, 1000 jobs in the store` -> `name`: what a curve is called.
std::string curve_name(const Figure& figure) {
  return figure.name.substr(0, figure.name.rfind(", "));
}

using Curves = std::map<std::string, std::map<double, double>>;

Curves curves_of(const Run& run) {
  Curves curves;
  for (const Figure& figure : run.figures) {
    if (figure.size > 0 && !smaller_is_better(figure.unit))
      curves[curve_name(figure)][figure.size] = figure.value;
  }
  std::erase_if(curves, [](const auto& curve) { return curve.second.size() < 2; });
  return curves;
}

double draw_curves(Svg& svg, double top, const Curves& curves) {
  double least = HUGE_VAL, most = 0, small = HUGE_VAL, large = 0;
  for (const auto& [name, points] : curves) {
    for (const auto& [size, value] : points) {
      least = std::min(least, value), most = std::max(most, value);
      small = std::min(small, size), large = std::max(large, size);
    }
  }
  const double bottom = top + kTitle + kCurveHeight;
  const LogAxis x(small, large, kMargin, kWidth - kLegend), y(least, most, bottom, top + kTitle);
  svg.text(kMargin, top + 20, "Throughput per second against jobs or events in the store", Anchor::start, 15);
  for (const double tick : x.ticks()) {
    svg.line(x.at(tick), top + kTitle, x.at(tick), bottom, kGrid);
    svg.text(x.at(tick), bottom + 16, tick_text(tick), Anchor::middle);
  }
  for (const double tick : y.ticks()) {
    svg.line(kMargin, y.at(tick), kWidth - kLegend, y.at(tick), kGrid);
    svg.text(kMargin - 6, y.at(tick) + 4, tick_text(tick), Anchor::end);
  }
  std::size_t color = 0;
  for (const auto& [name, points] : curves) {
    std::vector<std::pair<double, double>> path;
    for (const auto& [size, value] : points) path.emplace_back(x.at(size), y.at(value));
    const char* ink = kColors[color % kColors.size()];
    svg.path(path, ink);
    for (const auto& [px, py] : path) svg.dot(px, py, 3, ink);
    const double line = top + kTitle + 14 + static_cast<double>(color++) * kRow;
    svg.box(kWidth - kLegend + 20, line - 10, 12, 12, ink);
    svg.text(kWidth - kLegend + 38, line, name);
  }
  return bottom + 40;
}

struct Bar {
  std::string name, label;
  double from, to;
  bool good;
};

double draw_bars(Svg& svg, double top, const std::string& title, const std::vector<Bar>& bars, double mark) {
  double least = HUGE_VAL, most = 0;
  for (const Bar& bar : bars) least = std::min(least, bar.from), most = std::max(most, bar.to);
  if (mark > 0) least = std::min(least, mark), most = std::max(most, mark);
  const double bottom = top + kTitle + static_cast<double>(bars.size()) * kRow;
  const LogAxis x(least, most, kLegend + 20, kWidth - kMargin - 60);
  svg.text(kMargin, top + 20, title, Anchor::start, 15);
  for (const double tick : x.ticks()) {
    svg.line(x.at(tick), top + kTitle, x.at(tick), bottom, tick == mark ? kAxis : kGrid,
             tick == mark ? 2 : 1);
    svg.text(x.at(tick), bottom + 16, tick_text(tick), Anchor::middle);
  }
  double row = top + kTitle;
  for (const Bar& bar : bars) {
    svg.text(kLegend + 10, row + 14, bar.name, Anchor::end, 11);
    const double begin = std::min(x.at(bar.from), x.at(bar.to)), end = std::max(x.at(bar.from), x.at(bar.to));
    svg.box(begin, row + 4, std::max(2.0, end - begin), kRow - 8, bar.good ? kColors[2] : kColors[1]);
    svg.text(end + 6, row + 14, bar.label, Anchor::start, 11);
    row += kRow;
  }
  return bottom + 40;
}

std::vector<Bar> latency_bars(const Run& run) {
  std::vector<Bar> bars;
  for (const Figure& figure : run.figures) {
    if (!figure.p50_us || !figure.p99_us || *figure.p50_us <= 0) continue;
    bars.push_back({figure.name, short_number(*figure.p50_us) + " to " + short_number(*figure.p99_us),
                    *figure.p50_us, *figure.p99_us, figure.met});
  }
  return bars;
}

std::vector<Bar> ratio_bars(const Run& run) {
  std::vector<Bar> bars;
  for (const Figure& figure : run.figures) {
    if (figure.yardstick.empty() || figure.ratio() <= 0) continue;
    bars.push_back({figure.name, short_number(figure.ratio()) + " x", 1, figure.ratio(), figure.met});
    if (bars.back().from > bars.back().to) std::swap(bars.back().from, bars.back().to);
  }
  return bars;
}

}  // namespace

std::string plot_svg(const Run& run) {
  const Curves curves = curves_of(run);
  const std::vector<Bar> latencies = latency_bars(run), ratios = ratio_bars(run);
  const auto rows = static_cast<double>(latencies.size() + ratios.size());
  const double height = kTitle * 4 + kCurveHeight + rows * kRow + 150;
  Svg svg(kWidth, height);
  double top = 10;
  if (!curves.empty()) top = draw_curves(svg, top, curves);
  if (!latencies.empty()) {
    top = draw_bars(svg, top, "Latency from p50 to p99, us (green: goal met)", latencies, 0);
  }
  if (!ratios.empty()) top = draw_bars(svg, top, "Ratio to the yardstick (green: goal met)", ratios, 1);
  svg.text(kMargin, top, run.machine.substr(0, 150), Anchor::start, 9);
  return svg.finish();
}

}  // namespace luzia::bench
