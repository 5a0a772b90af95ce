// cancel, retry, pause, resume, edit: changing what jobs do. hold and release are earlier names of pause and
// resume for queued jobs.
#include <algorithm>

#include "engine/base/try.h"
#include "tools/luzia/change/cancelling.h"
#include "tools/luzia/change/dependents.h"
#include "tools/luzia/change/each_job.h"
#include "tools/luzia/change/meant_jobs.h"
#include "tools/luzia/families.h"
#include "tools/luzia/text_file.h"
#include "tools/read/options.h"
#include "tools/read/where_it_is.h"

namespace luzia {
namespace {

constexpr std::string_view kUnknownAgent = "agent";  // as luzia import names it

constexpr Option kNote{"--note", ValueKind::text, "TEXT", "why; kept with the event"};
constexpr Option kYes{"-y,--yes", ValueKind::flag, "", "really do it"};
constexpr Option kAll{"-A,--all", ValueKind::flag, "", "every job that is not finished; needs --yes"};

constexpr Option kCancelOptions[] = {
    {"--grace", ValueKind::duration, "D", "time between the polite signal and the forced one (0: at once)"},
    kAll,
    kProjectFilter,
    kAgentFilter,
    kTagFilter,
    kStateFilter,
    kSinceFilter,
    kYes,
    kNote,
    kCommandIdOption};
constexpr Option kRetryOptions[] = {
    {"--with-dependents", ValueKind::flag, "", "also retry the jobs that were skipped because of it"},
    {"--fresh", ValueKind::flag, "", "let the agent begin a new session instead of resuming its last one"},
    {"-m,--message", ValueKind::text, "TEXT", "what to tell the agent"},
    {"--message-file", ValueKind::text, "FILE", "the same from a file, or from standard input for -"},
    kProjectFilter,
    kAgentFilter,
    kTagFilter,
    kStateFilter,
    kSinceFilter,
    kYes,
    kNote,
    kCommandIdOption};
constexpr Option kSimpleOptions[] = {kNote, kCommandIdOption};
constexpr Option kPauseOptions[] = {
    {"-A,--all", ValueKind::flag, "", "the whole queue, but for what runs"},
    {"--project", ValueKind::text, "NAME", "the queue of one project", "", Completes::project},
    kNote,
    kCommandIdOption};
constexpr Option kResumeOptions[] = {
    {"-A,--all", ValueKind::flag, "", "the whole queue"},
    {"--project", ValueKind::text, "NAME", "the queue of one project", "", Completes::project},
    {"--agent", ValueKind::text, "NAME", "an agent's jobs, before its usage limit is over", "",
     Completes::agent},
    {"--budget", ValueKind::flag, "", "with --project or --all: over the budget of this day (UTC)"},
    kNote,
    kCommandIdOption};
constexpr Option kEditOptions[] = {{"-p,--priority", ValueKind::priority, "N", "0 to 9, high, normal or low"},
                                   {"--not-before", ValueKind::moment_to_come, "TIME",
                                    "start then at the earliest: 2h, 22:30; now: at once"},
                                   kCommandIdOption};

int print_action_done(const Invocation& invocation, wire::AcceptedT accepted, const char* done) {
  return print_each(invocation, {std::move(accepted), {}}, done);
}

/// A new job with the task of an imported one. The imported job never ran here, so there is no attempt to
/// continue: command, directory and priority are those of the project.
Result<wire::DispatchJobT> like_imported(const view::Job& job) {
  const std::string id(text(job.id())), project(text(job.project()));
  if (text(job.task()).empty()) {
    return fail(ErrorKind::refused, "no_task",
                "cannot retry job " + id + ": it was imported, and its task is not in the log any more",
                "dispatch it again: luzia " + project + " \"TASK\"");
  }
  wire::DispatchJobT request;
  request.project = project;
  request.task = text(job.task());
  if (text(job.agent()) != kUnknownAgent) request.agent = text(job.agent());
  request.parent_job = id;
  if (job.tags() != nullptr) {
    for (const auto* tag : *job.tags()) {
      const std::string_view word = tag->string_view();
      if (word != "imported" && !word.starts_with("was:")) request.tags.emplace_back(word);
    }
  }
  return request;
}

/// Dispatches its task as a new job, under the command id of the retry.
Result<wire::AcceptedT> retry_imported(Invocation& invocation, Client& client,
                                       const wire::ActOnJobsT& request) {
  const auto page = LUZIA_TRY(ask_job(invocation, client, request.jobs.front(), TaskText::whole));
  auto job = LUZIA_TRY(like_imported(*page.as<view::Job>().front()));
  job.command_id = request.command_id;
  const std::string imported = job.parent_job;
  wire::DispatchT dispatch;
  dispatch.jobs.push_back(std::make_unique<wire::DispatchJobT>(std::move(job)));
  auto accepted = send_command(invocation, client, request_of(std::move(dispatch)));
  if (!accepted) return accepted;
  if (!invocation.json()) {
    for (const std::string& id : accepted->ids) print_line(id);
  }
  invocation.say("job " + imported + " was imported and never ran here; its task becomes a new job");
  if (!request.note.empty()) invocation.say("the note was dropped: there is no attempt to keep it with");
  return accepted;
}

/// Sends it, or where the job is not here, to the machine that has it.
Result<wire::AcceptedT> send_where_it_is(Invocation& invocation, Client& client,
                                         const wire::ActOnJobsT& one) {
  auto accepted = send_command(invocation, client, request_of(wire::ActOnJobsT(one)));
  if (accepted || !may_be_elsewhere(accepted.error(), one.jobs.front())) return accepted;
  return act_where_it_is(invocation, one.jobs.front(), accepted.error(),
                         [&](Invocation& there) -> Result<wire::AcceptedT> {
                           auto far = LUZIA_TRY(there.connect());
                           return send_command(there, far, request_of(wire::ActOnJobsT(one)));
                         });
}

Result<int> send_job_action(Invocation& invocation, wire::ActOnJobsT request, const char* done) {
  request.note = invocation.args().text("note");
  request.command_id = command_id_of(invocation.args());
  auto client = LUZIA_TRY(invocation.connect());
  const auto each = act_on_each(
      request, [&](const wire::ActOnJobsT& one) { return send_where_it_is(invocation, client, one); });
  if (!each) return tl::unexpected(each.error());
  return print_each(invocation, *each, done);
}

/// What to tell the agents; empty: nothing.
Result<std::string> message_from(const Arguments& args) {
  const bool from_file = args.has("message-file");
  if (!from_file && !args.has("message")) return std::string();
  if (from_file && args.has("message"))
    return fail(ErrorKind::usage, "bad_usage", "both --message and --message-file are given");
  if (args.has("with-dependents")) {
    return fail(ErrorKind::usage, "bad_usage",
                "a message is for the jobs that are named, not for those that were skipped because of them",
                "retry with the message first; then luzia retry JOB --with-dependents");
  }
  Result<std::string> message = args.text("message");
  if (from_file) message = read_text(args.text("message-file"));
  if (!message || message->find_first_not_of(" \t\r\n") != std::string::npos) return message;
  return fail(ErrorKind::usage, "bad_message", "the message is empty");
}

Result<int> send_retry(Invocation& invocation, wire::ActOnJobsT request) {
  const bool with_dependents = invocation.args().has("with-dependents");
  request.message = LUZIA_TRY(message_from(invocation.args()));
  request.action = wire::JobAction::retry;
  request.fresh = invocation.args().has("fresh");
  request.note = invocation.args().text("note");
  request.command_id = command_id_of(invocation.args());
  auto client = LUZIA_TRY(invocation.connect());
  const auto act = [&](const wire::ActOnJobsT& one) {
    auto accepted = send_where_it_is(invocation, client, one);
    const bool imported = !accepted && accepted.error().code == "imported_job" && one.message.empty();
    return imported ? retry_imported(invocation, client, one) : accepted;
  };
  const auto each =
      LUZIA_TRY(with_dependents ? retry_with_dependents(invocation, client, std::move(request), act)
                                : act_on_each(request, act));
  const int code = print_each(invocation, each, "queued again");
  if (!with_dependents) report_skipped(invocation, client, each.done.ids);
  return code;
}

Result<int> cancel_meant(Invocation& invocation, wire::ActOnJobsT request) {
  auto client = LUZIA_TRY(connect_to_ask(invocation));
  auto meant = LUZIA_TRY(jobs_meant_by_options(invocation, client, Meant::unfinished, "cancel"));
  request.jobs = std::move(meant.ids);
  request.note = invocation.args().text("note");
  request.command_id = command_id_of(invocation.args());
  auto accepted = LUZIA_TRY(cancel_in_parts(invocation, client, request));
  accepted.position = std::max(accepted.position, meant.position);
  return print_action_done(invocation, accepted, accepted.ids.empty() ? "nothing to cancel" : "cancelling");
}

Result<int> act_on_named(Invocation& invocation, wire::JobAction action, const char* done) {
  wire::ActOnJobsT request;
  request.action = action;
  request.jobs = invocation.args().positionals();
  return send_job_action(invocation, std::move(request), done);
}

Result<int> run_cancel(Invocation& invocation) {
  const Arguments& args = invocation.args();
  const bool by_filter = args.has("all") || means_jobs_by_options(args);
  if (by_filter == !args.positionals().empty()) {
    return fail(ErrorKind::usage, "bad_usage",
                by_filter ? "cancelling: name jobs, or use --all, --project and the like, not both"
                          : "cancelling: no job is named",
                "luzia cancel JOB...");
  }
  wire::ActOnJobsT request;
  request.action = wire::JobAction::cancel;
  request.jobs = args.positionals();
  if (const auto grace = args.duration_ms("grace")) request.grace_ms = *grace;
  return by_filter ? cancel_meant(invocation, std::move(request))
                   : send_job_action(invocation, std::move(request), "cancelling");
}

Result<int> run_retry(Invocation& invocation) {
  const Arguments& args = invocation.args();
  const bool by_options = means_jobs_by_options(args);
  if (by_options == !args.positionals().empty()) {
    return fail(ErrorKind::usage, "bad_usage",
                by_options ? "retrying: name jobs, or use --project, --state and the like, not both"
                           : "retrying: no job is named",
                "luzia retry JOB..., or luzia retry --project NAME");
  }
  wire::ActOnJobsT request;
  if (!by_options) {
    request.jobs = args.positionals();
    return send_retry(invocation, std::move(request));
  }
  auto client = LUZIA_TRY(connect_to_ask(invocation));
  auto meant = jobs_meant_by_options(invocation, client, Meant::failed, "retry");
  if (!meant && meant.error().code == "needs_yes" && args.has("with-dependents")) {
    meant.error().message += ", and those that were skipped because of them";
  }
  if (!meant) return tl::unexpected(meant.error());
  request.jobs = std::move(meant->ids);
  // A job comes behind those that it depends on: it would be skipped again.
  std::ranges::reverse(request.jobs);
  if (request.jobs.empty()) {
    wire::AcceptedT nothing;
    nothing.position = meant->position;
    return print_action_done(invocation, std::move(nothing), "nothing to retry");
  }
  return send_retry(invocation, std::move(request));
}
Result<int> run_hold(Invocation& invocation) {
  invocation.console().say_to_person("luzia hold is now luzia pause, which also stops jobs that run");
  return act_on_named(invocation, wire::JobAction::hold, "held");
}
Result<int> run_release(Invocation& invocation) {
  invocation.console().say_to_person("luzia release is now luzia resume");
  return act_on_named(invocation, wire::JobAction::release, "released");
}

template <bool pause>
Result<int> pause_or_resume(Invocation& invocation) {
  const Arguments& args = invocation.args();
  const int scopes = (args.has("all") ? 1 : 0) + (args.has("project") ? 1 : 0) + (args.has("agent") ? 1 : 0);
  const bool queue = scopes > 0;
  if (queue == !args.positionals().empty() || scopes > 1) {
    return fail(ErrorKind::usage, "bad_usage",
                pause ? "name jobs, or --project NAME, or --all"
                      : "name jobs, or --project NAME, or --agent NAME, or --all",
                std::string("luzia ") + (pause ? "pause" : "resume") + " JOB...");
  }
  if (args.has("budget") && (!queue || args.has("agent"))) {
    return fail(ErrorKind::usage, "bad_usage", "--budget is about a project, or all together",
                "luzia resume --project NAME --budget, or luzia resume --all --budget");
  }
  // Only pausing a queue makes sense in a store that is still empty.
  if (!queue || !pause) invocation.create_nothing();
  if (!queue) {
    return act_on_named(invocation, pause ? wire::JobAction::pause : wire::JobAction::resume,
                        pause ? "paused" : "resumed");
  }
  wire::ActOnQueueT request;
  request.action = pause ? wire::QueueAction::pause : wire::QueueAction::resume;
  request.project = args.text("project");
  request.agent = args.text("agent");
  request.budget = args.has("budget");
  request.note = args.text("note");
  request.command_id = command_id_of(args);
  auto client = LUZIA_TRY(invocation.connect());
  const auto accepted = LUZIA_TRY(send_command(invocation, client, request_of(std::move(request))));
  if (args.has("budget")) {
    return print_action_done(invocation, accepted,
                             "the budget of this day stops nothing until midnight (UTC)");
  }
  const std::string what = args.has("all")     ? "the queue"
                           : args.has("agent") ? "agent " + args.text("agent")
                                               : "the queue of " + args.text("project");
  return print_action_done(invocation, accepted, (what + (pause ? " is paused" : " goes on")).c_str());
}

Result<int> run_edit(Invocation& invocation) {
  const Arguments& args = invocation.args();
  const auto priority = args.priority("priority");
  const auto not_before = args.moment_to_come("not-before");
  if (priority.has_value() == not_before.has_value()) {
    return fail(ErrorKind::usage, "bad_usage",
                priority ? "editing: one change at a time" : "editing: nothing to change is named",
                "luzia edit JOB --priority N, or luzia edit JOB --not-before TIME");
  }
  wire::ActOnJobsT request;
  request.action = priority ? wire::JobAction::reprioritize : wire::JobAction::reschedule;
  request.jobs = args.positionals();
  request.priority = priority.value_or(0);
  // A time that has passed means at once.
  request.not_before_us = not_before && *not_before > invocation.now() ? *not_before : 0;
  return send_job_action(invocation, std::move(request), "changed");
}

}  // namespace

const Command kCancelCommand = {
    "cancel",
    "Change",
    "JOB... | --all | --project NAME | --state STATE ... [--grace D] [--yes]",
    "stop jobs: politely, then by force",
    "A queued job is taken off the queue. A running one gets SIGTERM, with all its processes, and SIGKILL "
    "after the grace. One that luzia track has put under watch is only watched no longer. Of several jobs "
    "those are cancelled that can be, the others are named on standard "
    "error, and the exit code is not 0. With --json it prints "
    "{\"ids\":[...],\"position\":N,\"repeated\":false}, \"refused\":[...] if there were some, and also when "
    "there is nothing to cancel; without --yes the jobs that are meant, as luzia jobs --json does.",
    "luzia cancel @last\n"
    "luzia cancel 0kx8 --grace 2m --note 'wrong branch'\n"
    "luzia cancel --project web --yes\n"
    "luzia cancel --state queued --tag nightly",
    kCancelOptions,
    {0, -1, Completes::job},
    run_cancel,
    kNeedsStore};
const Command kRetryCommand = {
    "retry",
    "Change",
    "JOB... | --project NAME | --state STATE ... [--with-dependents] [--fresh] [--message TEXT] [--yes]",
    "run ended jobs again, as their next attempts",
    "The earlier attempt's files stay as attempt-N in the job's directory. The task of a job that luzia "
    "import took over is queued as a new job, whose id is printed. A job of a flow is refused while the "
    "gate of its step is shut; one that was opened is not asked again. Options instead of names mean the "
    "jobs that failed, ran out of time, were lost or were skipped, or those of the states in --state: "
    "without --yes they are only shown. --with-dependents also retries every job that was skipped because "
    "of one of them, however many jobs lie between; each waits again for what it depends on. A job that has "
    "not ended is then left as it is. Without it, luzia says which jobs stay skipped. A coding agent goes "
    "on in its last session; --fresh gives it the whole task in a new one. An agent that does not have its "
    "session any more is retried that way once by itself. --message tells the agent something: in its last "
    "session the message alone, in a new one after the task. It is kept with the job, for further attempts "
    "until one completes, and has at most 64 KiB. A job that runs a command (agent shell) takes none.",
    "luzia retry @last --note 'network is back'\n"
    "luzia retry @last --message 'keep the old name of the option'\n"
    "luzia retry 0kx8 --message-file review.md\n"
    "luzia retry @last --fresh\n"
    "luzia retry 0kx8 --with-dependents\n"
    "luzia retry --project web --since 8h --yes",
    kRetryOptions,
    {0, -1, Completes::job},
    run_retry,
    kNeedsStore};
const Command kPauseCommand = {
    "pause",
    "Change",
    "JOB... | --project NAME | --all",
    "pause jobs, or a queue",
    "A queued job does not start until it is resumed; lists show it as held. A running job's processes are "
    "stopped (SIGSTOP) where they are, and with them the clocks of its time limit, its estimate, its time "
    "budget and its silence; the time that is shown goes on. Deadlines of questions and approvals go on. A "
    "paused queue or project starts nothing; what runs there runs on.",
    "luzia pause @last\nluzia pause 0kx8 0kx9 --note 'after the release'\n"
    "luzia pause --project web --note 'deploying'",
    kPauseOptions,
    {0, -1, Completes::job},
    pause_or_resume<true>};
const Command kResumeCommand = {
    "resume",
    "Change",
    "JOB... | --project NAME [--budget] | --agent NAME | --all [--budget]",
    "resume paused or parked jobs, or a paused queue",
    "A job that was paused while it was queued starts when its turn comes. A job that is parked by its "
    "agent's usage limit goes on as its next attempt, and "
    "the agent's other jobs start again; --agent lets those start and leaves parked jobs alone. "
    "--budget lets a project go on that has used up its budget of the day, until the next one.",
    "luzia resume @last\nluzia resume --agent claude --note 'bought more'\n"
    "luzia resume --project web --budget\nluzia resume --all",
    kResumeOptions,
    {0, -1, Completes::job},
    pause_or_resume<false>};
// No group: the words work, and help does not list them.
const Command kHoldCommand = {"hold",
                              "",
                              "JOB...",
                              "keep queued jobs from starting; now luzia pause",
                              "",
                              "luzia pause 0kx8",
                              kSimpleOptions,
                              {1, -1, Completes::job},
                              run_hold,
                              kNeedsStore};
const Command kReleaseCommand = {"release",
                                 "",
                                 "JOB...",
                                 "let held jobs start; now luzia resume",
                                 "",
                                 "luzia resume 0kx8",
                                 kSimpleOptions,
                                 {1, -1, Completes::job},
                                 run_release,
                                 kNeedsStore};
const Command kEditCommand = {"edit",
                              "Change",
                              "JOB... --priority N | --not-before TIME",
                              "change a queued job's priority, place or start time",
                              "",
                              "luzia edit 0kx8 --priority high\nluzia edit 0kx8 --not-before 22:30",
                              kEditOptions,
                              {1, -1, Completes::job},
                              run_edit,
                              kNeedsStore};

}  // namespace luzia
