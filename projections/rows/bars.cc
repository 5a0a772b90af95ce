#include "projections/rows/bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/time.h"
#include "projections/rows/buckets.h"
#include "projections/rows/harmless.h"

namespace luzia {
namespace {

constexpr std::size_t kWidthOfFiles = 80, kLeastBar = 10, kMostLabel = 32;
constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};

std::string repeated(std::string_view glyph, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += glyph;
  return text;
}

/// A bar of `length` columns; `good` of them are full. A value above zero is always visible.
std::string drawn(double length, double good, const TableStyle& style) {
  if (!style.unicode) {
    const auto all = static_cast<std::size_t>(std::ceil(length));
    const auto full = std::min(all, static_cast<std::size_t>(std::lround(good)));
    return coloured(std::string(full, '#'), Colour::green, style.colour) +
           coloured(std::string(all - full, '-'), Colour::red, style.colour);
  }
  if (good >= length) {
    const auto eighths = std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(length * 8)));
    return coloured(repeated("█", eighths / 8) + kEighths[eighths % 8], Colour::green, style.colour);
  }
  const auto all = static_cast<std::size_t>(std::ceil(length));
  const auto full = std::min(all - 1, static_cast<std::size_t>(std::lround(good)));
  return coloured(repeated("█", full), Colour::green, style.colour) +
         coloured(repeated("░", all - full), Colour::red, style.colour);
}

std::string padded(std::string text, std::size_t width) {
  const std::size_t used = display_width(text);
  return text.append(used < width ? width - used : 0, ' ');
}

}  // namespace

std::string bars_text(const std::vector<Bar>& bars, const TableStyle& style) {
  std::vector<std::string> labels;
  std::size_t label_width = 0, note_width = 0;
  double most = 0;
  for (const Bar& bar : bars) {
    labels.push_back(
        fit_width(make_harmless(bar.label, {.unicode = style.unicode}), kMostLabel, style.unicode));
    label_width = std::max(label_width, display_width(labels.back()));
    note_width = std::max(note_width, display_width(bar.note));
    most = std::max(most, bar.value);
  }
  const std::size_t width = style.width == 0 ? kWidthOfFiles : style.width;
  const std::size_t others = label_width + note_width + 4;
  const auto room = static_cast<double>(std::max(kLeastBar, width > others ? width - others : 0));
  std::string text;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const Bar& bar = bars[i];
    text += padded(labels[i], label_width) + "  ";
    if (bar.value > 0) {
      text += drawn(bar.value / most * room, std::min(bar.good, bar.value) / most * room, style) + " ";
    }
    text += bar.note + "\n";
  }
  return text;
}

std::vector<Bar> duration_bars(const std::vector<std::uint64_t>& buckets) {
  constexpr std::size_t kInDoubling = 4;
  std::vector<std::uint64_t> doublings((buckets.size() + kInDoubling - 1) / kInDoubling);
  for (std::size_t i = 0; i < buckets.size(); ++i) doublings[i / kInDoubling] += buckets[i];
  const auto counted = [](std::uint64_t count) { return count > 0; };
  const auto first = std::ranges::find_if(doublings, counted);
  std::vector<Bar> bars;
  for (auto it = first; it != doublings.end(); ++it) {
    const auto place = static_cast<std::size_t>(it - doublings.begin());
    if (std::none_of(it, doublings.end(), counted)) break;
    Bar bar;
    bar.label = "< " + format_milliseconds(bucket_start((place + 1) * kInDoubling));
    bar.value = bar.good = static_cast<double>(*it);
    bar.note = fmt::to_string(*it);
    bars.push_back(std::move(bar));
  }
  return bars;
}

}  // namespace luzia
