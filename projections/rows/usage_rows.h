// What agents call and what they use: days of report views tools and costs added up, as people and scripts
// see them. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "projections/rows/row_tables.h"

namespace luzia {

/// What days are added up by; `each`: every tool of every agent in every project by itself.
enum class UsageBy : std::uint8_t { each, tool, agent, model, project, day };

struct ToolStatistic {
  std::string key;
  std::string name, agent, project;  // where all of it is of one, else empty
  std::uint64_t calls = 0, failures = 0, denials = 0, timed = 0, sum_us = 0;
  std::vector<std::uint64_t> buckets;

  std::optional<double> mean_ms() const;
  std::optional<double> p95_ms() const;
};
/// The most called first; by day the latest first.
std::vector<ToolStatistic> tool_statistics(const std::vector<const view::ToolDay*>& days, UsageBy by);
/// key name agent project calls failures denials mean_ms p95_ms.
std::string tool_statistic_json(const ToolStatistic& statistic);
Table tool_statistics_table(const std::vector<ToolStatistic>& statistics, UsageBy by,
                            Form form = Form::people);

/// `jobs`: a job counts once for each model that it used, on the day when it first did.
struct CostStatistic {
  std::string key;
  std::uint64_t jobs = 0;
  view::TokensT tokens;
  double cost_usd = 0;
};
/// The dearest first, then those of most tokens; by day the latest first.
std::vector<CostStatistic> cost_statistics(const std::vector<const view::CostDay*>& days, UsageBy by);
/// key jobs tokens{input,output,cache_read,cache_write} cost_usd.
std::string cost_statistic_json(const CostStatistic& statistic);
/// For people with the sum of all as the last row.
Table cost_statistics_table(const std::vector<CostStatistic>& statistics, UsageBy by,
                            Form form = Form::people);

/// agent until limit job since.
std::string agent_limit_json(const view::AgentLimit& limit);

}  // namespace luzia
