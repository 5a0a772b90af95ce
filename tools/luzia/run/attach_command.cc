// attach: joins the terminal of a running job; several people can be attached at once.
#include "adapters/terminal/tmux.h"
#include "projections/rows/names.h"
#include "tools/luzia/asking.h"
#include "tools/luzia/families.h"
#include "tools/luzia/run/attaching.h"

namespace luzia {
namespace {

constexpr Option kAttachOptions[] = {
    {"-r,--read-only", ValueKind::flag, "", "only watch; Ctrl-C detaches"},
};

/// How to talk to a job that asks without its terminal; empty: it asks nothing.
std::string how_to_answer(const view::Job& job, const std::string& id) {
  if (job.questions_open() > 0)
    return "it asks: luzia answer " + id + " (luzia questions " + id + " shows what)";
  if (job.approvals_open() > 0)
    return "it asks: luzia approve " + id + " (luzia approvals " + id + " shows what)";
  return {};
}

Status check_state(const view::Job& job, const std::string& id) {
  const std::string state(state_name(job.state()));
  if (is_terminal(job.state())) {
    return fail(ErrorKind::refused, "wrong_state", "attaching to " + id + ": it has ended (" + state + ")",
                "luzia logs " + id + " shows what it printed; luzia retry " + id + " runs it again");
  }
  if (job.pid() == 0) {
    const std::string answer = how_to_answer(job, id);
    return fail(ErrorKind::refused, "wrong_state",
                "attaching to " + id + ": it is not running (" + state + ")",
                answer.empty() ? "luzia wait --until running " + id : answer);
  }
  return {};
}

Error explained(Error error, const view::Job& job, const std::string& id) {
  if (error.code == "no_terminal") {
    const std::string answer = how_to_answer(job, id);
    return {
        error.kind, error.code, "attaching to " + id + ": it has no terminal",
        answer.empty()
            ? "jobs get one from --fg (in a terminal) and luzia work on; to see its output: luzia logs -f " +
                  id
            : answer};
  }
  if (error.code == "terminal_refused" && job.user() != nullptr) {
    error.hint = "it runs as " + job.user()->str();
  }
  return error;
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

Result<int> run_attach(Invocation& invocation) {
  const Terminal& own = invocation.terminal();
  if (!own.in_is_terminal || !own.out_is_terminal) {
    return fail(ErrorKind::usage, "not_a_terminal", "attaching: standard input and output must be a terminal",
                "luzia logs -f JOB works without a terminal");
  }
  auto client = invocation.connect();
  if (!client) {
    return tl::unexpected(client.error());
  }
  const auto page = ask_job(invocation, *client, invocation.args().positionals().front());
  if (!page) {
    return tl::unexpected(page.error());
  }
  const view::Job& job = *page->as<view::Job>().front();
  const std::string id = job.id()->str();
  if (auto fits = check_state(job, id); !fits) {
    return tl::unexpected(fits.error());
  }
  // While this connection is open, the daemon knows that somebody watches the job.
  wire::FollowT looking;
  looking.filter = std::make_unique<wire::FilterT>();
  looking.filter->jobs = {id};
  looking.live = looking.from_now = true;
  if (const auto sent = client->send(request_of(std::move(looking))); !sent) {
    return tl::unexpected(sent.error());
  }
  const bool looks_only = invocation.args().has("read-only");
  const std::string dir = job.dir() == nullptr ? "" : job.dir()->str();
  const bool session = has_session(dir);
  invocation.say("attached to " + id + "; " +
                 (session      ? how_to_leave_session(dir)
                  : looks_only ? "Ctrl-C detaches"
                               : kHowToLeave));
  const auto attachment =
      session ? join_session(dir, looks_only) : join_terminal(dir, looks_only ? Role::watcher : Role::person);
  if (!attachment) {
    return tl::unexpected(explained(attachment.error(), job, id));
  }
  return say_how_it_was_left(invocation, *attachment, id);
}

}  // namespace

const Command kAttachCommand = {
    "attach",
    "Run",
    "JOB [--read-only]",
    "attach to the terminal of a running job",
    "For jobs that have a terminal: those started by luzia PROJECT TASK --fg in a terminal or by luzia work "
    "on. Several people can attach at once and see the same. Ctrl-\\ d detaches and leaves the job running; "
    "Ctrl-\\ twice sends one Ctrl-\\ to the agent. In a session of luzia work on the keys are tmux's, and "
    "Ctrl-b d detaches. The job's terminal has the size of the terminal that joined or changed last. "
    "Everything it prints is also in its output.log: luzia logs.",
    "luzia attach @last\nluzia attach 1qfar --read-only",
    kAttachOptions,
    {1, 1, Completes::job},
    run_attach,
    kNeedsStore};

}  // namespace luzia
