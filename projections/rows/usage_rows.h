// What agents call and use: sums of days of the report views tools and costs, for people and scripts. Any
// thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "projections/rows/json_object.h"
#include "projections/rows/row_tables.h"

namespace luzia {

/// "unknown" if the agent names none.
std::string name_or_unknown(const flatbuffers::String* name);
/// The agent's name, or "no agent", as of what is only tracked.
std::string agent_or_none(const flatbuffers::String* name);
std::string time_or_dash(std::optional<double> ms);
/// Of a share (0..1).
std::string percent_or_dash(std::optional<double> share);
void add_tokens(view::TokensT& sum, const view::Tokens* more);
/// "tokens":{input output cache_read cache_write}
void write_tokens(JsonObject& object, const view::TokensT& tokens);
void write_tokens(JsonObject& object, const view::Tokens* tokens);

/// The sums: by day latest first, else those first that `precedes` says.
template <class Sum>
std::vector<Sum> sorted_sums(std::map<std::string, Sum>& sums, bool by_day, auto precedes) {
  std::vector<Sum> all;
  for (auto& [key, sum] : sums) all.push_back(std::move(sum));
  std::ranges::stable_sort(
      all, [&](const Sum& a, const Sum& b) { return by_day ? a.key > b.key : precedes(a, b); });
  return all;
}

/// How days are grouped; `each`: every tool of every agent in every project separately.
enum class UsageBy : std::uint8_t { each, tool, agent, model, project, day };

struct ToolStatistic {
  std::string key;
  std::string name, agent, project;  // if all of it has the same, else empty
  std::uint64_t calls = 0, failures = 0, denials = 0, timed = 0, sum_us = 0;
  std::vector<std::uint64_t> buckets;

  std::optional<double> mean_ms() const;
  std::optional<double> p95_ms() const;
};
/// Most calls first; by day, latest first.
std::vector<ToolStatistic> tool_statistics(const std::vector<const view::ToolDay*>& days, UsageBy by);
/// Fields: key name agent project calls failures denials mean_ms p95_ms.
std::string tool_statistic_json(const ToolStatistic& statistic);
Table tool_statistics_table(const std::vector<ToolStatistic>& statistics, UsageBy by,
                            Form form = Form::people);

/// `jobs`: a job counts once for each model that it used, on the day of its first use.
struct CostStatistic {
  std::string key;
  std::uint64_t jobs = 0;
  view::TokensT tokens;
  double cost_usd = 0;
};
/// Highest cost first, then most tokens; by day, latest first.
std::vector<CostStatistic> cost_statistics(const std::vector<const view::CostDay*>& days, UsageBy by);
/// Fields: key jobs tokens{input,output,cache_read,cache_write} cost_usd.
std::string cost_statistic_json(const CostStatistic& statistic);
/// For people, the last row has the sum of all.
Table cost_statistics_table(const std::vector<CostStatistic>& statistics, UsageBy by,
                            Form form = Form::people);

}  // namespace luzia
