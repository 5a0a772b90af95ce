#include "projections/rows/attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "engine/base/counted.h"
#include "engine/base/local_time.h"
#include "engine/event/job_state.h"
#include "projections/rows/alert_rows.h"
#include "projections/rows/harmless.h"
#include "projections/rows/json.h"
#include "projections/rows/json_writer.h"
#include "projections/rows/names.h"
#include "projections/rows/pauses.h"
#include "projections/rows/row_tables.h"

namespace luzia {
namespace {

enum Place : std::size_t { kNeedsInput, kWorking, kQueued, kParked, kEnded };

/// A parked job whose limit is reset and that did not go on by itself waits for a person.
Place place_of(schema::JobState state, bool reset = false) {
  using schema::JobState;
  switch (state) {
    case JobState::waiting:
      return kNeedsInput;
    case JobState::starting:
    case JobState::running:
      return kWorking;
    case JobState::none:
    case JobState::queued:
      return kQueued;
    case JobState::parked:
      return reset ? kNeedsInput : kParked;
    case JobState::completed:
    case JobState::failed:
    case JobState::killed:
    case JobState::timed_out:
    case JobState::lost:
    case JobState::skipped:
    case JobState::cancelled:
      break;
  }
  return kEnded;
}

/// A cell of a Markdown table: nothing in it may end the cell or the line.
std::string markdown_cell(std::string_view text) {
  std::string cell;
  for (const char c : make_harmless(text, {.keep_tabs = false, .unicode = false})) {
    if (c == '|' || c == '\\' || c == '<' || c == '`') cell += '\\';
    cell += c;
  }
  return fit_width(cell, 80, false);
}

std::string markdown_row(const view::Job& job, TimeUs now, const QueueEntries& queue) {
  const TimeUs end = job.ended_us() != 0 ? job.ended_us() : now;
  const std::string elapsed = job.started_us() == 0 ? "" : format_duration(end - job.started_us());
  const auto* entry = entry_of(queue, job);
  const std::string_view last = entry == nullptr ? text(job.last_line()) : text(entry->blocked_why());
  return fmt::format("| {} | {} | {} | {} | {} | {} |\n", job.id()->string_view(),
                     markdown_cell(text(job.project())), markdown_cell(text(job.agent())),
                     state_name(job.state()), elapsed, markdown_cell(last));
}

std::string titled(std::string_view title, std::string_view count, Colour colour, const Table& table,
                   const TableStyle& style) {
  return coloured(fmt::format("{} ({})", title, count), colour, style.colour) + '\n' + table.text(style);
}

/// A line for people, fitted; nothing of no words.
std::string dim_line(const std::string& words, const TableStyle& style) {
  if (words.empty()) return words;
  const std::size_t width = style.width == 0 ? words.size() : style.width;
  return coloured(fit_width(words, width, style.unicode), Colour::dim, style.colour) + '\n';
}

}  // namespace

std::size_t waiting_flows(const StatusNotes& notes) {
  std::set<std::string_view> flows;
  for (const view::Approval* approval : notes.approvals) {
    if (text(approval->job()).empty()) flows.insert(asker_of(*approval));
  }
  for (const ManualStep& step : notes.manual_steps) flows.insert(step.flow);
  return flows.size();
}

namespace {

/// Jobs of the group, those whose requests are known by what they ask.
std::string needs_input_text(const AttentionGroup& group, const StatusNotes& notes, TimeUs now,
                             const TableStyle& style) {
  std::set<std::string_view> asking;
  for (const view::Question* question : notes.questions) asking.insert(text(question->job()));
  for (const view::Approval* approval : notes.approvals) asking.insert(asker_of(*approval));
  std::vector<const view::Job*> others;
  for (const view::Job* job : group.jobs) {
    if (!asking.contains(text(job->id()))) others.push_back(job);
  }
  std::string out = coloured(fmt::format("{} ({})\n", group.title, group.jobs.size() + waiting_flows(notes)),
                             group.colour, style.colour);
  const Table inputs = open_inputs_table(notes.questions, notes.approvals, notes.manual_steps, now);
  if (!inputs.empty()) out += inputs.text(style);
  if (!others.empty()) out += jobs_table(others, now).text(style);
  return out;
}

std::string pauses_text(const Pauses& pauses, TimeUs now, const TableStyle& style) {
  std::string out;
  for (const view::QueueSwitch* pause : pauses) {
    const std::string words =
        make_harmless(pause_text(*pause, now), {.keep_tabs = false, .unicode = style.unicode});
    const std::size_t width = style.width == 0 ? words.size() : style.width;
    out += coloured(fit_width(words, width, style.unicode), Colour::yellow, style.colour) + "\n";
  }
  return out;
}

/// The rows of a table without its header.
std::string rows_text(const Table& table, const TableStyle& style) {
  const std::string all = table.text(style);
  return table.empty() ? std::string() : all.substr(all.find('\n') + 1);
}

std::string titled_alerts(const ShownAlerts& alerts, const TableStyle& style) {
  return alerts.empty()
             ? std::string()
             : titled("Alerts", std::to_string(alerts.size()), Colour::red, alerts_table(alerts), style);
}

}  // namespace

std::vector<AttentionGroup> group_by_attention(const std::vector<const view::Job*>& jobs, TimeUs now) {
  std::vector<AttentionGroup> groups = {{"needs_input", "Needs input", Colour::yellow, {}},
                                        {"working", "Working", Colour::green, {}},
                                        {"queued", "Queued", Colour::blue, {}},
                                        {"parked", "Parked", Colour::cyan, {}},
                                        {"ended", "Ended", Colour::dim, {}}};
  for (const view::Job* job : jobs) {
    const bool reset = job->parked_until_us() != 0 && job->parked_until_us() <= now;
    const bool asks = !is_terminal(job->state()) && job->questions_open() + job->approvals_open() > 0;
    groups[asks ? kNeedsInput : place_of(job->state(), reset)].jobs.push_back(job);
  }
  for (AttentionGroup& group : groups) group.total = group.jobs.size();
  return groups;
}

bool names_some(const std::vector<AttentionGroup>& groups, std::size_t most_ended) {
  return groups[kQueued].jobs.size() >= kQueuedInStatus || groups[kEnded].jobs.size() >= most_ended;
}

void count_all(std::vector<AttentionGroup>& groups, const std::vector<const view::ProjectTotals*>& totals,
               bool ended) {
  std::uint64_t queued = 0, over = 0;
  for (const view::ProjectTotals* project : totals) {
    queued += project->queued();
    over += project->completed() + project->failed() + project->killed() + project->timed_out() +
            project->lost() + project->skipped() + project->cancelled();
  }
  groups[kQueued].total = std::max(groups[kQueued].total, queued);
  if (ended) groups[kEnded].total = std::max(groups[kEnded].total, over);
}

std::string group_count(const AttentionGroup& group) {
  std::string named = grouped(group.jobs.size());
  if (group.total <= group.jobs.size()) return named;
  // The queue is named in its order; of what has ended, the last.
  return fmt::format("{}{} of {}", group.key == "ended" ? "" : "the first ", named, grouped(group.total));
}

std::string others_hint(const AttentionGroup& group) {
  if (group.key != "queued" || group.total <= group.jobs.size()) return {};
  return "all: luzia jobs --state queued; in their order: luzia-query queue";
}

std::string status_json(const std::vector<AttentionGroup>& groups, const StatusNotes& notes, TimeUs now,
                        Position position) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.key("time");
  json.text(format_rfc3339(now));
  json.key("time_us");
  json.number(now);
  json.key("position");
  json.number(position);
  json.key("paused");
  json.raw(pauses_json(notes.pauses));
  json.key("counts");
  json.begin_object();
  for (const AttentionGroup& group : groups) {
    json.key(group.key);
    json.number(group.total);
  }
  json.end_object();
  json.key("alerts");
  json.begin_array();
  for (const view::Alert* alert : notes.alerts) json.raw(alert_json(*alert));
  json.end_array();
  json.key("questions");
  json.begin_array();
  for (const view::Question* question : notes.questions) json.raw(question_json(*question));
  json.end_array();
  json.key("approvals");
  json.begin_array();
  for (const view::Approval* approval : notes.approvals) json.raw(approval_json(*approval));
  json.end_array();
  json.key("manual_steps");
  json.begin_array();
  for (const ManualStep& step : notes.manual_steps) json.raw(manual_step_json(step));
  json.end_array();
  for (const AttentionGroup& group : groups) {
    json.key(group.key);
    json.begin_array();
    for (const view::Job* job : group.jobs)
      json.raw(job_json(*job, now, nullptr, entry_of(notes.queue, *job)));
    json.end_array();
  }
  json.end_object();
  return out;
}

