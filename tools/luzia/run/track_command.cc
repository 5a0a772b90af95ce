// track, untrack: put an existing process or log file under watch, and stop watching it.
#include <filesystem>

#include "engine/base/try.h"
#include "engine/base/whole_number.h"
#include "tools/cli/surroundings.h"
#include "tools/luzia/asking.h"
#include "tools/luzia/change/each_job.h"
#include "tools/luzia/families.h"
#include "tools/luzia/run/folder_project.h"

namespace luzia {
namespace {

constexpr Option kTrackOptions[] = {
    {"--log", ValueKind::text, "FILE", "read this log file as the job's output", "", Completes::file},
    {"--from-start", ValueKind::flag, "", "read the whole log, not only what is added to it from now on"},
    {"--project", ValueKind::text, "NAME", "whose job it is (default: the current folder's project)", "",
     Completes::project},
    {"--title", ValueKind::text, "TEXT", "what it does (default: its command line, or the log's path)"},
    kCommandIdOption};
constexpr Option kUntrackOptions[] = {{"--note", ValueKind::text, "TEXT", "why; kept with the event"},
                                      kCommandIdOption};

Result<wire::TrackJobT> track_request(const Arguments& args) {
  wire::TrackJobT request;
  if (!args.positionals().empty()) {
    const std::string& word = args.positionals().front();
    request.pid = parse_whole_number<std::uint32_t>(word).value_or(0);
    if (request.pid == 0) {
      return fail(ErrorKind::usage, "bad_value", "tracking: '" + word + "' is not a process id",
                  "pgrep -f NAME prints the id of a process; --log FILE names a log file");
    }
  }
  request.log = absolute_path(args.text("log"));
  request.from_start = args.has("from-start");
  request.project = args.text("project");
  request.title = args.text("title");
  if (request.pid == 0 && request.log.empty()) {
    return fail(ErrorKind::usage, "bad_usage", "tracking: neither a process nor a log file is named",
                "luzia track PID, or luzia track --log FILE");
  }
  if (request.from_start && request.log.empty()) {
    return fail(ErrorKind::usage, "bad_usage", "--from-start is about a log file", "add --log FILE");
  }
  request.command_id = command_id_of(args);
  return request;
}

/// The project of the current folder, as for luzia run; a process or log does not make the folder one.
Result<std::string> project_here(Invocation& invocation) {
  const auto config = LUZIA_TRY(invocation.config());
  std::error_code error;
  const std::string folder = std::filesystem::current_path(error).string();
  const auto project = error ? std::nullopt : project_of_folder(*config, folder);
  if (project) return project->name;
  return fail(ErrorKind::usage, "bad_usage",
              "tracking: no project is named, and the current folder belongs to none",
              "add --project NAME; luzia projects lists them");
}

Result<int> run_track(Invocation& invocation) {
  auto request = LUZIA_TRY(track_request(invocation.args()));
  if (request.project.empty()) {
    request.project = LUZIA_TRY(project_here(invocation));
  }
  auto client = LUZIA_TRY(invocation.connect());
  const auto accepted = LUZIA_TRY(send_command(invocation, client, request_of(std::move(request))));
  if (accepted.ids.empty()) return fail(ErrorKind::trouble, "unexpected_reply", "the daemon named no job");
  const std::string& id = accepted.ids.front();
  print_line(invocation.json() ? accepted_json(accepted) : id);
  invocation.say("watching it; what next:\n  luzia watch " + id + "\n  luzia why " + id +
                 "\n  luzia untrack " + id);
  return 0;
}

Result<int> run_untrack(Invocation& invocation) {
  wire::ActOnJobsT request;
  request.action = wire::JobAction::untrack;
  request.jobs = invocation.args().positionals();
  request.note = invocation.args().text("note");
  request.command_id = command_id_of(invocation.args());
  auto client = LUZIA_TRY(invocation.connect());
  const auto each = LUZIA_TRY(act_on_each(request, [&](const wire::ActOnJobsT& one) {
    return send_command(invocation, client, request_of(wire::ActOnJobsT(one)));
  }));
  return print_each(invocation, each, "no longer watched:");
}

}  // namespace

const Command kTrackCommand = {
    "track",
    "Run",
    "[PID] [--log FILE] [--project NAME] [--title TEXT]",
    "put an existing process or log file under watch",
    "The process, the log or both become a job, whose id is printed: status, jobs, job, watch, logs, why and "
    "issues show it like any other. Luzia did not start it and never stops it. When the process is gone, the "
    "job is lost: its exit status is known to its parent alone. luzia publish task_completed JOB, or "
    "task_failed, says more. A job of a log alone ends by that, or by luzia untrack. The log is read from "
    "its "
    "present end, through rotation and truncation; known issues, workflow commands and progress marks are "
    "found in it. You may track your own processes, and logs that you may read.",
    "luzia track 4711 --project web --title 'nightly import'\n"
    "luzia track --log /var/log/app.log --project web\n"
    "luzia track 4711 --log build.log --from-start --project web",
    kTrackOptions,
    {0, 1},
    run_track};

const Command kUntrackCommand = {"untrack",
                                 "Run",
                                 "JOB... [--note TEXT]",
                                 "stop watching tracked processes and logs",
                                 "The jobs end as cancelled. Their processes and logs are not touched. luzia "
                                 "cancel does the same to such a "
                                 "job.",
                                 "luzia untrack @last\n"
                                 "luzia untrack 0kx8 --note 'moved to the new server'",
                                 kUntrackOptions,
                                 {1, -1, Completes::job},
                                 run_untrack,
                                 kNeedsStore};

}  // namespace luzia
