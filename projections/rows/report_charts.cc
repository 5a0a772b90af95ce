#include "projections/rows/report_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "projections/rows/harmless.h"

namespace luzia {
namespace {

constexpr double kChartWidth = 520, kChartHeight = 220, kTimelineWidth = 1080;
constexpr double kLeft = 64, kRight = 12, kTop = 12, kBottom = 28;
constexpr double kInner = kChartWidth - kLeft - kRight, kInnerHeight = kChartHeight - kTop - kBottom;
constexpr int kTicks = 4;

/// The end of an axis that reaches `most`. A tick is 1, 2 or 5 times a power of ten, and a whole number where
/// all values are.
double axis_end(double most, const std::vector<ChartSeries>& series) {
  const bool whole = std::ranges::all_of(series, [](const ChartSeries& one) {
    return std::ranges::all_of(one.values, [](double value) { return value == std::floor(value); });
  });
  const double least = std::max(most, 1e-9) / kTicks;
  const double power = std::pow(10, std::floor(std::log10(least)));
  double tick = 10 * power;
  for (const double step : {5.0, 2.0, 1.0}) {
    if (step * power >= least) tick = step * power;
  }
  return kTicks * (whole ? std::max(1.0, tick) : tick);
}

std::string opened(std::string_view title, double width, double height) {
  return fmt::format(
      "<figure><figcaption>{0}</figcaption>\n<svg viewBox=\"0 0 {1:.0f} {2:.0f}\" role=\"img\" "
      "aria-label=\"{0}\">\n",
      escaped_html(title), width, height);
}

std::string closed(const std::vector<ChartSeries>& series) {
  std::string legend;
  for (const ChartSeries& one : series) {
    legend +=
        fmt::format("<span class=\"key\"><i class=\"{}\"></i>{}</span> ", one.style, escaped_html(one.name));
  }
  return "</svg>\n" + (series.size() > 1 ? "<p class=\"legend\">" + legend + "</p>\n" : "") + "</figure>\n";
}

std::string axes(const std::vector<std::string>& labels, double most, ChartNumber number) {
  std::string text;
  for (int tick = 0; tick <= kTicks; ++tick) {
    const double share = static_cast<double>(tick) / kTicks;
    const double y = kTop + kInnerHeight * (1 - share);
    text += fmt::format(
        "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>"
        "<text class=\"axis end\" x=\"{3:.1f}\" y=\"{4:.1f}\">{5}</text>\n",
        kLeft, kLeft + kInner, y, kLeft - 6, y + 4, escaped_html(number(most * share)));
  }
  const std::size_t every = std::max<std::size_t>(1, (labels.size() + 7) / 8);
  const double step = kInner / static_cast<double>(std::max<std::size_t>(1, labels.size()));
  for (std::size_t i = 0; i < labels.size(); i += every) {
    text +=
        fmt::format("<text class=\"axis middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                    kLeft + step * (static_cast<double>(i) + 0.5), kChartHeight - 8, escaped_html(labels[i]));
  }
  return text;
}

bool is_empty(const std::vector<ChartSeries>& series) {
  return std::ranges::all_of(series, [](const ChartSeries& one) {
    return std::ranges::all_of(one.values, [](double value) { return value <= 0; });
  });
}

/// Where a time stands. Straight but for long stretches without a span, which are narrow.
class TimeScale {
 public:
  struct Gap {
    TimeUs length = 0;
    double x = 0, width = 0;
  };

  TimeScale(const std::vector<ChartSpan>& spans, TimeUs from, TimeUs to, double left, double width) {
    constexpr TimeUs kLeastShare = 20;
    constexpr double kGapWidth = 56, kMostOfWidth = 0.3;
    const TimeUs least = (to - from) / kLeastShare;
    std::vector<std::pair<TimeUs, TimeUs>> idle;
    TimeUs busy = to - from, until = from;
    for (const ChartSpan& span : spans) {
      if (span.from - until > least) {
        idle.emplace_back(until, span.from);
        busy -= span.from - until;
      }
      until = std::max(until, span.to);
    }
    const auto count = static_cast<double>(idle.size());
    const double narrow = idle.empty() ? 0 : std::min(kGapWidth, width * kMostOfWidth / count);
    const double scale = (width - narrow * count) / static_cast<double>(std::max<TimeUs>(1, busy));
    points_.emplace_back(from, left);
    for (const auto& [begin, end] : idle) {
      const double x = points_.back().second + static_cast<double>(begin - points_.back().first) * scale;
      points_.emplace_back(begin, x);
      points_.emplace_back(end, x + narrow);
      gaps_.push_back({end - begin, x, narrow});
    }
    points_.emplace_back(to, left + width);
  }

  double x_of(TimeUs time) const {
    const auto after = std::ranges::upper_bound(points_, time, {}, &Point::first);
    if (after == points_.begin()) return points_.front().second;
    if (after == points_.end()) return points_.back().second;
    const auto& [t0, x0] = *std::prev(after);
    return x0 +
           (after->second - x0) * static_cast<double>(time - t0) / static_cast<double>(after->first - t0);
  }
  TimeUs time_of(double x) const {
    const auto after = std::ranges::lower_bound(points_, x, {}, &Point::second);
    if (after == points_.begin()) return points_.front().first;
    if (after == points_.end()) return points_.back().first;
    const auto& [t0, x0] = *std::prev(after);
    return t0 + static_cast<TimeUs>(static_cast<double>(after->first - t0) * (x - x0) / (after->second - x0));
  }
  const std::vector<Gap>& gaps() const { return gaps_; }

 private:
  using Point = std::pair<TimeUs, double>;
  std::vector<Point> points_;
  std::vector<Gap> gaps_;
};

std::string gap_bands(const TimeScale& scale, double bottom) {
  constexpr double kLeastForText = 50;
  std::string text;
  for (const TimeScale::Gap& gap : scale.gaps()) {
    const std::string length = format_duration(gap.length);
    text += fmt::format(
        "<rect class=\"gap\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"><title>{} without "
        "a "
        "job</title></rect>\n",
        gap.x, kTop, gap.width, bottom - kTop, length);
    if (gap.width < kLeastForText) continue;
    text += fmt::format("<text class=\"axis middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                        gap.x + gap.width / 2, (kTop + bottom) / 2 + 4, length);
  }
  return text;
}

/// "11-22 14:05"; for a span below an hour with seconds and without the day.
std::string moment_text(TimeUs time, TimeUs span) {
  const std::string text = format_rfc3339(time);
  return span < kHourUs ? text.substr(11, 8) : text.substr(5, 5) + " " + text.substr(11, 5);
}

}  // namespace

std::string escaped_html(std::string_view text) {
  std::string escaped;
  for (const char c : make_harmless(text, {.keep_newlines = true})) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string column_chart(std::string_view title, const std::vector<std::string>& labels,
                         const std::vector<ChartSeries>& series, ChartNumber number) {
  if (is_empty(series)) return {};
  double most = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    double sum = 0;
    for (const ChartSeries& one : series) sum += one.values[i];
    most = std::max(most, sum);
  }
  most = axis_end(most, series);
  std::string text = opened(title, kChartWidth, kChartHeight) + axes(labels, most, number);
  const double step = kInner / static_cast<double>(std::max<std::size_t>(1, labels.size()));
  const double width = std::min(48.0, step * 0.7);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    double y = kTop + kInnerHeight;
    for (const ChartSeries& one : series) {
      const double height = one.values[i] / most * kInnerHeight;
      if (height <= 0) continue;
      y -= height;
      text += fmt::format(
          "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"><title>{}: {} "
          "{}</title></rect>\n",
          one.style, kLeft + step * (static_cast<double>(i) + 0.5) - width / 2, y, width, height,
          escaped_html(labels[i]), escaped_html(one.name), escaped_html(number(one.values[i])));
    }
  }
  return text + closed(series);
}

std::string line_chart(std::string_view title, const std::vector<std::string>& labels,
                       const std::vector<ChartSeries>& series, ChartNumber number) {
  if (is_empty(series)) return {};
  double most = 0;
  for (const ChartSeries& one : series) {
    for (const double value : one.values) most = std::max(most, value);
  }
  most = axis_end(most, series);
  std::string text = opened(title, kChartWidth, kChartHeight) + axes(labels, most, number);
  const double step = kInner / static_cast<double>(std::max<std::size_t>(1, labels.size()));
  for (const ChartSeries& one : series) {
    std::string path, marks;
    bool drawing = false;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (one.values[i] <= 0) continue;
      const double x = kLeft + step * (static_cast<double>(i) + 0.5);
      const double y = kTop + kInnerHeight * (1 - one.values[i] / most);
      path += fmt::format("{}{:.1f} {:.1f} ", drawing ? "L" : "M", x, y);
      marks += fmt::format(
          "<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\"><title>{}: {} {}</title></circle>\n",
          one.style, x, y, escaped_html(labels[i]), escaped_html(one.name),
          escaped_html(number(one.values[i])));
      drawing = true;
    }
    text += fmt::format("<path class=\"line {}\" d=\"{}\"/>\n{}", one.style, path, marks);
  }
  return text + closed(series);
}

std::string timeline_chart(std::string_view title, const std::vector<ChartSpan>& spans, TimeUs from,
                           TimeUs to) {
  constexpr double kRow = 16, kLeast = 3, kInset = 8;
  const double width = kTimelineWidth - 2 * kInset;
  const TimeScale scale(spans, from, to, kInset, width);
  std::vector<double> free_from;  // by row
  std::string bars;
  std::size_t left_out = 0;
  for (const ChartSpan& span : spans) {
    const double x = scale.x_of(span.from);
    const double wide = std::max(kLeast, scale.x_of(span.to) - x);
    auto row = std::ranges::find_if(free_from, [&](double free) { return free <= x; });
    if (row == free_from.end() && free_from.size() < kMostTimelineRows) row = free_from.insert(row, 0);
    if (row == free_from.end()) {
      ++left_out;
      continue;
    }
    *row = x + wide + 1;
    const double y = kTop + static_cast<double>(row - free_from.begin()) * kRow;
    bars += fmt::format(
        "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.0f}\" "
        "rx=\"2\"><title>{}</title>"
        "</rect>\n",
        span.style, x, y, wide, kRow - 3, escaped_html(span.title));
    const auto letters = static_cast<std::size_t>(wide / 7);
    if (letters < 6) continue;
    bars += fmt::format("<text class=\"bar\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x + 4, y + kRow - 6,
                        escaped_html(fit_width(make_harmless(span.label), letters)));
  }
  const double bottom = kTop + static_cast<double>(std::max<std::size_t>(1, free_from.size())) * kRow;
  std::string text = opened(title, kTimelineWidth, bottom + kBottom);
  for (int tick = 0; tick <= kTicks; ++tick) {
    const double x = kInset + width * tick / kTicks;
    const char* side = tick == 0 ? "" : tick == kTicks ? " end" : " middle";
    text += fmt::format(
        "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>"
        "<text class=\"axis{3}\" x=\"{0:.1f}\" y=\"{4:.1f}\">{5}</text>\n",
        x, kTop, bottom, side, bottom + 18, moment_text(scale.time_of(x), to - from));
  }
  text += gap_bands(scale, bottom) + bars + closed({});
  if (left_out > 0) text += fmt::format("<p class=\"note\">{} more had no room.</p>\n", left_out);
  return text;
}

}  // namespace luzia
