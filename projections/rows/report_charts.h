// Charts as SVG elements for a page without scripts. Colors come from the classes of the page's style sheet;
// each mark has a title that browsers show. Text is escaped. Pure, any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/time.h"

namespace luzia {

/// Escapes for HTML and SVG, in text and in attributes. Control characters become visible, invalid UTF-8
/// U+FFFD.
std::string escaped_html(std::string_view text);

/// One part of each column. `style`: the CSS class of its marks.
struct ChartSeries {
  std::string name, style;
  std::vector<double> values;  // one for each label, not negative
};

/// Formats the numbers beside an axis.
using ChartNumber = std::string (*)(double value);

/// Stacked columns with a legend. Empty if every value is 0.
std::string column_chart(std::string_view title, const std::vector<std::string>& labels,
                         const std::vector<ChartSeries>& series, ChartNumber number);
/// A line for each series, from one value to the next. 0: no value at that label. Empty if every value is 0.
std::string line_chart(std::string_view title, const std::vector<std::string>& labels,
                       const std::vector<ChartSeries>& series, ChartNumber number);

struct ChartSpan {
  std::string label, style, title;
  TimeUs from = 0, to = 0;
};
/// One bar for each span, in the first row with room for it. At most kMostTimelineRows rows. `spans` are in
/// the order of their begin. Long stretches without any span are drawn short, with their length.
constexpr std::size_t kMostTimelineRows = 40;
std::string timeline_chart(std::string_view title, const std::vector<ChartSpan>& spans, TimeUs from,
                           TimeUs to);

}  // namespace luzia
