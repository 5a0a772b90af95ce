#include "projections/rows/row_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/counted.h"
#include "engine/base/joined_names.h"
#include "engine/base/local_time.h"
#include "engine/base/percent.h"
#include "engine/base/short_line.h"
#include "projections/rows/attention.h"
#include "projections/rows/buckets.h"
#include "projections/rows/event_text.h"
#include "projections/rows/export_fields.h"
#include "projections/rows/json.h"
#include "projections/rows/names.h"
#include "projections/rows/unreadable.h"

namespace luzia {
namespace {

TimeUs elapsed(const view::Job& job, TimeUs now) {
  if (job.started_us() == 0) return 0;
  return std::max<TimeUs>(0, (is_terminal(job.state()) ? job.ended_us() : now) - job.started_us());
}

/// The progress of the job. For a completed job its last report says nothing.
std::string progress_text(const view::Job& job) {
  const auto* progress = job.progress();
  if (!progress || job.state() == schema::JobState::completed) return {};
  std::string out;
  if (const auto percent = progress->percent()) out = whole_percent(*percent / 100);
  if (progress->total_steps() > 0) {
    out += fmt::format("{}{}/{}", out.empty() ? "" : " ", progress->current_step(), progress->total_steps());
  }
  return out;
}

std::string parked_text(const view::Job& job, TimeUs now) {
  if (job.parked_until_us() > now)
    return "parked until " + local_time(job.parked_until_us(), TimePart::minute);
  return fmt::format("the usage limit is over: luzia resume {}", text(job.id()));
}

/// "1 warning, 2 errors", without what there is none of.
std::string nonzero_counts(std::initializer_list<std::pair<std::uint64_t, std::string_view>> counts) {
  std::string words;
  for (const auto& [count, noun] : counts) {
    if (count > 0) words += (words.empty() ? "" : ", ") + counted(count, noun);
  }
  return words;
}

/// The most important detail of a job now: why it ended, its last output, or what it waits for.
std::string detail_text(const view::Job& job, TimeUs now, const QueueEntries& queue) {
  if (is_terminal(job.state())) return end_detail_text(job);
  if (const auto* entry = entry_of(queue, job)) return std::string(text(entry->blocked_why()));
  if (job.state() == schema::JobState::queued && job.after() && job.after()->size() > 0) {
    return "after " + joined_names(job.after(), " ");
  }
  if (job.not_before_us() != 0) return "not before " + local_time(job.not_before_us(), TimePart::minute);
  if (job.parked_until_us() != 0) return parked_text(job, now);
  if (const std::string open =
          nonzero_counts({{job.questions_open(), "open question"}, {job.approvals_open(), "open approval"}});
      !open.empty()) {
    return open;
  }
  if (const std::string found = findings_text(job); !found.empty() && job.last_warning()) {
    return fmt::format("{}: {}", found, text(job.last_warning()));
  }
  return std::string(text(job.last_line()));
}

ExportValue wait_seconds(const view::QueueEntry& entry, TimeUs) {
  const auto wait = entry.estimated_wait_ms();
  return wait ? seconds_value(*wait * kMillisecondUs) : plain_value(std::optional<double>());
}

constexpr ExportField<view::QueueEntry> kWhatQueueIs[] = {
    {{"position", kInteger, "Place in the queue, from 1.", "#"}, as_is<&view::QueueEntry::position>},
    {{"job", kText, "Job that waits to start."}, as_is<&view::QueueEntry::job>},
    {{"project", kText, "Project of the job."}, as_is<&view::QueueEntry::project>},
    {{"agent", kText, "Agent of the job."}, as_is<&view::QueueEntry::agent>},
    {{"priority", kInteger, "0 to 9, 9 first."}, as_is<&view::QueueEntry::priority>},
    {{"queued_at", kText, "RFC 3339, UTC."}, as_time<&view::QueueEntry::queued_us>},
    {{"held", kInteger, "1: it waits for luzia release."}, as_is<&view::QueueEntry::held>},
    {{"after", kText, "Jobs that it depends on, with commas between."}, as_is<&view::QueueEntry::after>},
    {{"blocked_by", kText, "What keeps it from starting, in one word."},
     as_is<&view::QueueEntry::blocked_by>},
    {{"blocked_why", kText, "The same as a sentence.", "WHY"}, as_is<&view::QueueEntry::blocked_why>},
    {{"queue_position", kInteger, "Startable jobs ahead, plus 1; nothing if not known."},
     as_some<&view::QueueEntry::place>},
    {{"queue_ahead", kText, "The first of them, with commas between."},
     as_is<&view::QueueEntry::first_ahead>},
    {{"estimated_wait_seconds", kReal, "Until it starts, by similar jobs; nothing if there are none.",
      "STARTS IN"},
     wait_seconds},
};

constexpr ExportField<view::Activity> kWhatActivityIs[] = {
    {{"position", kInteger, "Place of its event in the log."}, as_is<&view::Activity::position>},
    {{"time", kText, "RFC 3339, UTC."}, as_time<&view::Activity::time_us>},
    {{"time_us", kInteger, "Microseconds since 1970 UTC."}, as_is<&view::Activity::time_us>},
    {{"job", kText, "Job that it is about."}, as_is<&view::Activity::job>},
    {{"project", kText, "Project of the job."}, as_is<&view::Activity::project>},
    {{"type", kText, "Name of the event."}, as_key<&view::Activity::type>},
    {{"severity", kText, "info, warning, error or critical."},
     as_named<&view::Activity::severity, severity_name>},
    {{"text", kText, "What happened, for people."}, as_key<&view::Activity::text>},
};

constexpr ExportField<schema::Event> kWhatEventIs[] = {
    {{"position", kInteger, "Place in the log."}, as_is<&schema::Event::position>},
    {{"time", kText, "RFC 3339, UTC."}, as_time<&schema::Event::time_us>},
    {{"stream", kText, "job/ID, flow/ID, system, ..."}, as_is<&schema::Event::stream>},
    {{"version", kInteger, "Place in the stream, from 1."}, as_is<&schema::Event::version>},
    {{"type", kText, "Name of the event."},
     [](const schema::Event& event, TimeUs) { return plain_value(event_type(event)); }},
    {{"actor", kText, "Who did it."},
     [](const schema::Event& event, TimeUs) { return plain_value(actor_text(event)); }},
    {{"cause", kInteger, "Position of the event that caused it."}, as_some<&schema::Event::cause>},
    {{"text", kText, "What happened, for people."},
     [](const schema::Event& event, TimeUs) { return plain_value(event_text(event)); }},
};

/// "~12m"; empty if it is not known, or if it should have started by now.
std::string starts_in(const view::QueueEntry& entry) {
  const auto wait = entry.estimated_wait_ms();
  return !wait || *wait < 1'000 ? "" : "~" + format_duration(static_cast<TimeUs>(*wait) * kMillisecondUs);
}

}  // namespace

Colour severity_colour(schema::Severity severity) {
  if (severity >= schema::Severity::error) return Colour::red;
  return severity == schema::Severity::warning ? Colour::yellow : Colour::none;
}

Colour state_colour(schema::JobState state) {
  using schema::JobState;
  switch (state) {
    case JobState::none:
    case JobState::queued:
      return Colour::none;
    case JobState::starting:
    case JobState::running:
      return Colour::cyan;
    case JobState::waiting:
    case JobState::parked:
    case JobState::killed:
    case JobState::skipped:
    case JobState::cancelled:
      return Colour::yellow;
    case JobState::completed:
      return Colour::green;
    case JobState::failed:
    case JobState::timed_out:
    case JobState::lost:
      return Colour::red;
  }
  return Colour::none;
}

std::string state_text(const view::Job& job) {
  if (shown_proof(job)) return std::string(proof_name(job));
  std::string words(state_name(job.state()));
  if (job.held()) words += " held";
  if (job.paused()) words += " paused";
  if (job.stopping() && !is_terminal(job.state())) words += " stopping";
  return words;
}

TimeUs queue_wait(const view::Job& job, TimeUs now) {
  if (job.tracked()) return 0;
  const TimeUs left = job.first_started_us() != 0 ? job.first_started_us()
                      : is_terminal(job.state())  ? job.ended_us()
                                                  : now;
  return std::max<TimeUs>(0, left - job.queued_us());
}

TimeUs human_wait(const view::Job& job, TimeUs now) {
  const TimeUs since = job.waiting_since_us();
  return job.human_wait_us() + (since == 0 ? 0 : std::max<TimeUs>(0, now - since));
}

std::string findings_text(const view::Job& job) {
  return nonzero_counts(
      {{job.warnings(), "warning"}, {job.errors(), "error"}, {job.issues(), "known issue"}});
}

std::string_view cause_or_last_line(const view::Job& job) {
  return job.failure() ? text(job.failure()->summary()) : text(job.last_line());
}

std::string failure_summary(const view::Job& job) {
  if (!ended_badly(job)) return {};
  if (job.failure()) return std::string(text(job.failure()->summary()));
  const std::string why = end_text(job), last = short_line(text(job.last_line()));
  if (last.empty() || why.find(last) != std::string::npos) return short_line(why);
  return short_line(fmt::format("{}; the last line of output: {}", why, last));
}

std::string end_detail_text(const view::Job& job) {
  if (job.state() == schema::JobState::completed) return {};
  using enum schema::EndReason;
  // That it failed says the state, and a cause says more than an exit code.
  if (job.failure() && (job.reason() == exit_code || job.reason() == verify_failed))
    return std::string(text(job.failure()->summary()));
  const bool of_check = job.reason() == verify_failed || job.reason() == preflight_failed;
  std::string why = end_text(job);  // of a failed check it ends with what the check printed last
  std::string_view last = of_check && !job.failure() ? std::string_view() : cause_or_last_line(job);
  // Blanks and control characters alone say nothing.
  const auto begin =
      std::ranges::find_if(last, [](char each) { return static_cast<unsigned char>(each) > ' '; });
  last.remove_prefix(static_cast<std::size_t>(begin - last.begin()));
  if (of_check && why.find(last) != std::string::npos) return why;
  return last.empty() ? why : fmt::format("{}: {}", why, last);
}

std::vector<std::string> queued_among(const std::vector<const view::Job*>& jobs) {
  std::vector<std::string> ids;
  for (const view::Job* job : jobs) {
    if (job->state() == schema::JobState::queued) ids.emplace_back(text(job->id()));
  }
  return ids;
}

QueueEntries by_job(const std::vector<const view::QueueEntry*>& entries) {
  QueueEntries queue;
  for (const view::QueueEntry* entry : entries) queue.emplace(text(entry->job()), entry);
  return queue;
}

const view::QueueEntry* entry_of(const QueueEntries& queue, const view::Job& job) {
  const auto it = job.state() == schema::JobState::queued ? queue.find(text(job.id())) : queue.end();
  return it == queue.end() || text(it->second->blocked_why()).empty() ? nullptr : it->second;
}

Table jobs_table(const std::vector<const view::Job*>& jobs, TimeUs now, Form form,
                 const QueueEntries& queue) {
  if (form == Form::data) return jobs_data(jobs, now);
  Table table({{"JOB"},
               {"STATE"},
               {.title = "PROJECT", .min_width = 5, .shrinks = true},
               {.title = "AGENT", .drops = 1},
               {.title = "TIME", .align = Align::right, .drops = 4},
               {.title = "DONE", .align = Align::right, .drops = 2},
               {.title = "TASK", .min_width = 10, .shrinks = true},
               {.title = "DETAIL", .min_width = 18, .shrinks = true, .drops = 3, .keeps_end = true}});
  for (const view::Job* job : jobs) {
    const bool alarming = !is_terminal(job->state()) && !findings_text(*job).empty();
    table.add({{std::string(text(job->id())), Colour::bold},
               {state_text(*job), state_colour(job->state())},
               {std::string(text(job->project()))},
               {std::string(text(job->agent()))},
               {job->started_us() == 0 ? "" : format_duration(elapsed(*job, now))},
               {progress_text(*job)},
               {shown_task(*job)},
               {detail_text(*job, now, queue), alarming ? Colour::yellow : Colour::dim}});
  }
  return table;
}

Table queue_table(const std::vector<const view::QueueEntry*>& entries, TimeUs now, Form form) {
  if (form == Form::data) return data_table(kWhatQueueIs, entries);
  Table table({{"#", Align::right, 1},
               {"JOB"},
               {.title = "PROJECT", .min_width = 5, .shrinks = true},
               {.title = "AGENT", .drops = 2},
               {.title = "PRIORITY", .align = Align::right, .drops = 1},
               {.title = "WAITS", .align = Align::right, .drops = 3},
               {.title = "STARTS IN", .align = Align::right, .drops = 5},
               {.title = "WHY", .min_width = 24, .shrinks = true, .drops = 4, .keeps_end = true}});
  for (const view::QueueEntry* entry : entries) {
    table.add({number_cell(entry->position()),
               {std::string(text(entry->job())), Colour::bold},
               {std::string(text(entry->project()))},
               {std::string(text(entry->agent()))},
               number_cell(static_cast<unsigned>(entry->priority())),
               {format_duration(std::max<TimeUs>(0, now - entry->queued_us()))},
               {starts_in(*entry)},
               {std::string(text(entry->blocked_why())), Colour::dim}});
  }
  return table;
}

std::string activity_json(const view::Activity& activity) {
  return fields_json(kWhatActivityIs, activity);
}

Table activity_table(const std::vector<const view::Activity*>& rows, Form form) {
  if (form == Form::data) return data_table(kWhatActivityIs, rows);
  Table table({{.title = "TIME", .drops = 2},
               {"JOB"},
               {.title = "PROJECT", .min_width = 5, .shrinks = true, .drops = 1},
               {.title = "WHAT", .min_width = 12, .shrinks = true}});
  for (const view::Activity* row : rows) {
    table.add({{local_time(row->time_us()), Colour::dim},
               {std::string(text(row->job())), Colour::bold},
               {std::string(text(row->project()))},
               {std::string(text(row->text())), severity_colour(row->severity())}});
  }
  return table;
}

Table hooks_table(const std::vector<const view::HookCursor*>& rows, Position end) {
  Table table({{"HOOK"},
               {"POSITION", Align::right},
               {"LAG", Align::right},
               {"DELIVERED", Align::right},
               {"GIVEN UP", Align::right},
               {"LEFT OUT", Align::right},
               {"LAST"},
               {.title = "LAST FAILURE", .min_width = 10, .shrinks = true}});
  for (const view::HookCursor* row : rows) {
    table.add({{std::string(text(row->hook())), Colour::bold},
               number_cell(row->position()),
               number_cell(end - std::min(end, row->position())),
               number_cell(row->delivered()),
               number_cell(row->given_up()),
               number_cell(row->suppressed()),
               {second_time(row->last_us())},
               {std::string(text(row->last_failure())), Colour::red}});
  }
  return table;
}

Table durations_table(const std::vector<const view::Durations*>& rows) {
  Table table({{"MEASURE"},
               {.title = "PROJECT", .min_width = 5, .shrinks = true},
               {.title = "AGENT", .min_width = 5, .shrinks = true},
               {.title = "COUNT", .align = Align::right, .drops = 6},
               {.title = "MEAN", .align = Align::right, .drops = 4},
               {.title = "MIN", .align = Align::right, .drops = 1},
               {.title = "P50", .align = Align::right},
               {.title = "P90", .align = Align::right, .drops = 2},
               {.title = "P95", .align = Align::right},
               {.title = "P99", .align = Align::right, .drops = 3},
               {.title = "MAX", .align = Align::right, .drops = 5}});
  const auto shown = [](auto ms) { return Cell{format_milliseconds(static_cast<double>(ms))}; };
  for (const view::Durations* row : rows) {
    const auto count = static_cast<double>(std::max<std::uint64_t>(1, row->count()));
    table.add({{std::string(text(row->measure()))},
               {std::string(text(row->project())), Colour::bold},
               {std::string(text(row->agent()))},
               number_cell(row->count()),
               shown(static_cast<double>(row->sum_ms()) / count),
               shown(row->min_ms()),
               shown(duration_quantile(*row, 0.50)),
               shown(duration_quantile(*row, 0.90)),
               shown(duration_quantile(*row, 0.95)),
               shown(duration_quantile(*row, 0.99)),
               shown(row->max_ms())});
  }
  return table;
}

Table events_table(const std::vector<const schema::Event*>& events, Form form) {
  if (form == Form::data) return data_table(kWhatEventIs, events);
  Table table({{"POSITION", Align::right},
               {.title = "TIME", .drops = 3},
               {.title = "STREAM", .min_width = 12, .shrinks = true, .drops = 2},
               {.title = "TYPE", .drops = 1},
               {.title = "WHAT", .min_width = 12, .shrinks = true}});
  for (const schema::Event* event : events) {
    table.add({number_cell(event->position()),
               {local_time(event->time_us()), Colour::dim},
               {std::string(text(event->stream()))},
               {std::string(event_type(*event)), Colour::bold},
               {event_text(*event)}});
  }
  return table;
}

}  // namespace luzia
