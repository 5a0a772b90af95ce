// export prometheus: writes metrics for scrapers that read files (node_exporter's textfile collector).
#include <map>

#include "engine/base/try.h"
#include "projections/rows/names.h"
#include "projections/rows/prometheus.h"
#include "tools/luzia-query/commands.h"
#include "tools/luzia-query/export_command.h"
#include "tools/read/pages.h"

namespace luzia {
namespace {

/// All rows of a view; they point into `page`.
template <class Row>
struct AllRows {
  RowPage page;
  std::vector<const Row*> rows;
};

template <class Row>
Status read_all(Session& session, wire::View view, AllRows<Row>& all) {
  auto source = LUZIA_TRY(session.still_source());
  wire::QueryT query = session.query(view);
  query.cursor.clear();
  all.page = LUZIA_TRY(collect_pages(*source, query, 0));
  all.rows = LUZIA_TRY(rows_of<Row>(all.page));
  return {};
}

double number(std::uint64_t count) {
  return static_cast<double>(count);
}

struct ProjectMetric {
  std::string_view name, type, help;
  double (*value)(const view::ProjectTotals&);
};

constexpr ProjectMetric kProjectMetrics[] = {
    {"luzia_jobs_dispatched_total", "counter", "Jobs that were dispatched.",
     [](const view::ProjectTotals& row) { return number(row.dispatched()); }},
    {"luzia_job_retries_total", "counter", "Attempts after the first.",
     [](const view::ProjectTotals& row) { return number(row.retries()); }},
    {"luzia_job_warnings_total", "counter", "Warnings of jobs.",
     [](const view::ProjectTotals& row) { return number(row.warnings()); }},
    {"luzia_job_busy_seconds_total", "counter", "Run time of attempts, without waits for people.",
     [](const view::ProjectTotals& row) { return number(row.busy_us()) / kSecondUs; }},
    {"luzia_job_output_bytes_total", "counter", "Bytes that agents printed.",
     [](const view::ProjectTotals& row) { return number(row.output_bytes()); }},
};

struct StateMetric {
  std::string_view state;
  std::uint64_t (view::ProjectTotals::*count)() const;
};

constexpr StateMetric kStates[] = {
    {"queued", &view::ProjectTotals::queued},       {"running", &view::ProjectTotals::running},
    {"waiting", &view::ProjectTotals::waiting},     {"parked", &view::ProjectTotals::parked},
    {"completed", &view::ProjectTotals::completed}, {"failed", &view::ProjectTotals::failed},
    {"killed", &view::ProjectTotals::killed},       {"timed_out", &view::ProjectTotals::timed_out},
    {"lost", &view::ProjectTotals::lost},           {"skipped", &view::ProjectTotals::skipped},
    {"cancelled", &view::ProjectTotals::cancelled}};

Status add_projects(Session& session, PrometheusText& metrics) {
  AllRows<view::ProjectTotals> totals;
  LUZIA_TRY(read_all(session, wire::View::totals, totals));
  metrics.family("luzia_log_position", "gauge", "Position of the last event.");
  metrics.sample({}, number(totals.page.position));
  metrics.family("luzia_jobs", "gauge", "Jobs by state.");
  for (const auto* row : totals.rows) {
    for (const StateMetric& state : kStates) {
      metrics.sample({{"project", text(row->project())}, {"state", state.state}},
                     number((row->*state.count)()));
    }
  }
  for (const ProjectMetric& metric : kProjectMetrics) {
    metrics.family(metric.name, metric.type, metric.help);
    for (const auto* row : totals.rows)
      metrics.sample({{"project", text(row->project())}}, metric.value(*row));
  }
  return {};
}

Status add_durations(Session& session, PrometheusText& metrics) {
  AllRows<view::Durations> durations;
  LUZIA_TRY(read_all(session, wire::View::durations, durations));
  struct Measure {
    std::string_view measure, name, help;
  };
  for (const Measure& measure :
       {Measure{"run", "luzia_run_seconds", "Run time of each attempt, without waits for people."},
        Measure{"queue_wait", "luzia_queue_wait_seconds", "Time from dispatch to the first start."},
        Measure{"human_wait", "luzia_human_wait_seconds", "Each time that a job waited for people."}}) {
    metrics.family(measure.name, "histogram", measure.help);
    for (const auto* row : durations.rows) {
      if (text(row->measure()) != measure.measure) continue;
      metrics.durations({{"project", text(row->project())}, {"agent", text(row->agent())}}, *row);
    }
  }
  return {};
}

using Names = std::vector<std::string>;

Status add_costs(Session& session, PrometheusText& metrics) {
  AllRows<view::CostDay> days;
  LUZIA_TRY(read_all(session, wire::View::costs, days));
  std::map<Names, view::CostDayT> sums;
  for (const auto* day : days.rows) {
    auto& sum = sums[{std::string(text(day->project())), std::string(text(day->agent())),
                      std::string(text(day->model()))}];
    if (!sum.tokens) sum.tokens = std::make_unique<view::TokensT>();
    sum.cost_usd += day->cost_usd();
    if (!day->tokens()) continue;
    sum.tokens->input += day->tokens()->input();
    sum.tokens->output += day->tokens()->output();
    sum.tokens->cache_read += day->tokens()->cache_read();
    sum.tokens->cache_write += day->tokens()->cache_write();
  }
  const auto labels = [](const Names& names) {
    return PrometheusLabels{{"project", names[0]}, {"agent", names[1]}, {"model", names[2]}};
  };
  metrics.family("luzia_cost_usd_total", "counter", "Cost in USD as reported by agents.");
  for (const auto& [names, sum] : sums) metrics.sample(labels(names), sum.cost_usd);
  metrics.family("luzia_tokens_total", "counter", "Tokens that agents used.");
  for (const auto& [names, sum] : sums) {
    for (const auto& [kind, count] :
         {std::pair("input", sum.tokens->input), std::pair("output", sum.tokens->output),
          std::pair("cache_read", sum.tokens->cache_read),
          std::pair("cache_write", sum.tokens->cache_write)}) {
      PrometheusLabels of_kind = labels(names);
      of_kind.emplace_back("kind", kind);
      metrics.sample(of_kind, number(count));
    }
  }
  return {};
}

Status add_tools(Session& session, PrometheusText& metrics) {
  AllRows<view::ToolDay> days;
  LUZIA_TRY(read_all(session, wire::View::tools, days));
  std::map<Names, std::map<std::string_view, std::uint64_t>> sums;
  for (const auto* day : days.rows) {
    auto& sum = sums[{std::string(text(day->project())), std::string(text(day->agent())),
                      std::string(text(day->tool()))}];
    sum["called"] += day->calls();
    sum["failed"] += day->failures();
    sum["denied"] += day->denials();
  }
  metrics.family("luzia_tool_calls_total", "counter",
                 "Tool calls, and how many of them failed or were denied.");
  for (const auto& [names, sum] : sums) {
    for (const auto& [what, count] : sum) {
      metrics.sample({{"project", names[0]}, {"agent", names[1]}, {"tool", names[2]}, {"what", what}},
                     number(count));
    }
  }
  return {};
}

Status add_issues(Session& session, PrometheusText& metrics) {
  AllRows<view::IssueDay> days;
  LUZIA_TRY(read_all(session, wire::View::issue_days, days));
  std::map<Names, std::pair<std::uint64_t, std::uint64_t>> sums;
  for (const auto* day : days.rows) {
    auto& [issues, fixed] = sums[{std::string(text(day->project())), std::string(text(day->pattern())),
                                  std::string(severity_name(day->severity()))}];
    issues += day->issues();
    fixed += day->fixed();
  }
  const auto labels = [](const Names& names) {
    return PrometheusLabels{{"project", names[0]}, {"pattern", names[1]}, {"severity", names[2]}};
  };
  metrics.family("luzia_issues_total", "counter", "Known problems in the output of jobs.");
  for (const auto& [names, sum] : sums) metrics.sample(labels(names), number(sum.first));
  metrics.family("luzia_issues_fixed_total", "counter", "Known problems that were fixed.");
  for (const auto& [names, sum] : sums) metrics.sample(labels(names), number(sum.second));
  return {};
}

}  // namespace

Result<int> export_prometheus(Session& session) {
  return export_to_out(session, [&](const ExportSink& sink) -> Status {
    PrometheusText metrics;
    for (const auto add : {add_projects, add_durations, add_costs, add_tools, add_issues}) {
      LUZIA_TRY(add(session, metrics));
    }
    return sink(metrics.text());
  });
}

}  // namespace luzia
