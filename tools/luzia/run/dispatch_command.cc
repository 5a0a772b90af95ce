// dispatch: sends one job or many to the daemon, and optionally waits until they have ended.
#include <algorithm>
#include <cstdio>

#include "adapters/socket/fleet_client.h"
#include "engine/base/ids.h"
#include "engine/base/try.h"
#include "projections/rows/harmless.h"
#include "projections/rows/json.h"
#include "tools/cli/display.h"
#include "tools/luzia/asking.h"
#include "tools/luzia/families.h"
#include "tools/luzia/look/standstill.h"
#include "tools/luzia/look/waiting.h"
#include "tools/luzia/run/dispatch.h"
#include "tools/luzia/run/dry_run.h"
#include "tools/luzia/run/find_program.h"
#include "tools/luzia/run/foreground.h"
#include "tools/luzia/run/machine_room.h"
#include "tools/luzia/text_file.h"

namespace luzia {
namespace {

constexpr Option kDispatchOptions[] = {
    {"-a,--agent", ValueKind::text, "NAME",
     "use this agent: shell, a coding agent (luzia doctor lists installed ones) or one of [agents]", "",
     Completes::agent},
    {"-p,--priority", ValueKind::priority, "N", "0 to 9 (9 first), high (8), normal (5) or low (2)"},
    {"--after", ValueKind::list, "JOB", "start only after these jobs have completed", "", Completes::job},
    {"--not-before", ValueKind::moment_to_come, "TIME", "do not start before: 2h, 22:30, tomorrow"},
    {"--timeout", ValueKind::duration, "D", "stop an attempt after this long: 90s, 10m, 2h30m"},
    {"--retries", ValueKind::number, "N",
     "retry this often after failures that the agent's exit_codes call retriable (if they name none: exit "
     "code 1)"},
    {"-t,--tag", ValueKind::list, "TAG", "mark the job, for filters"},
    {"-e,--env", ValueKind::texts, "K=V", "set a variable for the job; K alone passes on your own value"},
    {"--dir", ValueKind::text, "PATH", "working directory (default: the project's path)", "",
     Completes::directory},
    {"--worktree", ValueKind::flag, "",
     "run in a git worktree of its own, on a branch luzia/JOB from the last commit, without uncommitted "
     "changes"},
    {"--prompt", ValueKind::text, "TEMPLATE",
     "wrap the task in this template (luzia prompt list); none: the task alone"},
    {"--permissions", ValueKind::text, "P",
     "what the agent may do without asking: plan (read), ask, edits (the default) or bypass (everything)"},
    {"--sandbox", ValueKind::text, "KIND",
     "confine the agent: project (writes only its project and state), strict (sees nothing else), or off; "
     "weaker than configured only for root and the daemon's user"},
    {"--network", ValueKind::list, "HOST",
     "let a sandbox reach these hosts only (example.org, *.example.org, example.org:8443), all, or none; "
     "more "
     "than configured only for root and the daemon's user"},
    {"--gate", ValueKind::texts, "NAME",
     "ask a person at this gate of the job: a name, or a tool call such as 'Bash(git push*)'; the task may "
     "name gates too, in lines such as 'gate: deploy'"},
    {"--verify", ValueKind::texts, "COMMAND",
     "prove its work with this shell command after those of the project: the job completes only if all "
     "succeed, and its agent is told what failed"},
    {"--verify-clean", ValueKind::flag, "", "nothing may be left that is not committed either"},
    {"--verify-tries", ValueKind::number, "N", "how often the agent may correct its work (default 2)"},
    {"--no-verify", ValueKind::flag, "", "without the checks of the project"},
    {"--fallback", ValueKind::list, "AGENT", "go on with these while the agent cannot; none: with no other",
     "", Completes::agent},
    {"--callback-url", ValueKind::text, "URL",
     "post the job's end to this URL, below the url of a webhook with callbacks = true"},
    {"--user", ValueKind::text, "USER", "run as this account (the daemon must be root)"},
    {"--estimate", ValueKind::duration, "D", "expected duration, for progress and warnings"},
    {"--budget-time", ValueKind::duration, "D", "limit the time of all attempts together"},
    {"--budget-cost", ValueKind::real, "USD", "limit the cost, as reported by the agent"},
    {"--budget-tokens", ValueKind::number, "N", "limit the tokens, as reported by the agent"},
    {"--memory", ValueKind::bytes, "SIZE",
     "stop an attempt whose processes use more memory together: 512M, 4G (see [jobs] memory)"},
    {"--cpu", ValueKind::percent, "PERCENT", "let an attempt use so much of one core: 200% is two cores"},
    {"--processes", ValueKind::number, "N", "stop an attempt with more processes and threads"},
    {"--disk", ValueKind::bytes, "SIZE", "stop an attempt whose job directory takes more room"},
    {"--flow", ValueKind::text, "FLOW/STEP", "do this step of a flow"},
    {"-f,--file", ValueKind::text, "FILE", "read the task from this file", "", Completes::file},
    {"--batch", ValueKind::text, "FILE", "dispatch many jobs: one JSON object per line, - for standard input",
     "", Completes::file},
    {"-w,--wait", ValueKind::flag, "",
     "print the id at once, then wait for the job's end; exit code 1 if it did not complete"},
    {"--fg", ValueKind::flag, "",
     "stay in the foreground and exit with the job's own exit code. In a terminal the agent gets a terminal "
     "too and all keys; Ctrl-\\ d leaves it running (luzia attach returns to it). Elsewhere its output is "
     "shown as it arrives; it gets no standard input, and Ctrl-C asks whether to detach or cancel"},
    {"--exit-code", ValueKind::flag, "", "with --wait: exit with the job's own exit code"},
    {"-n,--dry-run", ValueKind::flag, "",
     "check everything and show what would run, with command, environment and limits; change nothing"},
    {"--command-id", ValueKind::text, "ID",
     "repeating a command id with the same content has no further effect"},
};

void say_follow_up(const Invocation& invocation, const std::string& id) {
  if (invocation.elsewhere().starts_with(kFleetScheme)) {
    return invocation.say("  luzia-fleet orders\n  luzia cancel " + id + invocation.place_options());
  }
  const std::string it = id + (invocation.is_elsewhere() ? invocation.place_options() : "");
  invocation.say("  luzia watch " + it + "\n  luzia logs -f " + it + "\n  luzia cancel " + it);
}

Result<int> print_dry_run(Invocation& invocation, const wire::AcceptedT& accepted) {
  if (invocation.json()) {
    print_line(dry_run_json(accepted.ids));
  } else {
    print(dry_run_text(accepted.ids, invocation.terminal().style()));
    invocation.say("nothing was queued; JOB stands for the id");
  }
  const auto problems = dry_run_problems(accepted.ids);
  if (problems.empty()) return 0;
  std::string all;
  for (const std::string& problem : problems) all += (all.empty() ? "" : "\n  ") + problem;
  return fail(ErrorKind::refused, "no_program", "this would not run: " + all,
              "install it, or set [agents.NAME] command; luzia doctor checks all agents");
}

int print_accepted(const Invocation& invocation, const wire::AcceptedT& accepted,
                   const std::string& project) {
  if (!invocation.json()) {
    for (const std::string& id : accepted.ids) print_line(id);
  } else if (invocation.args().has("batch")) {
    std::vector<std::string> objects;
    for (const std::string& id : accepted.ids) objects.push_back("{\"id\":\"" + id + "\"}");
    print_line(list_json("jobs", objects, accepted.position, ""));
  } else {
    print_line(accepted_json(accepted, invocation.machine()));
  }
  std::fflush(stdout);
  const char* already = accepted.repeated ? " (before, under the same command id)" : "";
  if (accepted.ids.size() == 1) {
    invocation.say("queued for " + project + already + "; what next:");
    if (invocation.args().has("worktree")) {
      invocation.say("  (in a worktree of its own, from the last commit, without uncommitted changes)");
    }
    say_follow_up(invocation, accepted.ids.front());
  } else {
    invocation.say("queued " + std::to_string(accepted.ids.size()) + " jobs" + already +
                   "; what next: luzia status, luzia watch --all");
  }
  return 0;
}

/// Prints the ids at once, so that a script has them even if it is stopped while it waits. How the jobs ended
/// is printed on stderr.
Result<int> wait_for_ids(Invocation& invocation, Client& client, const wire::AcceptedT& accepted, bool own) {
  if (!invocation.json()) {
    for (const std::string& id : accepted.ids) print_line(id);
    std::fflush(stdout);
  }
  invocation.say(accepted.ids.size() == 1
                     ? "queued, waiting"
                     : "queued " + std::to_string(accepted.ids.size()) + " jobs, waiting");
  return wait_and_report(invocation, client, accepted.ids, own);
}

Result<std::string> task_of(const Arguments& args, const std::vector<std::string>& words) {
  const bool from_file = args.has("file");
  if (from_file && words.size() > 1) {
    return fail(ErrorKind::usage, "bad_usage", "the task is given twice: as an argument and by --file");
  }
  if (!from_file && words.size() < 2) {
    return fail(ErrorKind::usage, "bad_usage", "dispatching to " + words.front() + ": no task given",
                "luzia " + words.front() + " \"TASK\", or - for standard input, or --file FILE");
  }
  if (from_file || words[1] == "-") return read_text(from_file ? args.text("file") : "-");
  return words[1];
}

Error with_command_in_mind(Error error, const std::string& project) {
  if (error.code == "unknown_project") {
    if (is_query_command(project)) {
      error.hint = "did you mean luzia-query " + project + "?";
    } else if (const std::string near = nearest_command(kLuzia, project); !near.empty()) {
      error.hint = "did you mean the command luzia " + near + "? " + error.hint;
    }
  }
  return error;
}

/// The daemon looks for programs on the PATH that it was started with, which may lack what this shell finds.
Error with_own_path_in_mind(Error error, Invocation& invocation, const std::string& agent) {
  const auto config = invocation.config();
  if (error.code != "no_program" || !config || !is_installed(**config, agent)) return error;
  error.hint = "this shell finds " + find_program((*config)->agents.at(agent).command.front()) +
               "; if the daemon was started with another PATH: luzia daemon restart, or name that path in "
               "[agents." +
               agent + "] command";
  return error;
}

/// Whether the job gets a terminal: --fg with standard input and output on a terminal.
bool sits_at_terminal(Invocation& invocation) {
  const Arguments& args = invocation.args();
  return args.has("fg") && !args.has("json") && !args.has("dry-run") && !invocation.is_elsewhere() &&
         invocation.terminal().in_is_terminal && invocation.terminal().out_is_terminal;
}

struct Accepted {
  wire::AcceptedT accepted;
  Seat seat = Seat::output;
};

/// Sends the request. If the agent has no command for a terminal, the job runs without one.
Result<Accepted> dispatch_with_seat(Invocation& invocation, Client& client, wire::DispatchT dispatch) {
  Seat seat = sits_at_terminal(invocation) ? Seat::terminal : Seat::output;
  if (seat == Seat::terminal) {
    const wire::DispatchT plain = dispatch;
    give_terminal(*dispatch.jobs.front(), schema::Terminal::pty);
    auto accepted = send_command(invocation, client, request_of(std::move(dispatch)));
    if (accepted || accepted.error().code != "no_interactive_command") {
      return accepted.map([](wire::AcceptedT& made) { return Accepted{std::move(made), Seat::terminal}; });
    }
    dispatch = plain;
    seat = Seat::output;
  }
  auto accepted = send_command(invocation, client, request_of(std::move(dispatch)));
  return accepted.map([&](wire::AcceptedT& made) { return Accepted{std::move(made), seat}; });
}

/// Scripts use the ids as arguments of commands; a machine that is not trusted may have chosen them.
Status need_job_ids(const wire::AcceptedT& accepted) {
  if (!accepted.ids.empty() &&
      std::ranges::all_of(accepted.ids, [](const auto& id) { return is_job_id(id); })) {
    return {};
  }
  return fail(ErrorKind::trouble, "machine_odd",
              "the daemon has answered with something else than ids of jobs",
              "luzia jobs may list them; luzia machine check says which luzia is there");
}

struct SentJobs {
  Client client;
  Accepted accepted;
};

/// Connects and sends. Where --on names several machines: to the best, or the next one that knows the
/// project. `made`: as in send_dispatch().
Result<SentJobs> send_where_it_fits(Invocation& invocation, wire::DispatchT dispatch, FolderProject& made) {
  const auto machines = LUZIA_TRY(machines_to_try(invocation));
  const bool only_tried = dispatch.dry_run;
  for (std::size_t at = 0;; ++at) {
    if (at < machines.size()) invocation.use_machine(machines[at]);
    auto client = LUZIA_TRY(invocation.connect());
    if (!made.file.empty()) {
      LUZIA_TRY(write_project(made));
    }
    const bool is_last = at + 1 >= machines.size();
    auto accepted = dispatch_with_seat(invocation, client, is_last ? std::move(dispatch) : dispatch);
    if (accepted && !only_tried && invocation.is_elsewhere()) {
      LUZIA_TRY(need_job_ids(accepted->accepted));
    }
    if (accepted) return SentJobs{std::move(client), std::move(*accepted)};
    if (accepted.error().code != "unknown_project" || is_last) {
      return tl::unexpected(accepted.error());
    }
    invocation.say("machine " + machines[at].name + " does not know the project: on machine " +
                   machines[at + 1].name);
  }
}

/// A daemon that may still accept the job (ErrorKind::trouble) needs the project.
void take_back_if_refused(const Invocation& invocation, const FolderProject& made, const Error& error) {
  if (made.file.empty() || error.kind == ErrorKind::trouble) return;
  const Status undone = take_back(made);
  if (!undone) invocation.say("project " + made.name + " stays configured: " + undone.error().message);
}

/// Whether the first word is an agent instead of a project: `luzia claude "TASK"`.
bool names_agent(Invocation& invocation, const std::vector<std::string>& words) {
  if (words.empty() || invocation.args().has("batch") || invocation.args().has("agent")) return false;
  const auto config = invocation.config();
  return config && !(*config)->projects.contains(words.front()) && (*config)->agents.contains(words.front());
}

/// Paths of this machine mean nothing on another one, and nobody can watch a job through a fleet's database.
Status need_what_works_there(const Invocation& invocation) {
  const Arguments& args = invocation.args();
  if (invocation.elsewhere().starts_with(kFleetScheme) && (args.has("wait") || args.has("fg"))) {
    return fail(ErrorKind::usage, "bad_usage",
                invocation.elsewhere() + " takes orders only: it does not show when a job ends",
                "leave --wait and --fg out; luzia.jobs in the fleet's database has its state");
  }
  const std::string folder = args.text("dir");
  if (folder.empty() || folder.front() == '/') return {};
  return fail(ErrorKind::usage, "bad_value",
              "--dir: '" + folder + "' is relative to a folder of this machine",
              "with --on, name it from / on");
}

Result<int> run_dispatch(Invocation& invocation) {
  const auto& words = invocation.args().positionals();
  const bool here = !invocation.is_elsewhere();
  if (!here) {
    LUZIA_TRY(need_what_works_there(invocation));
  }
  if (here && !words.empty() && words.front() == "." && !invocation.args().has("batch")) {
    return run_in_folder(invocation, {words.begin() + 1, words.end()}, invocation.args().text("agent"));
  }
  if (here && names_agent(invocation, words)) {
    return run_in_folder(invocation, {words.begin() + 1, words.end()}, words.front());
  }
  std::string batch_text;
  auto dispatch = LUZIA_TRY(dispatch_from(invocation.args(), words, batch_text));
  return send_dispatch(invocation, std::move(dispatch), batch_text);
}

}  // namespace

std::span<const Option> dispatch_options() {
  return kDispatchOptions;
}

Result<wire::DispatchT> dispatch_from(const Arguments& args, const std::vector<std::string>& words,
                                      std::string& batch_text) {
  wire::DispatchT dispatch;
  dispatch.dry_run = args.has("dry-run");
  auto job = LUZIA_TRY(job_from_options(args));
  std::vector<wire::DispatchJobT> jobs;
  if (args.has("batch")) {
    if (!words.empty() || args.has("file")) {
      const std::string extra = args.has("file") ? "--file" : "'" + words.front() + "'";
      return fail(ErrorKind::usage, "bad_usage",
                  "--batch takes project and task from its lines, so " + extra + " cannot be given too",
                  "luzia dispatch --batch FILE.jsonl");
    }
    if (args.has("fg")) {
      return fail(ErrorKind::usage, "bad_usage",
                  "--batch dispatches many tasks, but --fg runs one in the foreground: use one of them",
                  "luzia dispatch --batch FILE.jsonl");
    }
    const std::string file = args.text("batch");
    batch_text = LUZIA_TRY(read_text(file));
    jobs = LUZIA_TRY(jobs_from_batch(batch_text, file, job));
  } else {
    if (words.empty()) {
      return fail(ErrorKind::usage, "bad_usage", "dispatching: no project given", "luzia PROJECT \"TASK\"");
    }
    job.project = words.front();
    if (job.project.empty()) {
      return fail(ErrorKind::usage, "bad_usage", "dispatching: the project's name is empty",
                  "luzia PROJECT \"TASK\"; is a variable of your script not set?");
    }
    job.task = LUZIA_TRY(task_of(args, words));
    jobs.push_back(std::move(job));
  }
  jobs.front().command_id = args.has("command-id") ? args.text("command-id") : fresh_command_id();
  for (wire::DispatchJobT& each : jobs) {
    dispatch.jobs.push_back(std::make_unique<wire::DispatchJobT>(std::move(each)));
  }
  return dispatch;
}

Result<int> send_dispatch(Invocation& invocation, wire::DispatchT dispatch, const std::string& batch_text,
                          FolderProject made) {
  const Arguments& args = invocation.args();
  const std::string project = dispatch.jobs.front()->project, agent = dispatch.jobs.front()->agent;
  auto sent = send_where_it_fits(invocation, std::move(dispatch), made);
  if (!sent) {
    take_back_if_refused(invocation, made, sent.error());
    Error error = with_command_in_mind(sent.error(), project);
    error = with_own_path_in_mind(std::move(error), invocation, agent);
    if (args.has("batch")) error = with_batch_lines(std::move(error), batch_text, args.text("batch"));
    return tl::unexpected(std::move(error));
  }
  if (!made.file.empty()) {
    invocation.say(made.path + " is project " + made.name + " from now on (" + made.file + ")");
  }
  Client& client = sent->client;
  const wire::AcceptedT* accepted = &sent->accepted.accepted;
  if (args.has("dry-run")) return print_dry_run(invocation, *accepted);
  if (args.has("fg"))
    return run_in_foreground(invocation, client, accepted->ids.front(), sent->accepted.seat);
  if (args.has("wait")) return wait_for_ids(invocation, client, *accepted, args.has("exit-code"));
  const int code = print_accepted(invocation, *accepted, project);
  // A person wants to know; a script gets its id without another question to the daemon.
  Standstill standstill(Reasons::standstill);
  if (stderr_draws()) report_standstill(invocation, client, accepted->ids, standstill);
  return code;
}

const Command kDispatchCommand = {
    "dispatch",
    "Run",
    "PROJECT \"TASK\" [options]\nPROJECT - < TASK.md\nPROJECT --file TASK.md\n--batch FILE.jsonl",
    "dispatch a task to an agent and print the job's id",
    "The job runs in the background and outlives terminal and daemon. When it ends, processes that it "
    "leaves behind are killed, even after nohup and setsid: to keep a process running, use a container or a "
    "service manager. The id is printed on standard output as soon as the job is safe on disk. \"luzia "
    "PROJECT TASK\" is short for this, unless PROJECT is the name of a command. Either all jobs of a batch "
    "are accepted or none.",
    "luzia web \"fix the failing test\"\n"
    "luzia web --agent claude --priority high --timeout 30m \"add dark mode\"\n"
    "id=$(luzia -q ci 'make -j4') && luzia wait $id\n"
    "luzia ci 'make test' --after \"$id\" --fg\n"
    "echo '{\"project\":\"ci\",\"task\":\"make\",\"tags\":[\"night\"]}' | luzia dispatch --batch -",
    kDispatchOptions,
    {0, 2, Completes::project},
    run_dispatch};

}  // namespace luzia
