// schedule: recurring jobs of the configuration: lists, runs, pauses and resumes them.
#include "tools/luzia/families.h"
#include "tools/luzia/learn/recording.h"
#include "tools/read/commands.h"

namespace luzia {
namespace {

constexpr Option kScheduleOptions[] = {
    kProjectFilter,
    kScheduleFilter,
    {"-A,--all", ValueKind::flag, "", "list: also those that are no longer configured"},
    {"--note", ValueKind::text, "TEXT", "pause, resume: why"},
    kLimitOption,
    kCursorOption,
    kAtOption,
    kCsvOption,
    kCommandIdOption,
};

Result<int> list_schedules(Invocation& invocation, const Words& /*words*/) {
  return run_reading(invocation, show_schedules);
}

Result<int> send_schedule(Invocation& invocation, const Words& words, wire::ScheduleAction action,
                          const std::string& done, const std::string& known) {
  wire::ActOnScheduleT request;
  request.action = action;
  request.schedule = words[0];
  request.note = invocation.args().text("note");
  request.command_id = command_id_of(invocation.args());
  auto client = LUZIA_TRY(invocation.connect());
  const auto accepted = LUZIA_TRY(send_command(invocation, client, request_of(std::move(request))));
  print_recorded_ids(invocation, accepted);
  const bool waits = action == wire::ScheduleAction::run && accepted.ids.empty();
  invocation.say(words[0] + ": " +
                 (waits            ? "runs when its last job has ended"
                  : accepted.known ? known
                                   : done));
  return 0;
}

Result<int> run_now(Invocation& invocation, const Words& words) {
  return send_schedule(invocation, words, wire::ScheduleAction::run, "dispatched", "dispatched");
}

Result<int> pause_schedule(Invocation& invocation, const Words& words) {
  return send_schedule(invocation, words, wire::ScheduleAction::pause,
                       "paused; luzia schedule resume " + words[0], "paused already");
}

Result<int> resume_schedule(Invocation& invocation, const Words& words) {
  return send_schedule(invocation, words, wire::ScheduleAction::resume, "resumed", "not paused");
}

constexpr Verb kScheduleVerbs[] = {
    {"list", "[--all] [--project P] [--at TIME]", 0, 0, list_schedules,
     "all project schedule limit cursor at csv", kNeedsStore,
     "list schedules: when each is due, how it went"},
    {"run", "NAME", 1, 1, run_now, "command-id", false, "dispatch its job now"},
    {"pause", "NAME [--note TEXT]", 1, 1, pause_schedule, "note command-id", false, "skip its due times"},
    {"resume", "NAME [--note TEXT]", 1, 1, resume_schedule, "note command-id", false,
     "go on with the next due time"},
};

std::optional<std::string> schedule_help(const Program& program, std::string_view word) {
  return verb_help(program, kScheduleCommand, verbs_of(kScheduleVerbs), word);
}

}  // namespace

const Command kScheduleCommand = {
    "schedule",
    "Run",
    "list [--all] [--project P] [--at TIME]\n"
    "run NAME\n"
    "pause NAME [--note TEXT]\n"
    "resume NAME [--note TEXT]",
    "list, run and pause recurring jobs",
    "A [[schedules]] of luzia.toml names a project, a task, and when it is due: every = \"2h\", or cron = "
    "\"0 7 * * 1-5\". run prints the job's id, and works during a pause. Due times of a pause do not count. "
    "A schedule runs as its user, else as the project's, else as the daemon's; who may dispatch as that user "
    "may run and resume it.",
    "luzia schedule\n"
    "luzia schedule run morning\n"
    "luzia schedule pause morning --note 'until the release'\n"
    "luzia jobs --all --schedule morning",
    kScheduleOptions,
    {0, 2, Completes::schedule},
    run_verbs<kScheduleVerbs>,
    false,
    "schedules have none, their jobs do\nluzia jobs --schedule NAME takes these filters",
    "list|run|pause|resume",
    {},
    nullptr,
    {},
    schedule_help};

}  // namespace luzia
