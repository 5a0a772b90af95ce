#include "projections/rows/report_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/base/percent.h"
#include "engine/base/percent_encoding.h"
#include "engine/event/job_state.h"
#include "projections/rows/issue_statistics.h"
#include "projections/rows/names.h"
#include "projections/rows/outcome_rows.h"
#include "projections/rows/report_charts.h"
#include "projections/rows/times.h"
#include "projections/rows/usage_rows.h"

namespace luzia {
namespace {

constexpr std::size_t kMostDays = 120, kMostRows = 12, kMostJobsListed = 30;

constexpr std::string_view kStyle = R"(
:root{--ground:#fbfbfa;--paper:#fff;--ink:#1c2024;--dim:#687076;--rule:#e2e5e8;
--good:#2f9e5b;--bad:#d6453d;--stopped:#9aa2a9;--open:#3b82c4;--warm:#d9902f;--other:#7c62b8}
@media (prefers-color-scheme:dark){:root{--ground:#111315;--paper:#191c1f;--ink:#e8eaec;--dim:#9aa2a9;--rule:#2c3135;
--good:#46b873;--bad:#ef6a61;--stopped:#737b82;--open:#62a6e3;--warm:#e8ab57;--other:#a48ede}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:1120px;margin:0 auto;padding:32px 20px 64px}
h1{font-size:26px;margin:0}h2{font-size:17px;margin:36px 0 10px}
.when{color:var(--dim);margin:4px 0 24px}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(120px,1fr));gap:12px}
.card,figure,.box{background:var(--paper);border:1px solid var(--rule);border-radius:8px}
.card{padding:12px 16px}.card b{display:block;font-size:22px;font-weight:600;white-space:nowrap}.card span{color:var(--dim);font-size:13px}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(460px,100%),1fr));gap:12px;margin-top:12px}
figure{margin:0;padding:12px 14px;break-inside:avoid}
figcaption{font-weight:600;margin-bottom:6px}
svg{display:block;width:100%;height:auto}
.wide{margin-top:12px}
.grid{stroke:var(--rule);stroke-width:1}
.axis{fill:var(--dim);font-size:11px}.end{text-anchor:end}.middle{text-anchor:middle}
.bar{fill:#fff;font-size:10px}.gap{fill:var(--rule);opacity:.45}
.good{fill:var(--good);background:var(--good);stroke:var(--good)}
.bad{fill:var(--bad);background:var(--bad);stroke:var(--bad)}
.stopped{fill:var(--stopped);background:var(--stopped);stroke:var(--stopped)}
.open{fill:var(--open);background:var(--open);stroke:var(--open)}
.warm{fill:var(--warm);background:var(--warm);stroke:var(--warm)}
.other{fill:var(--other);background:var(--other);stroke:var(--other)}
rect{stroke-width:0}.line{fill:none;stroke-width:2}
.legend,.note{color:var(--dim);font-size:13px;margin:6px 0 0}
.key i{display:inline-block;width:10px;height:10px;border-radius:2px;margin:0 5px 0 8px}
.box{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:14px}
th,td{text-align:left;padding:6px 12px;border-top:1px solid var(--rule);vertical-align:top}
tr:first-child th{border-top:0}
th{color:var(--dim);font-weight:500;white-space:nowrap}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
td.t{white-space:nowrap}td.words{min-width:160px;overflow-wrap:anywhere}a{color:inherit}code{font:13px ui-monospace,monospace}
@media (max-width:600px){.axis{font-size:15px}.wide figure{overflow-x:auto}.wide svg{min-width:760px}}
@media print{:root{--ground:#fff;--paper:#fff;--ink:#000;--dim:#444;--rule:#ccc}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}main{max-width:none;padding:0}tr,.card{break-inside:avoid}
h2{break-after:avoid}}
)";

std::string whole_number(double value) {
  return value >= 1e6   ? fmt::format("{:.1f}M", value / 1e6)
         : value >= 1e4 ? fmt::format("{:.0f}k", value / 1e3)
                        : fmt::format("{:g}", value);
}

std::string median_run_text(const OutcomeStatistic& jobs) {
  const auto half = jobs.run_quantile_ms(0.5);
  return half ? format_milliseconds(*half) : "–";
}

std::string dollars(double value) {
  return value >= 100 ? fmt::format("${:.0f}", value) : fmt::format("${:.2f}", value);
}

std::string percent_of(std::optional<double> share) {
  return share ? whole_percent(*share) : std::string("–");
}

std::string card(std::string_view value, std::string_view what) {
  return fmt::format("<div class=\"card\"><b>{}</b><span>{}</span></div>\n", escaped_html(value),
                     escaped_html(what));
}

/// The days of the charts: all from the first to the last with any data, at most the last kMostDays.
struct ReportDays {
  std::uint32_t first = 0;
  std::vector<std::string> labels;

  void cover(const ReportContent& content) {
    std::uint32_t low = ~0U, high = 0;
    const auto take = [&](std::uint32_t day) {
      low = std::min(low, day);
      high = std::max(high, day);
    };
    for (const auto* day : content.outcomes) take(day->day());
    for (const auto* day : content.costs) take(day->day());
    if (low > high) return;
    first = std::max(low, high < kMostDays ? 0 : high - static_cast<std::uint32_t>(kMostDays) + 1);
    for (std::uint32_t day = first; day <= high; ++day) {
      labels.push_back(format_rfc3339(static_cast<TimeUs>(day) * kDayUs).substr(5, 5));
    }
  }
  /// Index of a day; npos: not shown.
  std::size_t place(std::uint32_t day) const {
    return day < first || day - first >= labels.size() ? std::string::npos : day - first;
  }
};

/// Numbers of the days, summed over all rows.
template <class Day>
std::vector<double> by_day(const ReportDays& days, const std::vector<const Day*>& rows,
                           std::initializer_list<std::uint64_t (Day::*)() const> counts) {
  std::vector<double> sums(days.labels.size());
  for (const Day* row : rows) {
    const std::size_t place = days.place(row->day());
    if (place == std::string::npos) continue;
    for (const auto count : counts) sums[place] += static_cast<double>((row->*count)());
  }
  return sums;
}

std::string throughput_chart(const ReportContent& content, const ReportDays& days) {
  using Day = view::OutcomeDay;
  const auto& rows = content.outcomes;
  const std::vector<ChartSeries> series = {
      {"completed", "good", by_day<Day>(days, rows, {&Day::completed})},
      {"failed, timed out or lost", "bad",
       by_day<Day>(days, rows, {&Day::failed, &Day::timed_out, &Day::lost})},
      {"cancelled", "stopped", by_day<Day>(days, rows, {&Day::killed, &Day::cancelled})},
      {"skipped", "other", by_day<Day>(days, rows, {&Day::skipped})}};
  return column_chart("Jobs that ended, by day", days.labels, series, whole_number);
}

std::string durations_chart(const ReportContent& content, const ReportDays& days) {
  std::vector<std::vector<const view::OutcomeDay*>> of_day(days.labels.size());
  for (const auto* row : content.outcomes) {
    if (const std::size_t place = days.place(row->day()); place != std::string::npos)
      of_day[place].push_back(row);
  }
  ChartSeries half{"median", "open", {}}, most{"95th percentile", "warm", {}};
  for (const auto& rows : of_day) {
    const OutcomeStatistic all = all_outcomes(rows);
    half.values.push_back(all.run_quantile_ms(0.5).value_or(0));
    most.values.push_back(all.run_quantile_ms(0.95).value_or(0));
  }
  return line_chart("How long they ran", days.labels, {half, most}, format_milliseconds);
}

/// The models with the highest cost one by one, all others together.
std::string costs_chart(const ReportContent& content, const ReportDays& days) {
  constexpr const char* kStyles[] = {"open", "warm", "other", "stopped"};
  constexpr std::size_t kNamed = 3;
  std::map<std::string, std::size_t> place_of;
  std::vector<ChartSeries> series;
  for (const CostStatistic& model : cost_statistics(content.costs, UsageBy::model)) {
    if (model.cost_usd <= 0) break;
    place_of[model.key] = std::min(series.size(), kNamed);
    if (series.size() <= kNamed) {
      series.push_back({series.size() < kNamed ? model.key : "others", kStyles[series.size()],
                        std::vector<double>(days.labels.size())});
    }
  }
  for (const auto* row : content.costs) {
    const std::string model(text(row->model()).empty() ? "unknown" : text(row->model()));
    const auto known = place_of.find(model);
    const std::size_t place = days.place(row->day());
    if (known == place_of.end() || place == std::string::npos) continue;
    series[known->second].values[place] += row->cost_usd();
  }
  return column_chart("Costs by day", days.labels, series, dollars);
}

std::string issues_chart(const ReportContent& content, const ReportDays& days) {
  using Day = view::IssueDay;
  const std::vector<ChartSeries> series = {
      {"seen", "bad", by_day<Day>(days, content.issues, {&Day::issues})},
      {"fixed", "good", by_day<Day>(days, content.issues, {&Day::fixed})}};
  return line_chart("Known problems", days.labels, series, whole_number);
}

std::string_view style_of_state(schema::JobState state) {
  if (state == schema::JobState::completed) return "good";
  if (state == schema::JobState::killed || never_ran(state)) return "stopped";
  return is_terminal(state) ? "bad" : "open";
}

std::string jobs_timeline(const ReportContent& content) {
  std::vector<ChartSpan> spans;
  TimeUs from = content.until, to = 0;
  for (const auto* job : content.jobs) {
    if (job->started_us() == 0) continue;
    const TimeUs start = job->first_started_us() != 0 ? job->first_started_us() : job->started_us();
    const TimeUs end = is_terminal(job->state()) ? std::max(job->ended_us(), start) : content.until;
    from = std::min(from, start);
    to = std::max(to, end);
    spans.push_back({std::string(text(job->project())), std::string(style_of_state(job->state())),
                     fmt::format("{} {} {}: {}, {}", text(job->id()), text(job->project()),
                                 second_time(start), state_name(job->state()), format_duration(end - start)),
                     start, end});
  }
  if (spans.empty()) return {};
  std::ranges::sort(spans, {}, &ChartSpan::from);
  std::string note;
  if (content.more_jobs)
    note = fmt::format("<p class=\"note\">The newest {} jobs.</p>\n", content.jobs.size());
  return "<div class=\"wide\">" + timeline_chart("When jobs ran", spans, from, to) + note + "</div>\n";
}

std::string cell(std::string_view text, std::string_view style = {}) {
  return fmt::format("<td class=\"{}\">{}</td>", style, escaped_html(text));
}

std::string headings(std::initializer_list<std::pair<std::string_view, std::string_view>> titles) {
  std::string row = "<div class=\"box\"><table>\n<tr>";
  for (const auto& [title, style] : titles) row += fmt::format("<th class=\"{}\">{}</th>", style, title);
  return row + "</tr>\n";
}

constexpr std::string_view kSuccess =
    "<p class=\"note\">Success, on this whole page: jobs that completed, of those that ran and ended by "
    "themselves. Cancelled and skipped jobs do not count.</p>\n";

std::string outcomes_section(const ReportContent& content, OutcomesBy by, std::string_view title) {
  std::string text = fmt::format("<h2>{}</h2>\n", title);
  text += headings({{"", ""},
                    {"jobs", "n"},
                    {"success", "n"},
                    {"first try", "n"},
                    {"retries", "n"},
                    {"median run time", "n"},
                    {"waited for people", "n"},
                    {"tokens", "n"},
                    {"cost", "n"}});
  const auto statistics = outcome_statistics(content.outcomes, by);
  for (std::size_t i = 0; i < std::min(statistics.size(), kMostRows); ++i) {
    const OutcomeStatistic& row = statistics[i];
    text +=
        "<tr>" + cell(row.key) + cell(fmt::to_string(row.jobs()), "n") +
        cell(percent_of(row.success_rate()), "n") + cell(fmt::to_string(row.first_try), "n") +
        cell(fmt::to_string(row.retries), "n") + cell(median_run_text(row), "n") +
        cell(row.human_wait_us == 0 ? "–" : format_duration(static_cast<TimeUs>(row.human_wait_us)), "n") +
        cell(whole_number(static_cast<double>(row.tokens.input + row.tokens.output)), "n") +
        cell(dollars(row.cost_usd), "n") + "</tr>\n";
  }
  return text + "</table></div>\n";
}

std::string reasons_section(const ReportContent& content) {
  std::string text = "<h2>Why jobs ended</h2>\n" + headings({{"reason", ""}, {"jobs", "n"}, {"share", "n"}});
  for (const ReasonStatistic& row : reason_statistics(content.outcomes)) {
    text += "<tr>" + cell(row.key) + cell(fmt::to_string(row.jobs), "n") + cell(percent_of(row.share), "n") +
            "</tr>\n";
  }
  return text + "</table></div>\n";
}

std::string issues_section(const ReportContent& content) {
  const auto statistics = issue_statistics(content.issues, IssuesBy::pattern, content.until);
  if (statistics.empty()) return {};
  std::string text =
      "<h2>Known problems</h2>\n" +
      headings(
          {{"pattern", ""}, {"severity", ""}, {"seen", "n"}, {"printed", "n"}, {"fixed", "n"}, {"last", ""}});
  for (std::size_t i = 0; i < std::min(statistics.size(), kMostRows); ++i) {
    const IssueStatistic& row = statistics[i];
    text += "<tr>" + cell(row.key) + cell(severity_name(row.severity)) +
            cell(fmt::to_string(row.issues), "n") + cell(fmt::to_string(row.occurrences), "n") +
            cell(fmt::to_string(row.fixed), "n") + cell(second_time(row.last_us), "t") + "</tr>\n";
  }
  return text + "</table></div>\n";
}

/// The job's id as a link to its output, for a reader on the same machine.
std::string output_link(const view::Job& job) {
  const std::string id = "<code>" + escaped_html(text(job.id())) + "</code>";
  if (text(job.dir()).empty()) return "<td>" + id + "</td>";
  return "<td><a href=\"file://" + percent_encoded(text(job.dir()), "/-_.~") + "/output.log\">" + id +
         "</a></td>";
}

std::string failures_section(const ReportContent& content) {
  std::string rows;
  std::size_t count = 0;
  for (const auto* job : content.jobs) {
    if (style_of_state(job->state()) != "bad" || count++ >= kMostJobsListed) continue;
    rows += "<tr>" + output_link(*job) + cell(text(job->project())) + cell(text(job->agent())) +
            cell(second_time(job->ended_us()), "t") + cell(end_text(*job)) +
            cell(cause_or_last_line(*job), "words") + "</tr>\n";
  }
  if (rows.empty()) return {};
  return "<h2>Failed last</h2>\n" +
         headings({{"job", ""},
                   {"project", ""},
                   {"agent", ""},
                   {"ended", ""},
                   {"why", ""},
                   {"cause or last line", ""}}) +
         rows + "</table></div>\n";
}

std::string cards(const ReportContent& content) {
  const OutcomeStatistic all = all_outcomes(content.outcomes);
  double cost = 0, tokens = 0, issues = 0;
  for (const auto* day : content.costs) {
    cost += day->cost_usd();
    if (day->tokens()) tokens += static_cast<double>(day->tokens()->input() + day->tokens()->output());
  }
  for (const auto* day : content.issues) issues += static_cast<double>(day->issues());
  return "<div class=\"cards\">\n" + card(fmt::to_string(all.jobs()), "jobs ended") +
         card(percent_of(all.success_rate()), "success") +
         card(fmt::to_string(all.first_try), "succeeded at the first try") +
         card(median_run_text(all), "median run time") +
         card(all.human_wait_us == 0 ? "–" : format_duration(static_cast<TimeUs>(all.human_wait_us)),
              "waited for people") +
         card(dollars(cost), "cost") + card(whole_number(tokens), "tokens") +
         card(whole_number(issues), "known problems") + "</div>\n";
}

}  // namespace

std::string report_page(const ReportContent& content) {
  ReportDays days;
  days.cover(content);
  const std::string since = content.since == 0 ? "the beginning" : second_time(content.since);
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>Luzia report</title>\n<style>{}</style>\n"
      "</head>\n<body>\n<main>\n<h1>Luzia report</h1>\n"
      "<p class=\"when\">From {} to {} UTC, as of position {} of the log.</p>\n",
      kStyle, since, second_time(content.until), content.position);
  page += cards(content);
  if (!content.outcomes.empty()) page += kSuccess;
  if (days.labels.empty()) {
    page += "<p class=\"note\">No job has ended in this time.</p>\n";
  } else {
    page += "<div class=\"charts\">\n" + throughput_chart(content, days) + durations_chart(content, days) +
            costs_chart(content, days) + issues_chart(content, days) + "</div>\n";
  }
  page += jobs_timeline(content);
  if (!content.outcomes.empty()) {
    page += outcomes_section(content, OutcomesBy::project, "Projects") +
            outcomes_section(content, OutcomesBy::agent, "Agents") + reasons_section(content);
  }
  return page + issues_section(content) + failures_section(content) + "</main>\n</body>\n</html>\n";
}

}  // namespace luzia
