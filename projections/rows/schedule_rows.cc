#include "projections/rows/schedule_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/counted.h"
#include "engine/event/take_fact.h"
#include "engine/schedule/schedule.h"
#include "projections/rows/agent_text.h"
#include "projections/rows/export_fields.h"
#include "projections/rows/json_object.h"
#include "projections/rows/names.h"
#include "projections/rows/times.h"

namespace luzia {
namespace {

using schema::DueOutcome;

/// When it is due next, or why it is not.
std::string next_text(const view::Schedule& schedule, TimeUs now) {
  if (schedule.dropped_us() != 0) return "not configured";
  if (!text(schedule.fault()).empty()) return fmt::format("cannot be read: {}", text(schedule.fault()));
  if (schedule.paused_us() != 0) {
    const std::string_view by = text(schedule.paused_by());
    return by.empty() ? std::string("paused") : fmt::format("paused by {}", by);
  }
  if (schedule.waiting_us() != 0) return fmt::format("after {}", text(schedule.last_job()));
  return schedule.next_us() == 0 ? std::string() : local_moment(schedule.next_us(), now);
}

/// Whether the row names agent and state of the last job.
bool has_last_job(const view::Schedule& schedule) {
  return !text(schedule.agent()).empty();
}

std::string last_text(const view::Schedule& schedule, TimeUs now) {
  if (schedule.last_us() == 0) return "never";
  const std::string ago = format_duration(std::max<TimeUs>(0, now - schedule.last_us())) + " ago";
  if (schedule.last_outcome() == DueOutcome::dispatched)
    return has_last_job(schedule) ? fmt::format("{}, {}", state_name(schedule.last_state()), ago) : ago;
  return fmt::format("{}, {}", due_outcome_name(schedule.last_outcome()), ago);
}

std::string due_text(std::string_view name, const schema::ScheduleDue& fact) {
  const std::string due = fact.due_us() == 0 ? std::string() : ", due " + format_rfc3339(fact.due_us());
  std::string sentence;
  switch (fact.outcome()) {
    case DueOutcome::dispatched:
      sentence = fmt::format("schedule {}{}: job {} dispatched", name, due, text(fact.job()));
      break;
    case DueOutcome::waits:
      sentence = fmt::format("schedule {}{}: waits for the end of its last job", name, due);
      break;
    case DueOutcome::skipped_overlap:
      sentence = fmt::format("schedule {}{}: skipped, its last job has not ended", name, due);
      break;
    case DueOutcome::skipped_missed:
      sentence = fmt::format("schedule {}{}: skipped, it is too late", name, due);
      break;
    case DueOutcome::refused:
      sentence = fmt::format("schedule {}{}: refused", name, due);
      break;
  }
  if (sentence.empty()) sentence = fmt::format("schedule {}{}", name, due);  // of a newer program
  if (fact.missed() != 0) sentence += fmt::format("; {} missed", counted(fact.missed(), "earlier due time"));
  return with_note(std::move(sentence), fact.note());
}

}  // namespace

std::string_view due_outcome_name(DueOutcome outcome) {
  const char* name = schema::EnumNameDueOutcome(outcome);
  return name == nullptr || *name == '\0' ? "unknown" : name;
}

std::string schedule_json(const view::Schedule& schedule) {
  JsonObject json;
  json.text("name", schedule.schedule());
  json.text("project", schedule.project());
  json.text("rule", schedule.rule());
  json.text_or_null("time_zone", schedule.time_zone());
  json.text_or_null("fault", schedule.fault());
  json.time("set_at", schedule.set_us());
  const bool off = schedule.paused_us() != 0 || schedule.dropped_us() != 0;
  json.time("next_at", "next_us", off ? 0 : schedule.next_us());
  json.time("last_at", schedule.last_us());
  json.time("last_due_at", schedule.last_due_us());
  json.text_or_null("last_outcome",
                    schedule.last_us() == 0 ? std::string_view() : due_outcome_name(schedule.last_outcome()));
  json.text_or_null("last_job", schedule.last_job());
  json.text_or_null("last_state",
                    has_last_job(schedule) ? state_name(schedule.last_state()) : std::string_view());
  json.text_or_null("agent", schedule.agent());
  json.time("waiting_at", schedule.waiting_us());
  json.text_or_null("note", schedule.note());
  json.number("runs", schedule.dispatched());
  json.number("skipped_overlap", schedule.skipped_overlap());
  json.number("skipped_missed", schedule.skipped_missed());
  json.number("refused", schedule.refused());
  const auto* results = schedule.results();
  json.number("completed", results != nullptr ? results->completed() : 0);
  json.number("failed", results != nullptr ? results->failed() : 0);
  json.number("cost_usd", results != nullptr ? results->cost_usd() : 0.0);
  json.number("tokens", results != nullptr ? results->tokens() : 0);
  json.time("paused_at", schedule.paused_us());
  json.text_or_null("paused_by", schedule.paused_by());
  json.text_or_null("pause_note", schedule.pause_note());
  json.time("dropped_at", schedule.dropped_us());
  json.number("position", schedule.position());
  return json.take();
}

Table schedules_table(const std::vector<const view::Schedule*>& schedules, TimeUs now, Form form) {
  const bool data = form == Form::data;
  Table table({{"NAME", Align::left, 6, true},
               {"RULE", Align::left, 9, true, 1},
               {"PROJECT", Align::left, 6, true, 2},
               {"NEXT", Align::left, 24, true},
               {"LAST", Align::left, 18, true},
               {"JOB", Align::left, 11, false, 2},
               {"COMPLETED", Align::right, 9, false, 4},
               {"FAILED", Align::right, 6, false, 5},
               {"SKIPPED", Align::right, 7, false, 3},
               {"REFUSED", Align::right, 7, false, 3},
               {"COST", Align::right, 7, false, 3}});
  for (const view::Schedule* row : schedules) {
    const auto* results = row->results();
    const std::uint64_t failed = results != nullptr ? results->failed() : 0;
    const bool off = row->paused_us() != 0 || row->dropped_us() != 0;
    const bool trouble = row->last_us() != 0 && row->last_outcome() == DueOutcome::refused;
    std::string rule(text(row->rule()));
    if (!text(row->time_zone()).empty()) rule += fmt::format(" ({})", text(row->time_zone()));
    table.add(
        {{std::string(text(row->schedule())), off ? Colour::dim : Colour::bold},
         {std::move(rule)},
         {std::string(text(row->project()))},
         {data ? full_time(off ? 0 : row->next_us()) : next_text(*row, now)},
         {data ? full_time(row->last_us()) : last_text(*row, now), trouble ? Colour::red : Colour::none},
         {std::string(text(row->last_job()))},
         {std::to_string(results != nullptr ? results->completed() : 0)},
         {std::to_string(failed), failed != 0 ? Colour::red : Colour::none},
         {std::to_string(row->skipped_overlap() + row->skipped_missed())},
         {std::to_string(row->refused()), trouble ? Colour::red : Colour::none},
         {fmt::format("{:.2f}", results != nullptr ? results->cost_usd() : 0.0)}});
  }
  return table;
}

std::string schedule_text(const schema::Event& event) {
  const std::string_view name = schedule_of_stream(text(event.stream()));
  return fact_or(
      std::string("something about a schedule that this program does not know"),
      *event.payload_as_ScheduleEvent(),
      [&](const schema::ScheduleSet& fact) {
        if (!text(fact.fault()).empty())
          return fmt::format("schedule {} set for project {}: {} cannot be read: {}", name,
                             text(fact.project()), text(fact.rule()), text(fact.fault()));
        return fmt::format("schedule {} set for project {}: {}; due {}", name, text(fact.project()),
                           text(fact.rule()), format_rfc3339(fact.next_us()));
      },
      [&](const schema::ScheduleDue& fact) { return due_text(name, fact); },
      [&](const schema::SchedulePaused& fact) {
        return with_note(fmt::format("schedule {} paused", name), fact.note());
      },
      [&](const schema::ScheduleResumed& fact) {
        return with_note(fmt::format("schedule {} resumed; due {}", name, format_rfc3339(fact.next_us())),
                         fact.note());
      },
      [&](const schema::ScheduleDropped& fact) {
        return with_note(fmt::format("schedule {} is no longer configured", name), fact.note());
      });
}

}  // namespace luzia
