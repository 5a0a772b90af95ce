// How jobs came out: sums of days of the report view outcomes, for people and scripts. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "projections/rows/row_tables.h"

namespace luzia {

enum class OutcomesBy : std::uint8_t { project, agent, model, reason, day };

struct OutcomeStatistic {
  std::string key;
  std::uint64_t completed = 0, failed = 0, killed = 0, timed_out = 0, lost = 0;
  std::uint64_t skipped = 0, cancelled = 0;
  std::uint64_t first_try = 0, retries = 0, started = 0;
  std::uint64_t run_sum_us = 0, wait_sum_us = 0, human_wait_us = 0;
  std::uint64_t issues = 0, warnings = 0;
  std::vector<std::uint64_t> run_buckets, wait_buckets;
  view::TokensT tokens;
  double cost_usd = 0;

  std::uint64_t jobs() const { return completed + failed + killed + timed_out + lost + without_result(); }
  /// They never ran, or are not watched any more.
  std::uint64_t without_result() const { return skipped + cancelled; }
  /// luzia::success_rate().
  std::optional<double> success_rate() const;
  std::optional<double> mean_run_ms() const;
  std::optional<double> mean_wait_ms() const;
  /// The quantile `q` (0..1); like bucket_quantile().
  std::optional<double> run_quantile_ms(double q) const;
  std::optional<double> wait_quantile_ms(double q) const;
};

/// The sum of all days.
OutcomeStatistic all_outcomes(const std::vector<const view::OutcomeDay*>& days);
/// For any grouping except by reason. Most jobs first; by day, latest first.
std::vector<OutcomeStatistic> outcome_statistics(const std::vector<const view::OutcomeDay*>& days,
                                                 OutcomesBy by);
/// Fields: key jobs completed failed killed timed_out lost success_rate first_try retries run{mean_ms p50_ms
/// p95_ms} queue_wait{...} human_wait_seconds tokens cost_usd issues warnings skipped cancelled.
std::string outcome_statistic_json(const OutcomeStatistic& statistic);
Table outcome_statistics_table(const std::vector<OutcomeStatistic>& statistics, OutcomesBy by,
                               Form form = Form::people);
/// Jobs as bars (by day, earliest first), and the run times of all of them.
std::string outcome_plot(const std::vector<OutcomeStatistic>& statistics, OutcomesBy by,
                         const TableStyle& style);

/// How often jobs ended for each reason, most frequent first. "completed" is listed beside the reasons of the
/// others.
struct ReasonStatistic {
  std::string key;
  std::uint64_t jobs = 0;
  double share = 0;  // of all jobs, 0..1
};
std::vector<ReasonStatistic> reason_statistics(const std::vector<const view::OutcomeDay*>& days);
/// Fields: key jobs share.
std::string reason_statistic_json(const ReasonStatistic& statistic);
Table reason_statistics_table(const std::vector<ReasonStatistic>& statistics, Form form = Form::people);
std::string reason_plot(const std::vector<ReasonStatistic>& statistics, const TableStyle& style);

}  // namespace luzia
