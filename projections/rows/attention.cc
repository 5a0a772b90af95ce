#include "projections/rows/attention.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <set>
#include <utility>

#include "engine/base/counted.h"
#include "engine/base/local_time.h"
#include "engine/event/job_state.h"
#include "projections/rows/alert_rows.h"
#include "projections/rows/harmless.h"
#include "projections/rows/json.h"
#include "projections/rows/json_object.h"
#include "projections/rows/machines.h"
#include "projections/rows/names.h"
#include "projections/rows/pauses.h"
#include "projections/rows/wrapped.h"

namespace luzia {
namespace {

enum Place : std::size_t { kNeedsInput, kWorking, kQueued, kParked, kEnded };
constexpr std::size_t kFailed = kNeedsInput + 1;  // of shown_groups()

/// A parked job whose limit was reset but that did not resume waits for a person.
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

/// A cell of a Markdown table: escapes whatever could end the cell or the line.
std::string markdown_cell(std::string_view text) {
  std::string cell;
  for (const char c : make_harmless(text, {.keep_tabs = false, .unicode = false})) {
    if (c == '|' || c == '\\' || c == '<' || c == '`') cell += '\\';
    cell += c;
  }
  return fit_width(cell, 80, false);
}

/// "| web1 " of several machines, else nothing.
std::string markdown_machine(const RowMachine* machine, TimeUs now) {
  return machine == nullptr ? std::string() : "| " + markdown_cell(machine_text(*machine, now)) + " ";
}

std::string markdown_row(const view::Job& job, TimeUs now, const StatusNotes& notes) {
  const TimeUs end = job.ended_us() != 0 ? job.ended_us() : now;
  const std::string elapsed = job.started_us() == 0 ? "" : format_duration(end - job.started_us());
  const auto* entry = entry_of(notes.queue, job);
  const std::string_view last = entry == nullptr ? cause_or_last_line(job) : text(entry->blocked_why());
  const RowMachine* machine = notes.machines == nullptr ? nullptr : notes.machines->find(text(job.id()));
  return fmt::format("{}| {} | {} | {} | {} | {} | {} |\n", markdown_machine(machine, now), text(job.id()),
                     markdown_cell(text(job.project())), markdown_cell(text(job.agent())),
                     state_name(job.state()), elapsed, markdown_cell(last));
}

std::string titled(std::string_view title, std::string_view count, Colour colour, const Table& table,
                   const TableStyle& style) {
  return coloured(fmt::format("{} ({})", title, count), colour, style.colour) + '\n' + table.text(style);
}

/// A dim line for people, fitted to the width; nothing if `words` is empty.
std::string dim_line(const std::string& words, const TableStyle& style) {
  if (words.empty()) return words;
  const std::size_t width = style.width == 0 ? words.size() : style.width;
  return coloured(fit_both_ends(words, width, style.unicode), Colour::dim, style.colour) + '\n';
}

/// The group's jobs; those with known requests by what they ask.
std::string needs_input_text(const AttentionGroup& group, const StatusNotes& notes, TimeUs now,
                             const TableStyle& style) {
  std::set<std::string_view> asking;
  for (const view::Question* question : notes.questions) asking.insert(text(question->job()));
  for (const view::Approval* approval : notes.approvals) asking.insert(asker_of(*approval));
  std::vector<const view::Job*> others;
  for (const view::Job* job : group.jobs) {
    if (!asking.contains(text(job->id()))) others.push_back(job);
  }
  std::string out = coloured(fmt::format("{} ({})\n", group.title, needing_input(group, notes)), group.colour,
                             style.colour);
  const Table inputs = open_inputs_table(notes.questions, notes.approvals, notes.manual_steps, now);
  if (!inputs.empty()) out += inputs.text(style);
  if (!others.empty()) out += jobs_table(others, now).text(style);
  return out;
}

std::string pauses_text(const Pauses& pauses, TimeUs now, const TableStyle& style) {
  std::string out;
  for (const view::QueueSwitch* pause : pauses) {
    const RowMachine* machine = style.machines == nullptr ? nullptr : style.machines->find_row(pause);
    const std::string where = machine == nullptr ? "" : machine_text(*machine, now) + ": ";
    const std::string words =
        make_harmless(where + pause_text(*pause, now), {.keep_tabs = false, .unicode = style.unicode});
    const std::size_t width = style.width == 0 ? words.size() : style.width;
    out += coloured(fit_both_ends(words, width, style.unicode), Colour::yellow, style.colour) + "\n";
  }
  return out;
}

/// The rows of a table without its header.
std::string rows_text(const Table& table, const TableStyle& style) {
  const std::string all = table.text(style);
  return table.empty() ? std::string() : all.substr(all.find('\n') + 1);
}

/// With the machine of each if there are several.
Table shown_alerts(const ShownAlerts& alerts, const TableStyle& style) {
  const Table table = alerts_table(alerts);
  if (style.machines == nullptr) return table;
  std::vector<const RowMachine*> of_rows;
  for (const view::Alert* alert : alerts) of_rows.push_back(style.machines->find_row(alert));
  return table.with_machines(1, of_rows, style.machines->now);
}

/// Whether no line of the table has to be cut for the terminal.
bool fits_whole(const Table& table, TableStyle style) {
  const std::size_t width = std::exchange(style.width, 0);
  style.colour = false;
  const std::string whole = table.text(style);
  std::size_t widest = 0;
  for (std::size_t at = 0, end = 0; (end = whole.find('\n', at)) != std::string::npos; at = end + 1)
    widest = std::max(widest, display_width(std::string_view(whole).substr(at, end - at)));
  return width == 0 || widest <= width;
}

/// Where there is no room for a row: what it is, then what to do.
std::string alert_paragraph(const view::Alert& alert, const TableStyle& style) {
  constexpr std::size_t kMostLines = 4;
  const bool is_over = alert.ended_us() != 0;
  const auto part = [&style](const std::string& words, std::size_t indent, Colour colour) {
    const std::string harmless = make_harmless(words, {.keep_tabs = false, .unicode = style.unicode});
    std::string lines;
    for (const std::string& line :
         wrap_text(harmless, std::max(style.width, indent + 1) - indent, kMostLines).lines) {
      lines += std::string(indent, ' ') + coloured(line, colour, style.colour) + '\n';
    }
    return lines;
  };
  const RowMachine* machine = style.machines == nullptr ? nullptr : style.machines->find_row(&alert);
  const std::string where = machine == nullptr ? "" : machine_text(*machine, style.machines->now) + ": ";
  const std::string what =
      fmt::format("{}{}: {}{}", where, text(alert.alert()), text(alert.message()), is_over ? " (over)" : "");
  std::string all = part(what, 2, is_over ? Colour::dim : severity_colour(alert.severity()));
  if (!is_over) all += part(std::string(text(alert.recommendation())), 4, Colour::dim);
  return all;
}

std::string titled_alerts(const ShownAlerts& alerts, const TableStyle& style) {
  if (alerts.empty()) return {};
  const Table table = shown_alerts(alerts, style);
  const std::string count = std::to_string(alerts.size());
  if (fits_whole(table, style)) return titled("Alerts", count, Colour::red, table, style);
  std::string out = coloured(fmt::format("Alerts ({})", count), Colour::red, style.colour) + '\n';
  for (const view::Alert* alert : alerts) out += alert_paragraph(*alert, style);
  return out;
}

using CountOfState = std::pair<schema::JobState, std::uint64_t>;

std::array<CountOfState, 7> counts_of_ends(const view::OutcomeDay& ends) {
  using enum schema::JobState;
  return {{{completed, ends.completed()},
           {failed, ends.failed()},
           {timed_out, ends.timed_out()},
           {lost, ends.lost()},
           {killed, ends.killed()},
           {cancelled, ends.cancelled()},
           {skipped, ends.skipped()}}};
}

/// One group with its title and, where not all its jobs are shown, where the others are.
std::string group_text(const AttentionGroup& group, const StatusNotes& notes, TimeUs now,
                       const TableStyle& style) {
  if (group.key == "needs_input") return needs_input_text(group, notes, now, style);
  const bool is_queue = group.key == "queued", shares_reason = is_queue && !group.reason.empty();
  std::string title = fmt::format("{} ({})", group.title, group_count(group));
  if (!group.reason.empty())
    title += (is_queue ? ": " : "; ") + make_harmless(group.reason, {.unicode = style.unicode});
  if (style.width != 0) title = fit_width(title, style.width, style.unicode);
  const Table table = jobs_table(group.jobs, now, Form::people, shares_reason ? QueueEntries() : notes.queue);
  return coloured(title, group.colour, style.colour) + '\n' + table.text(style) +
         dim_line(others_hint(group), style);
}

std::size_t count_lines(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

/// Takes rows from the least urgent groups until everything fits, but not the first of each.
void shrink_to(std::size_t height, std::vector<AttentionGroup>& groups,
               const std::function<std::size_t()>& lines) {
  constexpr std::size_t kFewest = 3;
  // A group that is cut gets a line that says so, which may be one too many: once more.
  for (const std::size_t fewest : {kFewest, kFewest, std::size_t{1}, std::size_t{1}}) {
    for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
      const std::size_t drawn = lines();
      if (drawn <= height) return;
      if (group->key == "needs_input" || group->jobs.size() <= fewest) continue;
      group->jobs.resize(std::max(fewest, group->jobs.size() - std::min(drawn - height, group->jobs.size())));
    }
  }
}

/// What people are asked, one item each, longest waiting first as in the table.
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
    items.emplace_back(approval->asked_us(),
                       fmt::format("- {}: approve {} ({})\n", asker_of(*approval),
                                   markdown_cell(subject_of(*approval)), time_left_text(*approval, now)));
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

std::size_t needing_input(const AttentionGroup& needs_input, const StatusNotes& notes) {
  std::set<std::string_view> jobs;
  for (const view::Job* job : needs_input.jobs) jobs.insert(text(job->id()));
  for (const view::Question* question : notes.questions) jobs.insert(text(question->job()));
  for (const view::Approval* approval : notes.approvals) {
    if (!text(approval->job()).empty()) jobs.insert(text(approval->job()));
  }
  return jobs.size() + waiting_flows(notes);
}

std::size_t waiting_flows(const StatusNotes& notes) {
  std::set<std::string_view> flows;
  for (const view::Approval* approval : notes.approvals) {
    if (text(approval->job()).empty()) flows.insert(asker_of(*approval));
  }
  for (const ManualStep& step : notes.manual_steps) flows.insert(step.flow);
  return flows.size();
}

std::vector<AttentionGroup> group_by_attention(const std::vector<const view::Job*>& jobs, TimeUs now) {
  std::vector<AttentionGroup> groups = {{"needs_input", "Needs input", Colour::yellow, {}},
                                        {"working", "Working", Colour::green, {}},
                                        {"queued", "Queued", Colour::blue, {}},
                                        {"parked", "Parked", Colour::cyan, {}},
                                        {"ended", "Ended", Colour::dim, {}}};
  for (const view::Job* job : jobs) {
    const bool reset = job->parked_until_us() != 0 && job->parked_until_us() <= now;
    // A queued job that asks stays queued, so that this group is what luzia queue and the totals count.
    const bool asks = !is_terminal(job->state()) && job->state() != schema::JobState::queued &&
                      job->questions_open() + job->approvals_open() > 0;
    groups[asks ? kNeedsInput : place_of(job->state(), reset)].jobs.push_back(job);
  }
  for (AttentionGroup& group : groups) group.total = group.jobs.size();
  return groups;
}

bool ended_badly(const view::Job& job) {
  using enum schema::JobState;
  const bool wanted = job.reason() == schema::EndReason::cancelled || job.state() == cancelled ||
                      job.state() == completed || job.state() == skipped;
  return is_terminal(job.state()) && !wanted;
}

std::uint64_t bad_ends(const view::OutcomeDay& ends) {
  std::uint64_t cancelled = 0;  // of the killed ones
  for (flatbuffers::uoffset_t i = 0; ends.reasons() != nullptr && i < ends.reasons()->size(); ++i) {
    const auto* of_reason = ends.reasons()->Get(i);
    if (of_reason->reason() == schema::EndReason::cancelled) cancelled += of_reason->count();
  }
  return ends.failed() + ends.timed_out() + ends.lost() + ends.killed() - std::min(ends.killed(), cancelled);
}

std::string recent_ends_text(const view::OutcomeDay& ends, bool is_cut) {
  std::string words;
  for (const auto& [state, count] : counts_of_ends(ends)) {
    if (count > 0)
      words += fmt::format("{}{} {}", words.empty() ? "" : ", ", grouped(count), state_name(state));
  }
  return words.empty() ? words : fmt::format("{}: {}{}", kRecentWords, is_cut ? "at least " : "", words);
}

std::vector<AttentionGroup> shown_groups(std::vector<AttentionGroup> groups, const StatusNotes& notes) {
  AttentionGroup failed{"failed", "Failed", Colour::red, {}, 0};
  AttentionGroup& ended = groups[kEnded];
  const bool all_named = ended.total <= ended.jobs.size();
  std::ranges::copy_if(ended.jobs, std::back_inserter(failed.jobs),
                       [](const view::Job* job) { return ended_badly(*job); });
  std::erase_if(ended.jobs, [](const view::Job* job) { return ended_badly(*job); });
  failed.total = std::max<std::uint64_t>(failed.jobs.size(), notes.recent ? bad_ends(*notes.recent) : 0);
  if (all_named) ended.total = ended.jobs.size();
  groups.insert(groups.begin() + kFailed, std::move(failed));
  return groups;
}

std::string_view common_reason(const AttentionGroup& group, const QueueEntries& queue) {
  std::string_view reason;
  for (const view::Job* job : group.jobs) {
    const auto* entry = entry_of(queue, *job);
    const std::string_view its = entry == nullptr ? std::string_view() : text(entry->blocked_why());
    if (its.empty() || (!reason.empty() && its != reason)) return {};
    reason = its;
  }
  return group.jobs.size() > 1 ? reason : std::string_view();
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
    over -= std::min(over, project->removed());
  }
  groups[kQueued].total = std::max(groups[kQueued].total, queued);
  if (ended) groups[kEnded].total = std::max(groups[kEnded].total, over);
}

std::string group_count(const AttentionGroup& group) {
  std::string named = grouped(group.jobs.size());
  if (group.total <= group.jobs.size()) return named;
  // The queue lists its first jobs, the groups of ended jobs their last ones.
  const bool newest_first = group.key == "ended" || group.key == "failed";
  return fmt::format("{}{} of {}", newest_first ? "" : "the first ", named, grouped(group.total));
}

std::string others_hint(const AttentionGroup& group) {
  if (group.total <= group.jobs.size()) return {};
  if (group.key == "queued") return "all: luzia jobs --state queued; in their order: luzia queue";
  if (group.key == "ended") return "";
  if (group.key == "failed") {
    return fmt::format("and {} more: luzia jobs --state failed,killed,timed_out,lost",
                       grouped(group.total - group.jobs.size()));
  }
  return group.key == "working" ? "all: luzia jobs" : "";
}

std::string status_json(const std::vector<AttentionGroup>& groups, const StatusNotes& notes, TimeUs now,
                        Position position) {
  JsonObject json;
  json.text("time", format_rfc3339(now));
  json.number("time_us", now);
  json.number("position", position);
  const RowMachines* const machines = notes.machines;
  const auto on_machine = [machines](std::string object, const void* row) {
    return with_machine(std::move(object), machines == nullptr ? nullptr : machines->find_row(row));
  };
  const auto of_job = [machines](std::string object, std::string_view id) {
    return with_machine(std::move(object), machines == nullptr ? nullptr : machines->find(id));
  };
  json.array("paused", notes.pauses,
             [&](const view::QueueSwitch* pause) { return on_machine(pause_json(*pause), pause); });
  json.begin("counts");
  for (const AttentionGroup& group : groups) json.number(group.key, group.total);
  json.end();
  if (notes.recent != nullptr) {
    json.begin("last_day");
    for (const auto& [state, count] : counts_of_ends(*notes.recent)) json.number(state_name(state), count);
    json.boolean("is_cut", notes.recent_is_cut);
    json.end();
  }
  json.array("alerts", notes.alerts,
             [&](const view::Alert* alert) { return on_machine(alert_json(*alert), alert); });
  json.array("questions", notes.questions,
             [&](const view::Question* asked) { return of_job(question_json(*asked), text(asked->job())); });
  json.array("approvals", notes.approvals,
             [&](const view::Approval* asked) { return of_job(approval_json(*asked), asker_of(*asked)); });
  json.array("manual_steps", notes.manual_steps,
             [&](const ManualStep& step) { return of_job(manual_step_json(step), step.flow); });
  for (const AttentionGroup& group : groups) {
    json.array(group.key, group.jobs, [&](const view::Job* job) {
      return of_job(job_json(*job, now, nullptr, entry_of(notes.queue, *job)), text(job->id()));
    });
  }
  return machines == nullptr ? json.take() : with_machines(json.take(), *machines);
}

std::string status_text(const std::vector<AttentionGroup>& groups, const StatusNotes& notes, TimeUs now,
                        const TableStyle& style, std::size_t height) {
  std::vector<AttentionGroup> shown = shown_groups(groups, notes);
  std::erase_if(shown, [&](const AttentionGroup& group) {
    return group.jobs.empty() && (group.key != "needs_input" || needing_input(group, notes) == 0);
  });
  for (AttentionGroup& group : shown) group.reason = common_reason(group, notes.queue);
  const std::string recent = notes.recent ? recent_ends_text(*notes.recent, notes.recent_is_cut) : "";
  const auto counted_in = std::ranges::find_if(shown.rbegin(), shown.rend(), [](const AttentionGroup& group) {
    return group.key == "ended" || group.key == "failed";
  });
  if (counted_in != shown.rend()) counted_in->reason = recent;
  std::string head = pauses_text(notes.pauses, now, style);
  if (!head.empty() && !notes.alerts.empty()) head += '\n';
  head += titled_alerts(notes.alerts, style);
  const auto text_of = [&](const TableStyle& drawn) {
    std::vector<std::string> parts;
    for (const AttentionGroup& group : shown) parts.push_back(group_text(group, notes, now, drawn));
    if (!head.empty()) parts.insert(parts.begin(), head);
    if (height != 0) std::ranges::reverse(parts);
    return fmt::format("{}", fmt::join(parts, "\n"));
  };
  TableStyle tried = style;  // rows are numbered once, when all of them are known
  tried.jobs = nullptr;
  if (height != 0) shrink_to(height, shown, [&] { return count_lines(text_of(tried)); });
  return text_of(style);
}

std::string status_text_compact(const std::vector<AttentionGroup>& groups, const StatusNotes& notes,
                                TimeUs now, const TableStyle& style) {
  std::string out =
      pauses_text(notes.pauses, now, style) + rows_text(shown_alerts(notes.alerts, style), style);
  // Jobs that ask have their own line.
  ShownApprovals gates = notes.approvals;
  std::erase_if(gates, [](const view::Approval* approval) { return !text(approval->job()).empty(); });
  out += rows_text(open_inputs_table({}, gates, notes.manual_steps, now), style);
  std::vector<const view::Job*> jobs;
  const std::vector<AttentionGroup> shown = shown_groups(groups, notes);
  for (const AttentionGroup& group : shown) {
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
  return out + dim_line(others_hint(shown[kFailed]), style);
}

std::string alerts_text(const std::vector<const view::Job*>& jobs, const ShownAlerts& alerts,
                        const TableStyle& style) {
  std::string out = titled_alerts(alerts, style);
  if (jobs.empty()) return out;
  if (!out.empty()) out += '\n';
  return out + titled("Warnings and errors", std::to_string(jobs.size()), Colour::yellow,
                      warnings_table(jobs), style);
}

std::string status_markdown(const std::vector<AttentionGroup>& groups, const StatusNotes& notes, TimeUs now) {
  std::string out = fmt::format("# Luzia status\n\n{}\n", format_local(now));
  const auto where = [&](const void* row) {
    const RowMachine* machine = notes.machines == nullptr ? nullptr : notes.machines->find_row(row);
    return machine == nullptr ? std::string() : machine_text(*machine, now) + ": ";
  };
  for (const view::QueueSwitch* pause : notes.pauses) {
    out += fmt::format("\n**{}**\n", markdown_cell(where(pause) + pause_text(*pause, now)));
  }
  if (!notes.alerts.empty()) {
    out += fmt::format("\n## Alerts ({})\n\n", notes.alerts.size());
    out += "| alert | severity | since | message |\n|---|---|---|---|\n";
  }
  for (const view::Alert* alert : notes.alerts) {
    out += fmt::format("| {} | {} | {} | {} |\n",
                       markdown_cell(where(alert) + std::string(text(alert->alert()))),
                       severity_name(alert->severity()), format_local(alert->since_us()),
                       markdown_cell(text(alert->message())));
  }
  if (const std::string recent = notes.recent ? recent_ends_text(*notes.recent, notes.recent_is_cut) : "";
      !recent.empty()) {
    out += "\nEnded " + recent + "\n";
  }
  for (const AttentionGroup& group : shown_groups(groups, notes)) {
    const bool needs_input = group.key == "needs_input";
    const std::size_t needing = needs_input ? needing_input(group, notes) : 0;
    if (group.jobs.size() + needing == 0) continue;
    out += fmt::format("\n## {} ({})\n\n", group.title,
                       needs_input ? std::to_string(needing) : group_count(group));
    const bool several = notes.machines != nullptr;
    out += fmt::format("{}| id | project | agent | state | elapsed | last line |\n",
                       several ? "| machine " : "");
    out += fmt::format("{}|---|---|---|---|---:|---|\n", several ? "|---" : "");
    for (const view::Job* job : group.jobs) out += markdown_row(*job, now, notes);
    if (const std::string hint = others_hint(group); !hint.empty()) out += "\n" + hint + "\n";
    if (needs_input) out += markdown_inputs(notes, now);
  }
  return out;
}

}  // namespace luzia
