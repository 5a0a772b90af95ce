// work on: starts an interactive agent in a session that outlives the terminal it was started from.
#include "engine/base/try.h"
#include "tools/luzia/asking.h"
#include "tools/luzia/families.h"
#include "tools/luzia/run/dispatch.h"
#include "tools/luzia/run/foreground.h"

namespace luzia {
namespace {

constexpr Option kWorkOptions[] = {
    {"-a,--agent", ValueKind::text, "NAME", "use this agent (default: the project's)", "", Completes::agent},
    {"-p,--priority", ValueKind::priority, "N", "0 to 9 (9 first), high (8), normal (5) or low (2)"},
    {"-t,--tag", ValueKind::list, "TAG", "mark the job, for filters"},
    {"-e,--env", ValueKind::texts, "K=V", "set a variable for the job; K alone passes on your own value"},
    {"--dir", ValueKind::text, "PATH", "working directory (default: the project's path)", "",
     Completes::directory},
    {"--user", ValueKind::text, "USER", "run as this account (the daemon must be root)"},
    {"--timeout", ValueKind::duration, "D", "end the session after this long: 8h"},
    {"-d,--detached", ValueKind::flag, "", "start it and print its id, without attaching"},
    {"--command-id", ValueKind::text, "ID",
     "repeating a command id with the same content has no further effect"},
};

Result<wire::DispatchT> work_from(const Arguments& args) {
  const auto& words = args.positionals();
  if (words.front() != "on") {
    return fail(ErrorKind::usage, "bad_usage", "work: unknown action '" + words.front() + "'",
                "luzia work on PROJECT [TASK]");
  }
  auto job = LUZIA_TRY(job_from_options(args));
  job.project = words[1];
  job.task = words.size() > 2 ? words[2] : std::string();
  job.command_id = args.has("command-id") ? args.text("command-id") : fresh_command_id();
  give_terminal(job, schema::Terminal::session);
  wire::DispatchT dispatch;
  dispatch.jobs.push_back(std::make_unique<wire::DispatchJobT>(std::move(job)));
  return dispatch;
}

Result<int> run_work(Invocation& invocation) {
  auto dispatch = LUZIA_TRY(work_from(invocation.args()));
  auto client = LUZIA_TRY(invocation.connect());
  const auto accepted = LUZIA_TRY(send_command(invocation, client, request_of(std::move(dispatch))));
  const std::string& id = accepted.ids.front();
  const Terminal& own = invocation.terminal();
  const bool attaches =
      own.in_is_terminal && own.out_is_terminal && !invocation.args().has("detached") && !invocation.json();
  if (attaches) return run_in_foreground(invocation, client, id, Seat::session);
  print_line(invocation.json() ? "{\"id\":\"" + id + "\"}" : id);
  invocation.say("  luzia attach " + id + "\n  luzia terminal capture " + id + "\n  luzia cancel " + id);
  return 0;
}

}  // namespace

const Command kWorkCommand = {
    "work",
    "Run",
    "on PROJECT [TASK] [options]",
    "start an agent in a terminal session that continues without you",
    "The agent runs interactively in its own tmux session, as a job like any other: everything it prints is "
    "in its output.log, its end and exit code are recorded, and the session ends with it. Ctrl-b d detaches "
    "and leaves it running; luzia attach returns to it. Without a terminal the command only prints the id. "
    "The command that starts an agent this way is [agents.NAME] interactive in luzia.toml.",
    "luzia work on web\n"
    "luzia work on web \"add dark mode\" --agent claude\n"
    "id=$(luzia work on web --detached -q) && luzia terminal wait $id --idle 2s",
    kWorkOptions,
    {2, 3, Completes::project},
    run_work};

}  // namespace luzia
