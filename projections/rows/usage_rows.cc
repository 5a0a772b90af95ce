#include "projections/rows/usage_rows.h"

#include <fmt/format.h>

#include "engine/base/percent.h"
#include "projections/rows/buckets.h"
#include "projections/rows/export_fields.h"

namespace luzia {
namespace {

/// The key of a row of days; `tool` is empty if the rows have none.
template <class Day>
std::string key_of(const Day& day, const std::string& tool, UsageBy by) {
  if (by == UsageBy::tool) return tool;
  if (by == UsageBy::agent) return agent_or_none(day.agent());
  if (by == UsageBy::model) return name_or_unknown(day.model());
  if (by == UsageBy::project) return name_or_unknown(day.project());
  if (by == UsageBy::day) return day_text(day.day());
  return tool + '\0' + agent_or_none(day.agent()) + '\0' + name_or_unknown(day.project());
}

std::string title_of(UsageBy by) {
  constexpr const char* kTitles[] = {"TOOL", "TOOL", "AGENT", "MODEL", "PROJECT", "DAY"};
  return kTitles[static_cast<std::size_t>(by)];
}

void add(ToolStatistic& sum, const view::ToolDay& day) {
  sum.calls += day.calls();
  sum.failures += day.failures();
  sum.denials += day.denials();
  sum.timed += day.timed();
  sum.sum_us += day.sum_us();
  add_buckets(sum.buckets, day.buckets());
}

void add(CostStatistic& sum, const view::CostDay& day) {
  sum.jobs += day.jobs();
  sum.cost_usd += day.cost_usd();
  add_tokens(sum.tokens, day.tokens());
}

std::string cost_text(double usd) {
  return usd >= 10 ? fmt::format("{:.2f}", usd) : fmt::format("{:.4f}", usd);
}

constexpr ExportField<ToolStatistic> kWhatToolUseIs[] = {
    {{"key", kText, "Tool, agent, model, project or day."}, as_key<&ToolStatistic::key>},
    {{"name", kText, "Of the tool, if all calls are of one."}, as_is<&ToolStatistic::name>},
    {{"agent", kText, "If all calls are of one."}, as_is<&ToolStatistic::agent>},
    {{"project", kText, "If all calls are of one."}, as_is<&ToolStatistic::project>},
    {{"calls", kInteger, "How often it was called."}, as_is<&ToolStatistic::calls>},
    {{"failures", kInteger, "Calls that failed.", "FAILED"}, as_is<&ToolStatistic::failures>},
    {{"denials", kInteger, "Calls that were denied.", "DENIED"}, as_is<&ToolStatistic::denials>},
    {{"mean_ms", kReal, "Of the calls whose duration is known.", "MEAN"}, as_is<&ToolStatistic::mean_ms>},
    {{"p95_ms", kReal, "95 of 100 took less, within 19 %.", "95 %"}, as_is<&ToolStatistic::p95_ms>},
};

constexpr ExportField<CostStatistic> kWhatCostIs[] = {
    {{"key", kText, "Agent, model, project or day."}, as_key<&CostStatistic::key>},
    {{"jobs", kInteger, "Jobs, once for each model."}, as_is<&CostStatistic::jobs>},
    {{"input_tokens", kInteger, "Tokens that the model read.", "INPUT"}, as_tokens<&view::TokensT::input>},
    {{"output_tokens", kInteger, "Tokens that the model wrote.", "OUTPUT"},
     as_tokens<&view::TokensT::output>},
    {{"cache_read_tokens", kInteger, "Tokens from a cache.", "CACHE READ"},
     as_tokens<&view::TokensT::cache_read>},
    {{"cache_write_tokens", kInteger, "Tokens into a cache.", "CACHE WRITE"},
     as_tokens<&view::TokensT::cache_write>},
    {{"cost_usd", kReal, "Cost that the agents reported.", "USD"}, as_is<&CostStatistic::cost_usd>},
};

template <class Row, std::size_t kCount>
Table keyed_data(const ExportField<Row> (&fields)[kCount], const std::vector<Row>& rows, UsageBy by) {
  Table data = data_table(fields, rows);
  data.set_heading("key", title_of(by));
  return data;
}

}  // namespace

std::string name_or_unknown(const flatbuffers::String* name) {
  return text(name).empty() ? std::string("unknown") : name->str();
}

std::string agent_or_none(const flatbuffers::String* name) {
  return text(name).empty() ? std::string("no agent") : name->str();
}

std::string time_or_dash(std::optional<double> ms) {
  return ms ? format_milliseconds(*ms) : std::string("-");
}

std::string percent_or_dash(std::optional<double> share) {
  return share ? whole_percent(*share) : std::string("-");
}

void add_tokens(view::TokensT& sum, const view::Tokens* more) {
  if (more == nullptr) return;
  sum.input += more->input();
  sum.output += more->output();
  sum.cache_read += more->cache_read();
  sum.cache_write += more->cache_write();
}

void write_tokens(JsonObject& object, const view::TokensT& tokens) {
  object.begin("tokens");
  object.number("input", tokens.input);
  object.number("output", tokens.output);
  object.number("cache_read", tokens.cache_read);
  object.number("cache_write", tokens.cache_write);
  object.end();
}

void write_tokens(JsonObject& object, const view::Tokens* tokens) {
  view::TokensT used;
  add_tokens(used, tokens);
  write_tokens(object, used);
}

std::optional<double> ToolStatistic::mean_ms() const {
  return luzia::mean_ms(sum_us, timed);
}

std::optional<double> ToolStatistic::p95_ms() const {
  if (timed == 0) return std::nullopt;
  return bucket_quantile(buckets, 0.95, sum_us, timed);
}

std::vector<ToolStatistic> tool_statistics(const std::vector<const view::ToolDay*>& days, UsageBy by) {
  std::map<std::string, ToolStatistic> sums;
  for (const view::ToolDay* day : days) {
    const std::string tool = name_or_unknown(day->tool());
    const std::string key = key_of(*day, tool, by);
    ToolStatistic& sum = sums[key];
    const bool each = by == UsageBy::each;
    sum.key = each ? tool : key;
    if (each || by == UsageBy::tool) sum.name = tool;
    if (each || by == UsageBy::agent) sum.agent = agent_or_none(day->agent());
    if (each || by == UsageBy::project) sum.project = name_or_unknown(day->project());
    add(sum, *day);
  }
  return sorted_sums(sums, by == UsageBy::day,
                     [](const auto& a, const auto& b) { return a.calls > b.calls; });
}

std::string tool_statistic_json(const ToolStatistic& row) {
  return fields_json(kWhatToolUseIs, row);
}

Table tool_statistics_table(const std::vector<ToolStatistic>& statistics, UsageBy by, Form form) {
  if (form == Form::data) return keyed_data(kWhatToolUseIs, statistics, by);
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
    cells.push_back(number_cell(row.calls));
    cells.push_back({fmt::to_string(row.failures), row.failures > 0 ? Colour::yellow : Colour::none});
    cells.push_back({fmt::to_string(row.denials), row.denials > 0 ? Colour::yellow : Colour::none});
    cells.push_back({time_or_dash(row.mean_ms())});
    cells.push_back({time_or_dash(row.p95_ms())});
    table.add(std::move(cells));
  }
  return table;
}

