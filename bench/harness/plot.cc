#include "bench/harness/plot.h"

#include <algorithm>
#include <array>

#include "bench/harness/svg.h"

namespace luzia::bench {
namespace {

constexpr double kWidth = 860, kBarsBegin = 290, kBarsEnd = 760, kTop = 64, kRow = 34, kBar = 18;
constexpr const char *kOurs = "#1b6ca8", *kBare = "#b9c2ca", *kInk = "#333333";

/// Each is a time in microseconds with a yardstick in the same unit.
struct Row {
  std::string_view title, figure, bare;
};
constexpr auto kRows = std::to_array<Row>({
    {"status of a job, over the socket", "status of a live job over the socket", "an empty request"},
    {"a dispatch is on disk", "dispatch latency p50, 1 client", "a write, its fdatasync and a reply"},
    {"a line of output is an event", "output to event, 200 lines/s", "a write and its fdatasync"},
    {"luzia job ID, the whole program", "whole process luzia job ID", "starting /bin/true"},
    {"luzia-query job ID, no daemon", "luzia-query job ID without daemon", "starting /bin/true"},
});

const Figure* find(const Run& run, std::string_view name) {
  const auto found =
      std::ranges::find_if(run.figures, [&](const Figure& figure) { return figure.name == name; });
  return found == run.figures.end() ? nullptr : &*found;
}

std::string milliseconds(double microseconds) {
  return short_number(microseconds / 1000) + " ms";
}

}  // namespace

std::string plot_svg(const Run& run) {
  double longest = 1;
  for (const Row& row : kRows) {
    if (const Figure* figure = find(run, row.figure)) longest = std::max(longest, figure->value);
  }
  const double scale = (kBarsEnd - kBarsBegin) / longest;
  Svg svg(kWidth, kTop + kRows.size() * kRow + 30);
  svg.text(20, 26, "How long it takes (median; shorter is better)", Anchor::start, 16);
  svg.box(20, 38, 12, 12, kOurs);
  svg.text(38, 49, "Luzia");
  svg.box(90, 38, 12, 12, kBare);
  svg.text(108, 49, "of it: what the bare machine takes for the operation named at the right");
  double top = kTop;
  for (const Row& row : kRows) {
    const Figure* figure = find(run, row.figure);
    if (figure == nullptr) continue;
    svg.text(kBarsBegin - 10, top + 14, row.title, Anchor::end, 13);
    const double length = std::max(1.0, figure->value * scale);
    svg.box(kBarsBegin, top, length, kBar, kOurs);
    svg.box(kBarsBegin, top, std::min(length, figure->yardstick_value * scale), kBar, kBare);
    const std::string label = milliseconds(figure->value) + "  (" + std::string(row.bare) + ": " +
                              milliseconds(figure->yardstick_value) + ")";
    const bool fits_behind = kBarsBegin + length < kWidth / 2;
    svg.text(fits_behind ? kBarsBegin + length + 8 : kBarsBegin + 8, fits_behind ? top + 14 : top + kBar + 11,
             label, Anchor::start, fits_behind ? 12 : 10);
    top += kRow;
  }
  svg.text(20, top + 16, run.machine.substr(0, 150), Anchor::start, 9);
  svg.line(kBarsBegin, kTop - 6, kBarsBegin, top - 6, kInk);
  return svg.finish();
}

}  // namespace luzia::bench
