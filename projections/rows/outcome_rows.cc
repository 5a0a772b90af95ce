#include "projections/rows/outcome_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "projections/rows/bars.h"
#include "projections/rows/buckets.h"
#include "projections/rows/export_fields.h"
#include "projections/rows/names.h"
#include "projections/rows/stats.h"
#include "projections/rows/usage_rows.h"

namespace luzia {
namespace {

constexpr std::string_view kCompleted = "completed";

std::string key_of_outcomes(const view::OutcomeDay& day, OutcomesBy by) {
  if (by == OutcomesBy::reason) return {};
  if (by == OutcomesBy::project) return name_or_unknown(day.project());
  if (by == OutcomesBy::agent) return agent_or_none(day.agent());
  return by == OutcomesBy::model ? name_or_unknown(day.model()) : day_text(day.day());
}

std::string outcomes_title(OutcomesBy by) {
  constexpr const char* kTitles[] = {"PROJECT", "AGENT", "MODEL", "REASON", "DAY"};
  return kTitles[static_cast<std::size_t>(by)];
}

void add_outcomes(OutcomeStatistic& sum, const view::OutcomeDay& day) {
  sum.completed += day.completed();
  sum.failed += day.failed();
  sum.killed += day.killed();
  sum.timed_out += day.timed_out();
  sum.lost += day.lost();
  sum.skipped += day.skipped();
  sum.cancelled += day.cancelled();
  sum.first_try += day.first_try();
  sum.retries += day.retries();
  sum.started += day.started();
  sum.run_sum_us += day.run_sum_us();
  sum.wait_sum_us += day.wait_sum_us();
  sum.human_wait_us += day.human_wait_us();
  sum.issues += day.issues();
  sum.warnings += day.warnings();
  sum.cost_usd += day.cost_usd();
  add_buckets(sum.run_buckets, day.run_buckets());
  add_buckets(sum.wait_buckets, day.wait_buckets());
  add_tokens(sum.tokens, day.tokens());
}

Cell count_cell(std::uint64_t count, Colour colour = Colour::none) {
  return {fmt::to_string(count), count > 0 ? colour : Colour::none};
}

void write_times(JsonObject& object, std::string_view key, std::optional<double> mean,
                 std::optional<double> half, std::optional<double> most) {
  object.begin(key);
  for (const auto& [name, value] :
       {std::pair("mean_ms", mean), std::pair("p50_ms", half), std::pair("p95_ms", most)}) {
    object.number(name, value);
  }
  object.end();
}

template <int kPercent>
ExportValue run_quantile(const OutcomeStatistic& row, TimeUs) {
  return plain_value(row.run_quantile_ms(kPercent / 100.0));
}

constexpr ExportField<OutcomeStatistic> kWhatOutcomeIs[] = {
    {{"key", kText, "Day, project, agent or model."}, as_key<&OutcomeStatistic::key>},
    {{"jobs", kInteger, "Jobs that ended."}, as_is<&OutcomeStatistic::jobs>},
    {{"completed", kInteger, "Jobs that completed."}, as_is<&OutcomeStatistic::completed>},
    {{"failed", kInteger, "Jobs that failed."}, as_is<&OutcomeStatistic::failed>},
    {{"killed", kInteger, "Jobs that were cancelled while they ran."}, as_is<&OutcomeStatistic::killed>},
    {{"timed_out", kInteger, "Jobs that exceeded their time limit."}, as_is<&OutcomeStatistic::timed_out>},
    {{"lost", kInteger, "Jobs whose end nobody saw."}, as_is<&OutcomeStatistic::lost>},
    {{"success_rate", kReal, "Share that completed, 0 to 1.", "SUCCESS"},
     as_is<&OutcomeStatistic::success_rate>},
    {{"first_try", kInteger, "Completed by their first attempt."}, as_is<&OutcomeStatistic::first_try>},
    {{"retries", kInteger, "Attempts after the first."}, as_is<&OutcomeStatistic::retries>},
    {{"run_mean_ms", kReal, "Time of all attempts of a job."}, as_is<&OutcomeStatistic::mean_run_ms>},
    {{"run_p50_ms", kReal, "Half of them took less.", "RUN 50 %"}, run_quantile<50>},
    {{"run_p95_ms", kReal, "95 of 100 took less.", "95 %"}, run_quantile<95>},
    {{"queue_wait_mean_ms", kReal, "Queued to first start.", "QUEUED"},
     as_is<&OutcomeStatistic::mean_wait_ms>},
    {{"queue_wait_p95_ms", kReal, "95 of 100 waited less."},
     [](const OutcomeStatistic& row, TimeUs) { return plain_value(row.wait_quantile_ms(0.95)); }},
    {{"human_wait_seconds", kReal, "Time waiting for people.", "FOR PEOPLE"},
     as_seconds<&OutcomeStatistic::human_wait_us>},
    {{"input_tokens", kInteger, "Tokens that the models read."}, as_tokens<&view::TokensT::input>},
    {{"output_tokens", kInteger, "Tokens that the models wrote."}, as_tokens<&view::TokensT::output>},
    {{"cache_read_tokens", kInteger, "Tokens from a cache."}, as_tokens<&view::TokensT::cache_read>},
    {{"cache_write_tokens", kInteger, "Tokens into a cache."}, as_tokens<&view::TokensT::cache_write>},
    {{"cost_usd", kReal, "Cost that the agents reported.", "USD"}, as_is<&OutcomeStatistic::cost_usd>},
    {{"issues", kInteger, "Known problems in their last attempts."}, as_is<&OutcomeStatistic::issues>},
    {{"warnings", kInteger, "Of their last attempts."}, as_is<&OutcomeStatistic::warnings>},
    {{"skipped", kInteger, "Jobs that never ran, since one that they need failed."},
     as_is<&OutcomeStatistic::skipped>},
    {{"cancelled", kInteger, "Jobs that were cancelled before they ran."},
     as_is<&OutcomeStatistic::cancelled>},
};

constexpr ExportField<ReasonStatistic> kWhatReasonIs[] = {
    {{"key", kText, "Why the jobs ended.", "REASON"}, as_key<&ReasonStatistic::key>},
    {{"jobs", kInteger, "Jobs that ended so."}, as_is<&ReasonStatistic::jobs>},
    {{"share", kReal, "Of all that ended, 0 to 1."}, as_is<&ReasonStatistic::share>},
};

}  // namespace

std::optional<double> OutcomeStatistic::success_rate() const {
  return luzia::success_rate(completed, failed, timed_out, lost);
}

std::optional<double> OutcomeStatistic::mean_run_ms() const {
  return mean_ms(run_sum_us, started);
}

std::optional<double> OutcomeStatistic::mean_wait_ms() const {
  return mean_ms(wait_sum_us, started);
}

std::optional<double> OutcomeStatistic::run_quantile_ms(double q) const {
  return started == 0 ? std::nullopt : std::optional(bucket_quantile(run_buckets, q, run_sum_us, started));
}

std::optional<double> OutcomeStatistic::wait_quantile_ms(double q) const {
  return started == 0 ? std::nullopt : std::optional(bucket_quantile(wait_buckets, q, wait_sum_us, started));
}

OutcomeStatistic all_outcomes(const std::vector<const view::OutcomeDay*>& days) {
  OutcomeStatistic all;
  for (const view::OutcomeDay* day : days) add_outcomes(all, *day);
  return all;
}

std::vector<OutcomeStatistic> outcome_statistics(const std::vector<const view::OutcomeDay*>& days,
                                                 OutcomesBy by) {
  std::map<std::string, OutcomeStatistic> sums;
  for (const view::OutcomeDay* day : days) {
    const std::string key = key_of_outcomes(*day, by);
    sums[key].key = key;
    add_outcomes(sums[key], *day);
  }
  return sorted_sums(sums, by == OutcomesBy::day,
                     [](const auto& a, const auto& b) { return a.jobs() > b.jobs(); });
}

std::string outcome_statistic_json(const OutcomeStatistic& row) {
  JsonObject object;
  object.text("key", row.key);
  for (const auto& [name, count] : {std::pair("jobs", row.jobs()), std::pair("completed", row.completed),
                                    std::pair("failed", row.failed), std::pair("killed", row.killed),
                                    std::pair("timed_out", row.timed_out), std::pair("lost", row.lost)}) {
    object.number(name, count);
  }
  object.number("success_rate", row.success_rate());
  object.number("first_try", row.first_try);
  object.number("retries", row.retries);
  write_times(object, "run", row.mean_run_ms(), row.run_quantile_ms(0.5), row.run_quantile_ms(0.95));
  write_times(object, "queue_wait", row.mean_wait_ms(), row.wait_quantile_ms(0.5),
              row.wait_quantile_ms(0.95));
  object.seconds("human_wait_seconds", row.human_wait_us);
  write_tokens(object, row.tokens);
  object.number("cost_usd", row.cost_usd);
  object.number("issues", row.issues);
  object.number("warnings", row.warnings);
  object.number("skipped", row.skipped);
  object.number("cancelled", row.cancelled);
  return object.take();
}

Table outcome_statistics_table(const std::vector<OutcomeStatistic>& statistics, OutcomesBy by, Form form) {
  if (form == Form::data) {
    Table data = data_table(kWhatOutcomeIs, statistics);
    data.set_heading("key", outcomes_title(by));
    return data;
  }
  Table table({{.title = outcomes_title(by), .min_width = 10, .shrinks = true},
               {"JOBS", Align::right},
               {"SUCCESS", Align::right},
               {.title = "FIRST TRY", .align = Align::right, .drops = 5},
               {"FAILED", Align::right},
               {.title = "TIMED OUT", .align = Align::right, .drops = 8},
               {.title = "LOST", .align = Align::right, .drops = 8},
               {.title = "KILLED", .align = Align::right, .drops = 6},
               {.title = "NO RESULT", .align = Align::right, .drops = 6},
               {.title = "RETRIES", .align = Align::right, .drops = 4},
               {.title = "RUN 50 %", .align = Align::right},
               {.title = "95 %", .align = Align::right, .drops = 9},
               {.title = "QUEUED", .align = Align::right, .drops = 7},
               {.title = "FOR PEOPLE", .align = Align::right, .drops = 2},
               {.title = "ISSUES", .align = Align::right, .drops = 3},
               {.title = "TOKENS", .align = Align::right, .drops = 1},
               {.title = "USD", .align = Align::right, .drops = 7}});
  for (const OutcomeStatistic& row : statistics) {
    table.add(
        {{row.key, Colour::bold},
         count_cell(row.jobs()),
         {percent_or_dash(row.success_rate())},
         count_cell(row.first_try),
         count_cell(row.failed, Colour::red),
         count_cell(row.timed_out, Colour::red),
         count_cell(row.lost, Colour::red),
         count_cell(row.killed),
         count_cell(row.without_result()),
         count_cell(row.retries, Colour::yellow),
         {time_or_dash(row.run_quantile_ms(0.5))},
         {time_or_dash(row.run_quantile_ms(0.95))},
         {time_or_dash(row.mean_wait_ms())},
         {row.human_wait_us == 0
              ? ""
              : format_milliseconds(static_cast<double>(row.human_wait_us) / kMillisecondUs)},
         count_cell(row.issues),
         {row.tokens.input + row.tokens.output == 0 ? ""
                                                    : fmt::to_string(row.tokens.input + row.tokens.output)},
         {row.cost_usd > 0 ? fmt::format("{:.2f}", row.cost_usd) : ""}});
  }
  return table;
}

std::string outcome_plot(const std::vector<OutcomeStatistic>& statistics, OutcomesBy by,
                         const TableStyle& style) {
  std::vector<Bar> bars;
  std::vector<std::uint64_t> runs;
  for (const OutcomeStatistic& row : statistics) {
    Bar bar;
    bar.label = row.key;
    bar.value = static_cast<double>(row.jobs());
    bar.good = static_cast<double>(row.completed);
    bar.note = row.completed == row.jobs() ? fmt::to_string(row.jobs())
                                           : fmt::format("{} of {}", row.completed, row.jobs());
    bars.push_back(std::move(bar));
    if (runs.size() < row.run_buckets.size()) runs.resize(row.run_buckets.size());
    for (std::size_t i = 0; i < row.run_buckets.size(); ++i) runs[i] += row.run_buckets[i];
  }
  if (by == OutcomesBy::day) std::ranges::reverse(bars);
  std::string text = "Jobs that completed, of all that ended\n" + bars_text(bars, style);
  const std::vector<Bar> durations = duration_bars(runs);
  if (!durations.empty()) text += "\nHow long they ran\n" + bars_text(durations, style);
  return text;
}

std::vector<ReasonStatistic> reason_statistics(const std::vector<const view::OutcomeDay*>& days) {
  std::map<std::string, std::uint64_t> counts;
  std::uint64_t all = 0;
  for (const view::OutcomeDay* day : days) {
    if (day->completed() > 0) counts[std::string(kCompleted)] += day->completed();
    all += day->completed();
    if (!day->reasons()) continue;
    for (const auto* reason : *day->reasons()) {
      counts[std::string(end_reason_name(reason->reason()))] += reason->count();
      all += reason->count();
    }
  }
  std::vector<ReasonStatistic> reasons;
  for (const auto& [key, jobs] : counts) {
    reasons.push_back({key, jobs, static_cast<double>(jobs) / static_cast<double>(all)});
  }
  std::ranges::stable_sort(reasons, std::greater<>(), &ReasonStatistic::jobs);
  return reasons;
}

std::string reason_statistic_json(const ReasonStatistic& row) {
  return fields_json(kWhatReasonIs, row);
}

Table reason_statistics_table(const std::vector<ReasonStatistic>& statistics, Form form) {
  if (form == Form::data) return data_table(kWhatReasonIs, statistics);
  Table table({{.title = "REASON", .min_width = 10, .shrinks = true},
               {"JOBS", Align::right},
               {"SHARE", Align::right}});
  for (const ReasonStatistic& row : statistics) {
    table.add({{row.key, Colour::bold}, count_cell(row.jobs), {percent_or_dash(row.share)}});
  }
  return table;
}

std::string reason_plot(const std::vector<ReasonStatistic>& statistics, const TableStyle& style) {
  std::vector<Bar> bars;
  for (const ReasonStatistic& row : statistics) {
    Bar bar;
    bar.label = row.key;
    bar.value = static_cast<double>(row.jobs);
    bar.good = row.key == kCompleted ? bar.value : 0;
    bar.note = fmt::format("{}  {}", row.jobs, percent_or_dash(row.share));
    bars.push_back(std::move(bar));
  }
  return bars_text(bars, style);
}

}  // namespace luzia