std::vector<CostStatistic> cost_statistics(const std::vector<const view::CostDay*>& days, UsageBy by) {
  std::map<std::string, CostStatistic> sums;
  for (const view::CostDay* day : days) {
    const std::string key = key_of(*day, {}, by);
    sums[key].key = key;
    add(sums[key], *day);
  }
  const auto tokens = [](const CostStatistic& row) { return row.tokens.input + row.tokens.output; };
  return sorted_sums(sums, by == UsageBy::day, [&](const auto& a, const auto& b) {
    return a.cost_usd != b.cost_usd ? a.cost_usd > b.cost_usd : tokens(a) > tokens(b);
  });
}

std::string cost_statistic_json(const CostStatistic& row) {
  JsonObject object;
  object.text("key", row.key);
  object.number("jobs", row.jobs);
  write_tokens(object, row.tokens);
  object.number("cost_usd", row.cost_usd);
  return object.take();
}

Table cost_statistics_table(const std::vector<CostStatistic>& statistics, UsageBy by, Form form) {
  if (form == Form::data) return keyed_data(kWhatCostIs, statistics, by);
  Table table({{.title = title_of(by), .min_width = 10, .shrinks = true},
               {"JOBS", Align::right},
               {"INPUT", Align::right},
               {"OUTPUT", Align::right},
               {.title = "CACHE READ", .align = Align::right, .drops = 2},
               {.title = "CACHE WRITE", .align = Align::right, .drops = 3},
               {"USD", Align::right}});
  const auto show = [&table](const CostStatistic& row, std::string key, Colour colour) {
    table.add({{std::move(key), colour},
               number_cell(row.jobs),
               number_cell(row.tokens.input),
               number_cell(row.tokens.output),
               number_cell(row.tokens.cache_read),
               number_cell(row.tokens.cache_write),
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

}  // namespace luzia
