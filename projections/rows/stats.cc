#include "projections/rows/stats.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "projections/rows/buckets.h"
#include "projections/rows/json.h"
#include "projections/rows/json_object.h"
#include "projections/rows/row_tables.h"
#include "projections/rows/usage_rows.h"

namespace luzia {
namespace {

struct Measure {
  const char* name;
  std::uint64_t (view::ProjectTotals::*value)() const;
};

constexpr Measure kMeasures[] = {
    {"queued", &view::ProjectTotals::queued},         {"running", &view::ProjectTotals::running},
    {"waiting", &view::ProjectTotals::waiting},       {"parked", &view::ProjectTotals::parked},
    {"dispatched", &view::ProjectTotals::dispatched}, {"completed", &view::ProjectTotals::completed},
    {"failed", &view::ProjectTotals::failed},         {"killed", &view::ProjectTotals::killed},
    {"timed_out", &view::ProjectTotals::timed_out},   {"lost", &view::ProjectTotals::lost},
    {"skipped", &view::ProjectTotals::skipped},       {"cancelled", &view::ProjectTotals::cancelled},
    {"retries", &view::ProjectTotals::retries},       {"warnings", &view::ProjectTotals::warnings},
    {"busy_us", &view::ProjectTotals::busy_us},       {"output_bytes", &view::ProjectTotals::output_bytes}};

constexpr std::size_t kCounts = 14;  // measures before the busy time

constexpr std::pair<const char*, double> kQuantiles[] = {
    {"p50_ms", 0.50}, {"p90_ms", 0.90}, {"p95_ms", 0.95}, {"p99_ms", 0.99}};

/// totals_json with the success rate as its first field.
std::string project_json(const view::ProjectTotals& totals) {
  std::string rate;
  JsonObject(rate).number("success_rate", success_rate(totals));
  return rate + "," + totals_json(totals).substr(1);
}

}  // namespace

std::optional<double> success_rate(std::uint64_t completed, std::uint64_t failed, std::uint64_t timed_out,
                                   std::uint64_t lost) {
  const std::uint64_t ended = completed + failed + timed_out + lost;
  if (ended == 0) return std::nullopt;
  return static_cast<double>(completed) / static_cast<double>(ended);
}

std::optional<double> success_rate(const view::ProjectTotals& totals) {
  return success_rate(totals.completed(), totals.failed(), totals.timed_out(), totals.lost());
}

std::string totals_json(const view::ProjectTotals& totals) {
  JsonObject object;
  object.text("project", totals.project());
  for (const Measure& each : std::span(kMeasures).first(kCounts)) {
    object.number(each.name, (totals.*each.value)());
  }
  object.seconds("busy_seconds", totals.busy_us());
  object.number("output_bytes", totals.output_bytes());
  object.time("last_at", "last_us", totals.last_us());
  return object.take();
}

std::string durations_json(const view::Durations& durations) {
  JsonObject object;
  object.text("measure", durations.measure());
  object.text("project", durations.project());
  object.text("agent", durations.agent());
  object.number("count", durations.count());
  object.number("sum_ms", durations.sum_ms());
  const auto count = static_cast<double>(std::max<std::uint64_t>(1, durations.count()));
  object.number("mean_ms", static_cast<double>(durations.sum_ms()) / count);
  object.number("min_ms", durations.min_ms());
  object.number("max_ms", durations.max_ms());
  for (const auto& [name, q] : kQuantiles) object.number(name, duration_quantile(durations, q));
  return object.take();
}

std::string stats_json(const Stats& stats) {
  JsonObject json;
  json.array("projects", stats.projects, [](const auto* totals) { return project_json(*totals); });
  json.array("durations", stats.durations, [](const auto* row) { return durations_json(*row); });
  json.number("position", stats.position);
  json.at("next").null();
  return json.take();
}

Table stats_data(const Stats& stats) {
  Table table({{"project"}, {"agent"}, {"measure"}, {"value"}});
  for (const auto* totals : stats.projects) {
    const std::string project(text(totals->project()));
    for (const Measure& measure : kMeasures) {
      table.add({{project}, {""}, {measure.name}, {fmt::to_string((totals->*measure.value)())}});
    }
    const auto rate = success_rate(*totals);
    table.add({{project}, {""}, {"success_rate"}, {rate ? fmt::to_string(*rate) : ""}});
  }
  for (const auto* row : stats.durations) {
    const std::string prefix(text(row->measure()));
    const auto add = [&](const char* name, auto value) {
      table.add({{std::string(text(row->project()))},
                 {std::string(text(row->agent()))},
                 {prefix + "_" + name},
                 {fmt::to_string(value)}});
    };
    add("count", row->count());
    if (row->count() == 0) continue;
    add("mean_ms", static_cast<double>(row->sum_ms()) / static_cast<double>(row->count()));
    add("min_ms", row->min_ms());
    for (const auto& [name, q] : kQuantiles) add(name, duration_quantile(*row, q));
    add("max_ms", row->max_ms());
  }
  return table;
}

std::string stats_text(const Stats& stats, const TableStyle& style) {
  std::string out;
  if (!stats.projects.empty()) {
    Table table({{.title = "PROJECT", .min_width = 5, .shrinks = true},
                 {.title = "SUCCESS", .align = Align::right},
                 {.title = "EVER", .align = Align::right, .drops = 6},
                 {.title = "LIVE", .align = Align::right, .drops = 8},
                 {.title = "COMPLETED", .align = Align::right},
                 {.title = "FAILED", .align = Align::right},
                 {.title = "KILLED", .align = Align::right, .drops = 3},
                 {.title = "TIMED OUT", .align = Align::right, .drops = 4},
                 {.title = "LOST", .align = Align::right, .drops = 2},
                 {.title = "NO RESULT", .align = Align::right, .drops = 2},
                 {.title = "RETRIES", .align = Align::right, .drops = 1},
                 {.title = "BUSY", .align = Align::right, .drops = 5}});
    for (const auto* totals : stats.projects) {
      const std::uint64_t live = totals->queued() + totals->running() + totals->waiting() + totals->parked();
      table.add({{std::string(text(totals->project())), Colour::bold},
                 {percent_or_dash(success_rate(*totals))},
                 {fmt::to_string(totals->dispatched())},
                 {fmt::to_string(live)},
                 {fmt::to_string(totals->completed())},
                 {fmt::to_string(totals->failed()), totals->failed() > 0 ? Colour::red : Colour::none},
                 {fmt::to_string(totals->killed())},
                 {fmt::to_string(totals->timed_out())},
                 {fmt::to_string(totals->lost())},
                 {fmt::to_string(totals->skipped() + totals->cancelled())},
                 {fmt::to_string(totals->retries())},
                 {format_milliseconds(static_cast<double>(totals->busy_us()) / kMillisecondUs)}});
    }
    out += table.text(style);
  }
  if (!stats.durations.empty()) {
    out += out.empty() ? "" : "\n";
    out += durations_table(stats.durations).text(style);
  }
  return out;
}

}  // namespace luzia
