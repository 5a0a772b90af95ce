#include "projections/rows/alert_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "projections/rows/json_object.h"
#include "projections/rows/names.h"
#include "projections/rows/times.h"

namespace luzia {
std::string alert_json(const view::Alert& alert) {
  JsonObject json;
  json.text_or_null("alert", text(alert.alert()));
  json.text_or_null("alert_type", text(alert.alert_type()));
  json.text_or_null("severity", severity_name(alert.severity()));
  json.text_or_null("message", text(alert.message()));
  json.text_or_null("recommendation", text(alert.recommendation()));
  json.number("value", alert.value());
  json.number("threshold", alert.threshold());
  json.time("since", "since_us", alert.since_us());
  json.time("ended", "ended_us", alert.ended_us());
  if (alert.expires_us() != 0) {
    json.time("expires", "expires_us", alert.expires_us());
  }
  json.number("position", alert.position());
  return json.take();
}

Table alerts_table(const std::vector<const view::Alert*>& alerts) {
  const bool some_ended =
      std::any_of(alerts.begin(), alerts.end(), [](const auto* alert) { return alert->ended_us() != 0; });
  std::vector<Column> columns = {{"ALERT"}, {"SEVERITY"}, {"SINCE"}};
  if (some_ended) columns.push_back({"UNTIL"});
  columns.push_back({.title = "MESSAGE", .min_width = 20, .shrinks = true});
  columns.push_back({.title = "WHAT TO DO", .min_width = 12, .shrinks = true});
  Table table(std::move(columns));
  for (const view::Alert* alert : alerts) {
    const bool is_open = alert->ended_us() == 0;
    const Colour colour = is_open ? severity_colour(alert->severity()) : Colour::dim;
    std::vector<Cell> row = {{std::string(text(alert->alert())), Colour::bold},
                             {std::string(severity_name(alert->severity())), colour},
                             {second_time(alert->since_us())}};
    if (some_ended) row.push_back({second_time(alert->ended_us())});
    row.push_back({std::string(text(alert->message())), colour});
    row.push_back({is_open ? std::string(text(alert->recommendation())) : std::string(), Colour::dim});
    table.add(std::move(row));
  }
  return table;
}

Table warnings_table(const std::vector<const view::Job*>& jobs) {
  Table table({{"JOB"},
               {"STATE"},
               {.title = "PROJECT", .min_width = 7, .shrinks = true},
               {"WARNINGS", Align::right},
               {"ERRORS", Align::right},
               {.title = "ISSUES", .align = Align::right, .drops = 1},
               {.title = "LAST", .min_width = 20, .shrinks = true}});
  for (const view::Job* job : jobs) {
    const std::string end = job->state() == schema::JobState::completed ? std::string() : end_text(*job);
    std::string last(text(job->last_warning()));
    if (!end.empty()) last = last.empty() ? end : fmt::format("{}; {}", end, last);
    if (job->failure()) last = end_detail_text(*job);
    table.add({{std::string(text(job->id())), Colour::bold},
               {state_text(*job)},
               {std::string(text(job->project()))},
               {fmt::to_string(job->warnings())},
               {fmt::to_string(job->errors())},
               {fmt::to_string(job->issues())},
               {last, job->errors() > 0 || !end.empty() ? Colour::red : Colour::yellow}});
  }
  return table;
}

}  // namespace luzia
