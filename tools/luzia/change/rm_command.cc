// rm: removes ended jobs from every list, deletes their files and, with --purge, erases their texts.
#include "engine/base/try.h"
#include "tools/luzia/change/removing.h"
#include "tools/luzia/families.h"
#include "tools/read/where_it_is.h"

namespace luzia {
namespace {

constexpr Option kRmOptions[] = {
    kPurgeOption,
    {"-y,--yes", ValueKind::flag, "", "really do it"},
    kProjectFilter,
    kTagFilter,
    kStateFilter,
    {"--older-than", ValueKind::duration, "D", "only jobs that ended at least that long ago: 90d"},
    {"--note", ValueKind::text, "TEXT", "why; kept with the event"},
    kCommandIdOption};

Result<int> remove_here(Invocation& invocation) {
  const Arguments& args = invocation.args();
  const auto older_than = args.duration_ms("older-than");
  const bool by_filter = args.has("project") || args.has("tag") || args.has("state") || older_than;
  if (by_filter == !args.positionals().empty()) {
    return fail(ErrorKind::usage, "bad_usage",
                by_filter ? "removing: name jobs or use filters, not both" : "removing: no job is named",
                "luzia rm JOB..., or luzia rm --project NAME --older-than 90d");
  }
  auto client = LUZIA_TRY(connect_to_ask(invocation));
  RemovalWish wish{args.positionals(), args.has("purge"), args.has("yes"), !by_filter, args.text("note")};
  if (by_filter) {
    const TimeUs before =
        older_than ? invocation.now() - static_cast<TimeUs>(*older_than) * kMillisecondUs : 0;
    wish.names = LUZIA_TRY(ended_jobs(invocation, client, before));
  }
  return remove_jobs(invocation, client, wish);
}

Result<int> run_rm(Invocation& invocation) {
  return run_where_it_is(invocation, [&] { return remove_here(invocation); });
}

}  // namespace

const Command kRmCommand = {
    "rm",
    "Files",
    "JOB... | filters [--purge] [--yes]",
    "remove ended jobs and their directories",
    "Without --yes it shows what would go. A job that has not ended stays, and so does one whose flow goes "
    "on or whose worktree has work that is nowhere else. What a job cost still counts; luzia job ID and "
    "luzia why ID still find it. A job that was removed cannot be retried. Only the user that a job ran as, "
    "the daemon's user and root may remove it.\n"
    "--purge also erases its texts from the log: the task, its environment, questions, answers, inputs of "
    "tools and what it gave to its flow; they are shown as (erased) from then on, in the past too. What "
    "events quote stays in the log, because its chain proves every event: lines of output (the last one, "
    "warnings, known problems), the agent's closing words, options of questions, notes. Nor can it reach "
    "the agent's own session files, backups, exports, and what hooks have sent.",
    "luzia rm @last\n"
    "luzia rm 0kx8 0kx9 --purge --yes\n"
    "luzia rm --project web --state failed --older-than 30d",
    kRmOptions,
    {0, -1, Completes::job},
    run_rm,
    kNeedsStore};

}  // namespace luzia
