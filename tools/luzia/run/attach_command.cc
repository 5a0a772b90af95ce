// attach: joins the terminal of a running job; several people can be attached at once. For a job without a
// terminal, opens its agent's session in one.
#include <unistd.h>

#include <cstdio>

#include "adapters/terminal/terminal_size.h"
#include "adapters/terminal/terminal_socket.h"
#include "adapters/terminal/tmux.h"
#include "engine/base/try.h"
#include "tools/luzia/asking.h"
#include "tools/luzia/families.h"
#include "tools/luzia/run/attaching.h"
#include "tools/luzia/run/foreground.h"

namespace luzia {
namespace {

constexpr Option kAttachOptions[] = {
    {"-r,--read-only", ValueKind::flag, "", "only watch; Ctrl-C detaches"},
    {"-y,--yes", ValueKind::flag, "", "stop a process that asks without asking you first"},
};

Error explained(Error error, const view::Job& job, const std::string& id) {
  if (error.code == "no_terminal") {
    return {error.kind, error.code, "attaching to " + id + ": it has no terminal",
            "luzia logs -f " + id + " shows its output; without --read-only its session may be opened"};
  }
  if (error.code == "terminal_refused" && job.user() != nullptr) {
    error.hint = "it runs as " + job.user()->str();
  }
  return error;
}

Result<wire::AcceptedT> request_session(Invocation& invocation, Client& client, const std::string& id,
                                        bool stop) {
  wire::AttachJobT attach;
  attach.job = id;
  attach.stop = stop;
  attach.command_id = fresh_command_id();
  if (const auto size = size_of_terminal(STDIN_FILENO)) {
    attach.columns = size->columns;
    attach.rows = size->rows;
  }
  return send_command(invocation, client, request_of(std::move(attach)));
}

bool may_stop(const std::string& id) {
  std::fprintf(stderr, "%s waits for an answer. Stop its process and open its session here? [y/N] ",
               id.c_str());
  char answer[16] = {};
  return std::fgets(answer, sizeof answer, stdin) != nullptr && (answer[0] == 'y' || answer[0] == 'Y');
}

/// Opens the agent's session in this terminal, as the job's next attempt. Whether that is possible is the
/// daemon's decision.
Result<int> open_session(Invocation& invocation, const view::Job& job, const std::string& id) {
  auto client = LUZIA_TRY(invocation.connect());
  auto accepted = request_session(invocation, client, id, invocation.args().has("yes"));
  if (!accepted && accepted.error().code == "process_lives" && may_stop(id)) {
    accepted = request_session(invocation, client, id, true);
  }
  if (!accepted) return tl::unexpected(accepted.error());
  return run_in_foreground(invocation, client, id, Seat::terminal, job.attempt());
}

Result<int> say_how_it_was_left(Invocation& invocation, const Attachment& attachment, const std::string& id) {
  switch (attachment.left) {
    case Attachment::Left::detached:
    case Attachment::Left::interrupted:
      invocation.say("detached; the job continues: luzia attach " + id);
      return attachment.signal == 0 ? 0 : 128 + attachment.signal;
    case Attachment::Left::ended:
      invocation.say(id + " has ended: luzia job " + id);
      return 0;
    case Attachment::Left::lost:
      invocation.say("the terminal of " + id + " is gone: luzia job " + id);
      return 0;
  }
  return 0;
}

/// `no_terminal`: also if the job has no process, whatever an earlier attempt has left behind.
Status has_terminal(const view::Job& job, const std::string& dir) {
  if (job.pid() == 0) return fail(ErrorKind::refused, "no_terminal", "");
  return connect_to_terminal(dir).map([](const Descriptor&) {});
}

Result<int> run_attach(Invocation& invocation) {
  const Terminal& own = invocation.terminal();
  if (!own.in_is_terminal || !own.out_is_terminal) {
    return fail(ErrorKind::usage, "not_a_terminal", "attaching: standard input and output must be a terminal",
                "luzia logs -f JOB works without a terminal");
  }
  auto client = LUZIA_TRY(invocation.connect());
  const auto page = LUZIA_TRY(ask_job(invocation, client, invocation.args().positionals().front()));
  const view::Job& job = *page.as<view::Job>().front();
  const std::string id = job.id()->str();
  const bool looks_only = invocation.args().has("read-only");
  const std::string dir = job.dir() == nullptr ? "" : job.dir()->str();
  const bool session = has_session(dir);
  const Status there = session ? Status() : has_terminal(job, dir);
  if (!there && there.error().code == "no_terminal" && !looks_only) return open_session(invocation, job, id);
  if (!there) return tl::unexpected(explained(there.error(), job, id));
  // While this connection is open, the daemon knows that somebody watches the job.
  wire::FollowT looking;
  looking.filter = std::make_unique<wire::FilterT>();
  looking.filter->jobs = {id};
  looking.live = looking.from_now = true;
  LUZIA_TRY(client.send(request_of(std::move(looking))));
  invocation.say("attached to " + id + "; " +
                 (session      ? how_to_leave_session(dir)
                  : looks_only ? "Ctrl-C detaches"
                               : kHowToLeave));
  const auto attachment = session ? join_session(dir, looks_only)
                                  : attach_terminal(dir, looks_only ? Role::watcher : Role::person);
  if (!attachment) return tl::unexpected(explained(attachment.error(), job, id));
  return say_how_it_was_left(invocation, *attachment, id);
}

}  // namespace

const Command kAttachCommand = {
    "attach",
    "Run",
    "JOB [--read-only] [--yes]",
    "attach to a job's terminal, or open its agent's session in one",
    "A job that runs in a terminal (started by luzia PROJECT TASK --fg or by luzia work on) is joined. "
    "Several "
    "people can attach at once and see the same. A job without a terminal that asks or has ended goes on "
    "here: its agent opens the same session interactively, as the next attempt of the job. What it asks is "
    "cancelled, and if its process still waits for the answer, you are asked before it is stopped. The exit "
    "code is then the job's own. Ctrl-\\ d detaches and leaves the job running; Ctrl-\\ twice sends one "
    "Ctrl-\\ to the agent. In a session of luzia work on the keys are tmux's, and Ctrl-b d detaches. The "
    "job's terminal has the size of the terminal that joined or changed last. Everything it prints is also "
    "in "
    "its output.log: luzia logs.",
    "luzia attach @last\nluzia attach 1qfar --read-only",
    kAttachOptions,
    {1, 1, Completes::job},
    run_attach,
    kNeedsStore};

}  // namespace luzia
