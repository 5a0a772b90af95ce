#include "projections/rows/usage_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "projections/rows/buckets.h"
#include "projections/rows/json_object.h"
#include "projections/rows/times.h"

namespace luzia {
namespace {

/// "unknown" if the agent names none.
std::string named(const flatbuffers::String* name) {
  return text(name).empty() ? std::string("unknown") : name->str();
}

std::string day_name(std::uint32_t day) {
  return format_rfc3339(static_cast<TimeUs>(day) * kDayUs).substr(0, 10);
}

/// The key of a row of days; `tool` is empty if the rows have none.
template <class Day>
std::string key_of(const Day& day, const std::string& tool, UsageBy by) {
  switch (by) {
    case UsageBy::each:
      return tool + '\0' + named(day.agent()) + '\0' + named(day.project());
    case UsageBy::tool:
      return tool;
    case UsageBy::agent:
      return named(day.agent());
    case UsageBy::model:
      return named(day.model());
    case UsageBy::project:
      return named(day.project());
    case UsageBy::day:
      return day_name(day.day());
  }
  return {};
}

std::string title_of(UsageBy by) {
  switch (by) {
    case UsageBy::each:
    case UsageBy::tool:
      return "TOOL";
    case UsageBy::agent:
      return "AGENT";
    case UsageBy::model:
      return "MODEL";
    case UsageBy::project:
      return "PROJECT";
    case UsageBy::day:
      return "DAY";
  }
  return {};
}

void add(ToolStatistic& sum, const view::ToolDay& day) {
  sum.calls += day.calls();
  sum.failures += day.failures();
  sum.denials += day.denials();
  sum.timed += day.timed();
  sum.sum_us += day.sum_us();
  if (!day.buckets()) return;
  if (sum.buckets.size() < day.buckets()->size()) sum.buckets.resize(day.buckets()->size());
  for (flatbuffers::uoffset_t i = 0; i < day.buckets()->size(); ++i) sum.buckets[i] += day.buckets()->Get(i);
}

void add(CostStatistic& sum, const view::CostDay& day) {
  sum.jobs += day.jobs();
  sum.cost_usd += day.cost_usd();
  if (const auto* tokens = day.tokens()) {
    sum.tokens.input += tokens->input();
    sum.tokens.output += tokens->output();
    sum.tokens.cache_read += tokens->cache_read();
    sum.tokens.cache_write += tokens->cache_write();
  }
}

std::string milliseconds(std::optional<double> ms) {
  return ms ? fmt::format("{:.1f}", *ms) : std::string();
}

std::string time_text(std::optional<double> ms) {
  return ms ? format_milliseconds(*ms) : std::string("-");
}

std::string cost_text(double usd) {
  return usd >= 10 ? fmt::format("{:.2f}", usd) : fmt::format("{:.4f}", usd);
}

Cell number(auto value) {
  return {fmt::to_string(value), Colour::none};
}

Table tools_data(const std::vector<ToolStatistic>& statistics) {
  Table table({{"key"},
               {"name"},
               {"agent"},
               {"project"},
               {"calls"},
               {"failures"},
               {"denials"},
               {"mean_ms"},
               {"p95_ms"}});
  for (const ToolStatistic& row : statistics) {
    table.add({{row.key},
               {row.name},
               {row.agent},
               {row.project},
               number(row.calls),
               number(row.failures),
               number(row.denials),
               {milliseconds(row.mean_ms())},
               {milliseconds(row.p95_ms())}});
  }
  return table;
}

Table costs_data(const std::vector<CostStatistic>& statistics) {
  Table table({{"key"},
               {"jobs"},
               {"input_tokens"},
               {"output_tokens"},
               {"cache_read_tokens"},
               {"cache_write_tokens"},
               {"cost_usd"}});
  for (const CostStatistic& row : statistics) {
    table.add({{row.key},
               number(row.jobs),
               number(row.tokens.input),
               number(row.tokens.output),
               number(row.tokens.cache_read),
               number(row.tokens.cache_write),
               number(row.cost_usd)});
  }
  return table;
}

}  // namespace

std::optional<double> ToolStatistic::mean_ms() const {
  if (timed == 0) return std::nullopt;
  return static_cast<double>(sum_us) / static_cast<double>(timed) / kMillisecondUs;
}

std::optional<double> ToolStatistic::p95_ms() const {
  if (timed == 0) return std::nullopt;
  return bucket_quantile(buckets, 0.95, sum_us, timed);
}

std::vector<ToolStatistic> tool_statistics(const std::vector<const view::ToolDay*>& days, UsageBy by) {
  std::map<std::string, ToolStatistic> sums;
  for (const view::ToolDay* day : days) {
    const std::string tool = named(day->tool());
    ToolStatistic& sum = sums[key_of(*day, tool, by)];
    const bool each = by == UsageBy::each;
    if (each || by == UsageBy::tool) sum.name = tool;
    if (each || by == UsageBy::agent) sum.agent = named(day->agent());
    if (each || by == UsageBy::project) sum.project = named(day->project());
    add(sum, *day);
  }
  std::vector<ToolStatistic> all;
  for (auto& [key, sum] : sums) {
    sum.key = by == UsageBy::each ? sum.name : key;
    all.push_back(std::move(sum));
  }
  std::ranges::stable_sort(all, [by](const auto& a, const auto& b) {
    return by == UsageBy::day ? a.key > b.key : a.calls > b.calls;
  });
  return all;
}

std::string tool_statistic_json(const ToolStatistic& row) {
  std::string out;
  JsonObject json(out);
  json.text("key", row.key);
  json.text_or_null("name", row.name);
  json.text_or_null("agent", row.agent);
  json.text_or_null("project", row.project);
  json.number("calls", row.calls);
  json.number("failures", row.failures);
  json.number("denials", row.denials);
  json.number("mean_ms", row.mean_ms());
  json.number("p95_ms", row.p95_ms());
  json.end();
  return out;
}

Table tool_statistics_table(const std::vector<ToolStatistic>& statistics, UsageBy by, Form form) {
  if (form == Form::data) return tools_data(statistics);
  std::vector<Column> columns = {{.title = title_of(by), .min_width = 10, .shrinks = true}};
  if (by == UsageBy::each) {
    columns.push_back({.title = "AGENT", .drops = 2});
    columns.push_back({.title = "PROJECT", .drops = 3});
  }
  for (const char* title : {"CALLS", "FAILED", "DENIED", "MEAN", "95 %"}) {
    columns.push_back({.title = title, .align = Align::right});
  }
  Table table(std::move(columns));
  for (const ToolStatistic& row : statistics) {
    std::vector<Cell> cells = {{row.key, Colour::bold}};
    if (by == UsageBy::each) {
      cells.push_back({row.agent});
      cells.push_back({row.project});
    }
    cells.push_back(number(row.calls));
    cells.push_back({fmt::to_string(row.failures), row.failures > 0 ? Colour::yellow : Colour::none});
    cells.push_back({fmt::to_string(row.denials), row.denials > 0 ? Colour::yellow : Colour::none});
    cells.push_back({time_text(row.mean_ms())});
    cells.push_back({time_text(row.p95_ms())});
    table.add(std::move(cells));
  }
  return table;
}

std::vector<CostStatistic> cost_statistics(const std::vector<const view::CostDay*>& days, UsageBy by) {
  std::map<std::string, CostStatistic> sums;
  for (const view::CostDay* day : days) add(sums[key_of(*day, {}, by)], *day);
  std::vector<CostStatistic> all;
  for (auto& [key, sum] : sums) {
    sum.key = key;
    all.push_back(std::move(sum));
  }
  const auto tokens = [](const CostStatistic& row) { return row.tokens.input + row.tokens.output; };
  std::ranges::stable_sort(all, [&](const auto& a, const auto& b) {
    if (by == UsageBy::day) return a.key > b.key;
    return a.cost_usd != b.cost_usd ? a.cost_usd > b.cost_usd : tokens(a) > tokens(b);
  });
  return all;
}

std::string cost_statistic_json(const CostStatistic& row) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.key("key");
  json.text(row.key);
  json.key("jobs");
  json.number(row.jobs);
  json.key("tokens");
  json.begin_object();
  for (const auto& [key, value] :
       {std::pair("input", row.tokens.input), std::pair("output", row.tokens.output),
        std::pair("cache_read", row.tokens.cache_read), std::pair("cache_write", row.tokens.cache_write)}) {
    json.key(key);
    json.number(value);
  }
  json.end_object();
  json.key("cost_usd");
  json.number(row.cost_usd);
  json.end_object();
  return out;
}