std::string status_text(const std::vector<AttentionGroup>& groups, const StatusNotes& notes, TimeUs now,
                        const TableStyle& style) {
  std::string out = pauses_text(notes.pauses, now, style);
  if (!out.empty() && !notes.alerts.empty()) out += '\n';
  out += titled_alerts(notes.alerts, style);
  for (const AttentionGroup& group : groups) {
    const bool gates = &group == &groups[kNeedsInput] && waiting_flows(notes) > 0;
    if (group.jobs.empty() && !gates) continue;
    if (!out.empty()) out += '\n';
    out += &group == &groups[kNeedsInput]
               ? needs_input_text(group, notes, now, style)
               : titled(group.title, group_count(group), group.colour,
                        jobs_table(group.jobs, now, Form::people, notes.queue), style);
    out += dim_line(others_hint(group), style);
  }
  return out;
}

std::string status_text_compact(const std::vector<AttentionGroup>& groups, const StatusNotes& notes,
                                TimeUs now, const TableStyle& style) {
  std::string out = pauses_text(notes.pauses, now, style) + rows_text(alerts_table(notes.alerts), style);
  // Jobs that ask have a line of their own.
  ShownApprovals gates = notes.approvals;
  std::erase_if(gates, [](const view::Approval* approval) { return !text(approval->job()).empty(); });
  out += rows_text(open_inputs_table({}, gates, notes.manual_steps, now), style);
  std::vector<const view::Job*> jobs;
  for (const AttentionGroup& group : groups) {
    jobs.insert(jobs.end(), group.jobs.begin(), group.jobs.end());
  }
  out += rows_text(jobs_table(jobs, now, Form::people, notes.queue), style);
  for (const Place place : {kQueued, kEnded}) {
    const std::uint64_t left_out = groups[place].total - groups[place].jobs.size();
    if (left_out == 0) continue;
    const std::string hint = others_hint(groups[place]);
    out += dim_line(fmt::format("and {} more {}{}{}", grouped(left_out), groups[place].key,
                                hint.empty() ? "" : "; ", hint),
                    style);
  }
  return out;
}

