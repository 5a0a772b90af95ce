#include "projections/rows/step_statistics.h"

#include <fmt/format.h>

#include <algorithm>

#include "projections/rows/buckets.h"
#include "projections/rows/json_object.h"

namespace luzia {
namespace {

constexpr std::size_t kShownNext = 3;

std::vector<std::uint64_t> buckets_of(const view::StepStatistic& row) {
  if (row.buckets() == nullptr) return {};
  return {row.buckets()->begin(), row.buckets()->end()};
}

double mean_ms(const view::StepStatistic& row) {
  return row.timed() == 0
             ? 0
             : static_cast<double>(row.sum_us()) / kMillisecondUs / static_cast<double>(row.timed());
}

/// Most frequent first.
std::vector<const view::NextStep*> next_of(const view::StepStatistic& row) {
  std::vector<const view::NextStep*> next;
  if (row.next() != nullptr) next.assign(row.next()->begin(), row.next()->end());
  std::ranges::stable_sort(next, std::ranges::greater(), [](const auto* each) { return each->count(); });
  return next;
}

void write_statistic(JsonObject& object, const view::StepStatistic& row) {
  object.text("project", row.project());
  object.text("step", row.step());
  object.number("started", row.started());
  object.number("completed", row.completed());
  object.number("failed", row.failed());
  object.number("skipped", row.skipped());
  const double rate = completion_rate(row);
  object.number("completion_rate", rate < 0 ? std::nullopt : std::optional(rate));
  const std::vector<std::uint64_t> buckets = buckets_of(row);
  object.number("timed", row.timed());
  object.number("mean_ms", mean_ms(row));
  object.number("p50_ms", bucket_quantile(buckets, 0.50, mean_ms(row)));
  object.number("p95_ms", bucket_quantile(buckets, 0.95, mean_ms(row)));
  object.objects("next", next_of(row), [](JsonObject& object, const view::NextStep* each) {
    object.text("step", each->step());
    object.number("count", each->count());
  });
  object.time("last_at", row.last_us());
}

std::string next_text(const view::StepStatistic& row) {
  std::string out;
  const auto next = next_of(row);
  for (std::size_t i = 0; i < std::min(next.size(), kShownNext); ++i) {
    out += fmt::format("{}{} ({})", out.empty() ? "" : ", ", text(next[i]->step()), next[i]->count());
  }
  return next.size() > kShownNext ? out + ", ..." : out;
}

}  // namespace

void FlowCounts::add(view::FlowState state) {
  switch (state) {
    case view::FlowState::active:
      ++active;
      return;
    case view::FlowState::completed:
      ++completed;
      return;
    case view::FlowState::failed:
      ++failed;
      return;
    case view::FlowState::cancelled:
      ++cancelled;
      return;
  }
}

double completion_rate(const view::StepStatistic& row) {
  const std::uint64_t ends = row.completed() + row.failed();
  return ends == 0 ? -1 : static_cast<double>(row.completed()) / static_cast<double>(ends);
}

std::string step_statistics_json(const FlowCounts& flows, const std::vector<const view::StepStatistic*>& rows,
                                 Position position) {
  JsonObject object;
  object.begin("flows");
  object.number("total", flows.total());
  object.number("active", flows.active);
  object.number("completed", flows.completed);
  object.number("failed", flows.failed);
  object.number("cancelled", flows.cancelled);
  object.end();
  object.objects("steps", rows,
                 [](JsonObject& object, const view::StepStatistic* row) { write_statistic(object, *row); });
  object.number("position", position);
  object.at("next").null();
  return object.take();
}

Table step_statistics_table(const std::vector<const view::StepStatistic*>& rows) {
  Table table({{.title = "PROJECT", .min_width = 5, .shrinks = true, .drops = 4},
               {.title = "STEP", .min_width = 8, .shrinks = true},
               {.title = "STARTED", .align = Align::right, .drops = 3},
               {.title = "DONE", .align = Align::right},
               {.title = "FAILED", .align = Align::right},
               {.title = "SKIPPED", .align = Align::right, .drops = 1},
               {.title = "RATE", .align = Align::right},
               {.title = "P50", .align = Align::right},
               {.title = "P95", .align = Align::right, .drops = 2},
               {.title = "NEXT", .min_width = 8, .shrinks = true}});
  for (const view::StepStatistic* row : rows) {
    const double rate = completion_rate(*row);
    const std::vector<std::uint64_t> buckets = buckets_of(*row);
    const auto took = [&](double share) {
      return row->timed() == 0 ? std::string("-")
                               : format_milliseconds(bucket_quantile(buckets, share, mean_ms(*row)));
    };
    table.add({{std::string(text(row->project())), Colour::bold},
               {std::string(text(row->step()))},
               {fmt::to_string(row->started())},
               {fmt::to_string(row->completed())},
               {fmt::to_string(row->failed())},
               {fmt::to_string(row->skipped())},
               {rate < 0 ? std::string("-") : fmt::format("{:.0f}%", rate * 100)},
               {took(0.50)},
               {took(0.95)},
               {next_text(*row)}});
  }
  return table;
}

}  // namespace luzia