Table cost_statistics_table(const std::vector<CostStatistic>& statistics, UsageBy by, Form form) {
  if (form == Form::data) return costs_data(statistics);
  Table table({{.title = title_of(by), .min_width = 10, .shrinks = true},
               {"JOBS", Align::right},
               {"INPUT", Align::right},
               {"OUTPUT", Align::right},
               {.title = "CACHE READ", .align = Align::right, .drops = 2},
               {.title = "CACHE WRITE", .align = Align::right, .drops = 3},
               {"USD", Align::right}});
  const auto show = [&table](const CostStatistic& row, std::string key, Colour colour) {
    table.add({{std::move(key), colour},
               number(row.jobs),
               number(row.tokens.input),
               number(row.tokens.output),
               number(row.tokens.cache_read),
               number(row.tokens.cache_write),
               {cost_text(row.cost_usd)}});
  };
  CostStatistic sum;
  for (const CostStatistic& row : statistics) {
    show(row, row.key, Colour::bold);
    sum.jobs += row.jobs;
    sum.cost_usd += row.cost_usd;
    sum.tokens.input += row.tokens.input;
    sum.tokens.output += row.tokens.output;
    sum.tokens.cache_read += row.tokens.cache_read;
    sum.tokens.cache_write += row.tokens.cache_write;
  }
  if (statistics.size() > 1) show(sum, "all", Colour::dim);
  return table;
}

std::string agent_limit_json(const view::AgentLimit& limit) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  for (const auto& [key, value] :
       {std::pair("agent", std::string(text(limit.agent()))), std::pair("until", full_time(limit.until_us())),
        std::pair("limit", std::string(text(limit.limit()))),
        std::pair("job", std::string(text(limit.job()))), std::pair("since", full_time(limit.since_us()))}) {
    json.key(key);
    json.text_or_null(value);
  }
  json.end_object();
  return out;
}

}  // namespace luzia