std::string alerts_text(const std::vector<const view::Job*>& jobs, const ShownAlerts& alerts,
                        const TableStyle& style) {
  std::string out = titled_alerts(alerts, style);
  if (jobs.empty()) return out;
  if (!out.empty()) out += '\n';
  return out + titled("Warnings and errors", std::to_string(jobs.size()), Colour::yellow,
                      warnings_table(jobs), style);
}

namespace {

/// What people are asked, an item each, in the order of the table: who has waited longest comes first.
std::string markdown_inputs(const StatusNotes& notes, TimeUs now) {
  std::vector<std::pair<TimeUs, std::string>> items;  // by when it was asked
  for (const view::Question* question : notes.questions) {
    const std::string options = options_text(*question);
    items.emplace_back(
        question->asked_us(),
        fmt::format("- {}: {}{} ({})\n", text(question->job()), markdown_cell(text(question->question())),
                    options.empty() ? "" : ": " + markdown_cell(options), time_left_text(*question, now)));
  }
  for (const view::Approval* approval : notes.approvals) {
    items.emplace_back(
        approval->asked_us(),
        fmt::format("- {}: approve {}: {} ({})\n", asker_of(*approval), markdown_cell(text(approval->gate())),
                    markdown_cell(text(approval->description())), time_left_text(*approval, now)));
  }
  for (const ManualStep& step : notes.manual_steps) {
    items.emplace_back(step.since_us,
                       fmt::format("- {}: {}\n", step.flow, markdown_cell(manual_step_text(step))));
  }
  std::ranges::stable_sort(items, {}, [](const auto& item) { return item.first; });
  std::string out;
  for (const auto& [asked_us, item] : items) out += item;
  return out.empty() ? out : "\n" + out;
}

}  // namespace

std::string status_markdown(const std::vector<AttentionGroup>& groups, const StatusNotes& notes, TimeUs now) {
  std::string out = fmt::format("# Luzia status\n\n{}\n", format_local(now));
  for (const view::QueueSwitch* pause : notes.pauses) {
    out += fmt::format("\n**{}**\n", markdown_cell(pause_text(*pause, now)));
  }
  if (!notes.alerts.empty()) {
    out += fmt::format("\n## Alerts ({})\n\n", notes.alerts.size());
    out += "| alert | severity | since | message |\n|---|---|---|---|\n";
  }
  for (const view::Alert* alert : notes.alerts) {
    out += fmt::format("| {} | {} | {} | {} |\n", markdown_cell(text(alert->alert())),
                       severity_name(alert->severity()), format_local(alert->since_us()),
                       markdown_cell(text(alert->message())));
  }
  for (const AttentionGroup& group : groups) {
    const std::size_t flows = &group == &groups[kNeedsInput] ? waiting_flows(notes) : 0;
    if (group.jobs.size() + flows == 0) continue;
    out += fmt::format("\n## {} ({})\n\n", group.title,
                       flows == 0 ? group_count(group) : std::to_string(group.jobs.size() + flows));
    out += "| id | project | agent | state | elapsed | last line |\n|---|---|---|---|---:|---|\n";
    for (const view::Job* job : group.jobs) out += markdown_row(*job, now, notes.queue);
    if (const std::string hint = others_hint(group); !hint.empty()) out += "\n" + hint + "\n";
    if (&group == &groups[kNeedsInput]) out += markdown_inputs(notes, now);
  }
  return out;
}

}  // namespace luzia
