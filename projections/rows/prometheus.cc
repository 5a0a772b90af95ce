#include "projections/rows/prometheus.h"

#include <fmt/format.h>

#include "projections/rows/buckets.h"

namespace luzia {
namespace {

/// The format escapes backslashes, quotes and line breaks.
std::string escaped_label(std::string_view value) {
  std::string text;
  for (const char c : value) {
    if (c == '\\' || c == '"') text += '\\';
    if (c == '\n') {
      text += "\\n";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

void PrometheusText::family(std::string_view name, std::string_view type, std::string_view help) {
  name_ = name;
  text_ += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
}

void PrometheusText::line(std::string_view suffix, const PrometheusLabels& labels, std::string_view bound,
                          double value) {
  std::string list;
  for (const auto& [name, label] : labels) {
    list += fmt::format("{}{}=\"{}\"", list.empty() ? "" : ",", name, escaped_label(label));
  }
  if (!bound.empty()) list += fmt::format("{}le=\"{}\"", list.empty() ? "" : ",", bound);
  text_ += fmt::format("{}{}{}{}{} {}\n", name_, suffix, list.empty() ? "" : "{", list,
                       list.empty() ? "" : "}", value);
}

void PrometheusText::durations(const PrometheusLabels& labels, const view::Durations& row) {
  constexpr std::size_t kInDoubling = 4, kDoublings = 32;  // up to 49 days
  std::uint64_t below = 0;
  const std::size_t count = row.buckets() ? row.buckets()->size() : 0;
  for (std::size_t doubling = 0; doubling < kDoublings; ++doubling) {
    for (std::size_t i = doubling * kInDoubling; i < std::min(count, (doubling + 1) * kInDoubling); ++i) {
      below += row.buckets()->Get(static_cast<flatbuffers::uoffset_t>(i));
    }
    const double seconds = bucket_start((doubling + 1) * kInDoubling) / 1000;
    line("_bucket", labels, fmt::to_string(seconds), static_cast<double>(below));
  }
  line("_bucket", labels, "+Inf", static_cast<double>(row.count()));
  line("_sum", labels, {}, static_cast<double>(row.sum_ms()) / 1000);
  line("_count", labels, {}, static_cast<double>(row.count()));
}

}  // namespace luzia
