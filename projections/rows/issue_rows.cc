#include "projections/rows/issue_rows.h"

#include <fmt/format.h>

#include "projections/rows/harmless.h"
#include "projections/rows/json_object.h"
#include "projections/rows/names.h"
#include "projections/rows/times.h"
#include "projections/rows/wrapped.h"

namespace luzia {
namespace {

std::string string_of(const flatbuffers::String* value) {
  return std::string(text(value));
}

std::string times_text(std::uint64_t count) {
  return count == 1 ? "once" : fmt::format("{} times", count);
}

std::string history_text(const view::Issue& issue) {
  if (issue.seen_before() == 0) return "this is the first time in this project";
  const std::string fixed =
      issue.fixed_before() == 0 ? "never fixed" : "fixed " + times_text(issue.fixed_before());
  return fmt::format("seen {} in this project, {}", times_text(issue.seen_before()), fixed);
}

/// What fixed the last issue of this pattern.
std::string fix_text(const view::Issue& issue) {
  const std::string job = make_harmless(text(issue.fixed_by_job()));
  const std::string_view command = text(issue.fixed_by());
  if (command.empty()) return "it was gone in a later attempt of job " + job;
  return make_harmless(command) + " (job " + job + ")";
}

std::string issue_paragraph(const view::Issue& issue, const TableStyle& style) {
  const auto safe = [](const flatbuffers::String* value) { return make_harmless(text(value)); };
  const std::string head = fmt::format("{} {}", severity_name(issue.severity()), safe(issue.pattern()));
  std::string out = coloured(head, severity_colour(issue.severity()), style.colour);
  const bool of_job = !text(issue.job()).empty();  // else of a text that somebody looked through
  std::string often = issue.count() > 1 ? fmt::format("{} times", issue.count()) : "";
  if (issue.similar() > 0) {
    often += fmt::format("{}{} more like it", often.empty() ? "" : ", ", issue.similar());
  }
  if (of_job) {
    out += fmt::format("  {}{}{}\n", issue_state_name(issue.state()), often.empty() ? "" : ", ", often);
  } else {
    out += (often.empty() ? "" : "  " + often) + "\n";
  }
  const auto add = [&](std::string_view label, const std::string& words) {
    out += fmt::format("  {}{}\n", label, wrap_hanging(words, style.width, 2 + label.size()));
  };
  if (!text(issue.description()).empty()) add("", safe(issue.description()));
  const std::string place =
      of_job ? fmt::format("job {} ({}), ", safe(issue.job()), safe(issue.project())) : std::string();
  add("where:  ", fmt::format("{}line {}: {}", place, issue.first_line(), safe(issue.line())));
  if (!text(issue.fix()).empty()) add("fix:    ", safe(issue.fix()));
  // A command is copied, so it stays in one piece.
  if (!text(issue.fix_command()).empty()) out += "  run:    " + safe(issue.fix_command()) + "\n";
  if (of_job) add("before: ", history_text(issue));
  if (!text(issue.fixed_by_job()).empty()) add("helped: ", fix_text(issue));
  return out;
}

}  // namespace

std::string_view issue_state_name(view::IssueState state) {
  return view::EnumNameIssueState(state);
}

std::string issue_json(const view::Issue& issue) {
  JsonObject json;
  json.text_or_null("pattern", text(issue.pattern()));
  json.text_or_null("severity", severity_name(issue.severity()));
  json.text_or_null("project", text(issue.project()));
  json.text_or_null("job", text(issue.job()));
  json.text_or_null("fingerprint", text(issue.fingerprint()));
  json.number("count", issue.count());
  json.time("first_seen", "first_seen_us", issue.first_us());
  json.time("last_seen", "last_seen_us", issue.last_us());
  json.number("first_line", issue.first_line());
  json.number("first_offset", issue.first_offset());
  json.text_or_null("line", text(issue.line()));
  json.begin("captures");
  if (issue.captures()) {
    for (const auto* capture : *issue.captures()) json.text(text(capture->key()), capture->value());
  }
  json.end();
  json.text_or_null("fix", text(issue.fix()));
  json.text_or_null("fix_command", text(issue.fix_command()));
  json.boolean("auto_fixable", issue.auto_fixable());
  const bool decided = issue.state() == view::IssueState::fixed || issue.state() == view::IssueState::unfixed;
  json.text_or_null("fix_outcome", decided ? issue_state_name(issue.state()) : std::string_view{});
  json.text_or_null("fix_job", text(issue.fix_job()));
  json.text_or_null("state", issue_state_name(issue.state()));
  json.text_or_null("description", text(issue.description()));
  json.number("attempt", issue.attempt());
  json.number("seen_before", issue.seen_before());
  json.number("fixed_before", issue.fixed_before());
  json.text_or_null("fixed_by", text(issue.fixed_by()));
  json.text_or_null("fixed_by_job", text(issue.fixed_by_job()));
  json.boolean("folded", issue.folded());
  json.number("similar", issue.similar());
  json.number("position", issue.position());
  return json.take();
}

Table issues_table(const std::vector<const view::Issue*>& issues, Form form) {
  if (form == Form::data) return issues_data(issues);
  Table table({{.title = "PATTERN", .min_width = 12, .shrinks = true},
               {"SEVERITY"},
               {"STATE"},
               {.title = "PROJECT", .min_width = 7, .shrinks = true},
               {"JOB"},
               {"COUNT", Align::right},
               {.title = "LAST SEEN", .drops = 1},
               {.title = "LINE", .min_width = 20, .shrinks = true}});
  for (const view::Issue* issue : issues) {
    table.add({{string_of(issue->pattern()), Colour::bold},
               {std::string(severity_name(issue->severity())), severity_colour(issue->severity())},
               {std::string(issue_state_name(issue->state()))},
               {string_of(issue->project())},
               {string_of(issue->job())},
               {fmt::to_string(issue->count())},
               {second_time(issue->last_us())},
               {string_of(issue->line()), Colour::dim}});
  }
  return table;
}

std::string issues_text(const std::vector<const view::Issue*>& issues, const TableStyle& style) {
  std::string out;
  for (const view::Issue* issue : issues) {
    if (!out.empty()) out += "\n";
    out += issue_paragraph(*issue, style);
  }
  return out;
}

}  // namespace luzia
