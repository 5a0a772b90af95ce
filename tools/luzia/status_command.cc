// status: what needs a person, what is at work, what waits, what has ended.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>

#include "projections/rows/harmless.h"
#include "projections/rows/json.h"
#include "projections/rows/json_writer.h"
#include "projections/rows/names.h"
#include "projections/rows/row_tables.h"
#include "tools/luzia/asking.h"
#include "tools/luzia/families.h"

namespace luzia {
namespace {

constexpr std::uint64_t kDefaultRecent = 5;

constexpr Option kOptions[] = {
    {"--alerts", ValueKind::flag, "", "only jobs with warnings or errors"},
    {"--recent", ValueKind::number, "N", "how many ended jobs (default 5)"},
    kProjectFilter,
    {"--export", ValueKind::choice, "FORMAT", "write a report: json or markdown", "json|markdown"},
    {"-o,--out", ValueKind::text, "FILE", "with --export: where to (- for standard output)", "",
     Completes::file},
};

using Jobs = std::vector<const view::Job*>;

struct Group {
  const char* key;
  const char* title;
  Jobs jobs;
};

std::size_t group_of(schema::JobState state) {
  using schema::JobState;
  switch (state) {
    case JobState::waiting:
      return 0;
    case JobState::starting:
    case JobState::running:
      return 1;
    case JobState::none:
    case JobState::queued:
      return 2;
    case JobState::parked:
      return 3;
    case JobState::completed:
    case JobState::failed:
    case JobState::killed:
    case JobState::timed_out:
    case JobState::lost:
      break;
  }
  return 4;
}

bool is_alert(const view::Job& job) {
  const bool bad_end = is_terminal_state(job.state()) && job.state() != schema::JobState::completed;
  return bad_end || job.warnings() > 0 || job.errors() > 0 || job.issues() > 0;
}

std::vector<Group> grouped(const Jobs& jobs, bool alerts) {
  std::vector<Group> groups = {{"needs_input", "Needs input", {}},
                               {"working", "Working", {}},
                               {"queued", "Queued", {}},
                               {"parked", "Parked", {}},
                               {"ended", "Ended", {}}};
  for (const view::Job* job : jobs) {
    if (!alerts || is_alert(*job)) {
      groups[group_of(job->state())].jobs.push_back(job);
    }
  }
  return groups;
}

std::string as_json(const std::vector<Group>& groups, TimeUs now, std::uint64_t position) {
  std::string object;
  JsonWriter json(object);
  json.begin_object();
  json.key("time");
  json.text(format_rfc3339(now));
  json.key("time_us");
  json.number(now);
  json.key("position");
  json.number(position);
  json.key("counts");
  json.begin_object();
  for (const Group& group : groups) {
    json.key(group.key);
    json.number(group.jobs.size());
  }
  json.end_object();
  for (const Group& group : groups) {
    json.key(group.key);
    json.begin_array();
    for (const view::Job* job : group.jobs) {
      json.raw(job_json(*job, now));
    }
    json.end_array();
  }
  json.end_object();
  return object;
}

/// A cell of a Markdown table: nothing in it may end the cell or the line.
std::string markdown_cell(const flatbuffers::String* text) {
  std::string cell;
  for (const char c :
       make_harmless(text == nullptr ? "" : text->string_view(), {.keep_tabs = false, .unicode = false})) {
    if (c == '|' || c == '\\' || c == '<' || c == '`') {
      cell += '\\';
    }
    cell += c;
  }
  return fit_width(cell, 80, false);
}

std::string as_markdown(const std::vector<Group>& groups, TimeUs now) {
  std::string text = "# Luzia status\n\n" + format_rfc3339(now) + "\n";
  for (const Group& group : groups) {
    if (group.jobs.empty()) {
      continue;
    }
    text += "\n## " + std::string(group.title) + " (" + std::to_string(group.jobs.size()) + ")\n\n";
    text += "| id | project | agent | state | elapsed | last line |\n|---|---|---|---|---:|---|\n";
    for (const view::Job* job : group.jobs) {
      const TimeUs end = job->ended_us() != 0 ? job->ended_us() : now;
      text += "| " + job->id()->str() + " | " + markdown_cell(job->project()) + " | " +
              markdown_cell(job->agent()) + " | " + std::string(state_name(job->state())) + " | " +
              (job->started_us() == 0 ? "" : format_duration(end - job->started_us())) + " | " +
              markdown_cell(job->last_line()) + " |\n";
    }
  }
  return text;
}

std::string default_export_name(TimeUs now, bool json) {
  const std::time_t seconds = static_cast<std::time_t>(now / kSecondUs);
  std::tm local{};
  ::localtime_r(&seconds, &local);
  char name[64];
  std::strftime(name, sizeof name, "luzia_status_%Y%m%d_%H%M%S", &local);
  return std::string(name) + (json ? ".json" : ".md");
}

Result<int> write_report(Invocation& invocation, const std::vector<Group>& groups, std::uint64_t position) {
  const bool json = invocation.args().text("export") == "json";
  const TimeUs now = invocation.now();
  const std::string report = json ? as_json(groups, now, position) + "\n" : as_markdown(groups, now);
  const std::string path =
      invocation.args().has("out") ? invocation.args().text("out") : default_export_name(now, json);
  if (path == "-") {
    print(report);
    return 0;
  }
  std::FILE* file = std::fopen(path.c_str(), "we");
  if (file == nullptr) {
    return fail_errno(errno, "unwritable", "writing the report " + path, "name another place with --out");
  }
  const bool written = std::fwrite(report.data(), 1, report.size(), file) == report.size();
  if (std::fclose(file) != 0 || !written) {
    return fail_errno(errno, "unwritable", "writing the report " + path);
  }
  print_line(path);
  return 0;
}

void print_groups(Invocation& invocation, const std::vector<Group>& groups) {
  const TableStyle style = invocation.terminal().style();
  constexpr Colour kColours[] = {Colour::yellow, Colour::green, Colour::blue, Colour::cyan, Colour::dim};
  bool any = false;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Group& group = groups[i];
    if (group.jobs.empty()) {
      continue;
    }
    print(any ? "\n" : "");
    any = true;
    print_line(coloured(std::string(group.title) + " (" + std::to_string(group.jobs.size()) + ")",
                        kColours[i], style.colour));
    print(jobs_table(group.jobs, invocation.now()).text(style));
  }
  if (!any) {
    invocation.say(invocation.args().has("alerts") ? "no warnings, no errors"
                                                   : "no jobs yet: luzia PROJECT \"TASK\"");
  }
}

Result<int> run(Invocation& invocation) {
  const Arguments& args = invocation.args();
  if (!args.positionals().empty()) {
    return kJobCommand.run(invocation);
  }
  if (args.has("out") && !args.has("export")) {
    return fail(ErrorKind::usage, "bad_usage", "--out says where an export goes, but there is no --export",
                "add --export json or --export markdown");
  }
  auto client = invocation.connect();
  if (!client) {
    return tl::unexpected(client.error());
  }
  wire::QueryT query;
  query.view = wire::View::status;
  query.filter = filter_of(args);
  const std::uint64_t recent = args.number("recent").value_or(kDefaultRecent);
  query.limit = static_cast<std::uint32_t>(std::min<std::uint64_t>(recent, 1'000));
  // 0 would ask for the default number of ended jobs.
  query.filter->ended = recent != 0;
  const auto page = ask_rows(*client, std::move(query));
  if (!page) {
    return tl::unexpected(page.error());
  }
  const auto groups = grouped(page->as<view::Job>(), args.has("alerts"));
  if (args.has("export")) {
    return write_report(invocation, groups, page->position());
  }
  if (invocation.json()) {
    print_line(as_json(groups, invocation.now(), page->position()));
  } else {
    print_groups(invocation, groups);
  }
  return 0;
}

}  // namespace

const Command kStatusCommand = {
    "status",
    "Look",
    "[JOB] [--alerts] [--recent N] [--project NAME] [--export FORMAT [--out FILE]]",
    "the overview: what needs you, works, waits, has ended",
    "With a JOB it is the same as luzia job. An export goes to "
    "luzia_status_DATE_TIME.json (or .md) unless --out names a file.",
    "luzia status\n"
    "luzia status --alerts --project web\n"
    "luzia status --export markdown --out -",
    kOptions,
    0,
    1,
    Completes::job,
    run};

}  // namespace luzia
