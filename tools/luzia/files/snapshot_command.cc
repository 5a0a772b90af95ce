// snapshot: a hidden command, not for people. luzia-run calls it before an attempt, as the job's user.
// `worktree` creates the job's own worktree, and `take` keeps the files from before the agent changes them.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "adapters/git/worktree.h"
#include "tools/luzia/families.h"
#include "tools/luzia/files/job_files.h"
#include "tools/luzia/person.h"

namespace luzia {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kMostForTelling{3'000}, kBetweenTries{50};
constexpr std::size_t kMostNamed = 100;

constexpr Option kSnapshotOptions[] = {
    {"--max-file", ValueKind::number, "BYTES", "leave out files larger than this; 0: no limit"},
    {"--timeout", ValueKind::duration, "D", "give up after this long"},
    {"--from", ValueKind::text, "PATH", "worktree: the project"},
};

/// Sends an event to the daemon, retrying for at most 3 s while the daemon is away. Failures are not errors:
/// the snapshot exists even if the daemon does not learn of it.
void report_daemon(Invocation& invocation, const std::string& job, schema::WorkspaceFactUnion fact,
                   Clock::time_point most) {
  wire::NoteWorkspaceT note;
  note.job = job;
  note.fact = std::move(fact);
  note.command_id = fresh_command_id();
  const auto request = request_of(std::move(note));
  const auto deadline = std::min(Clock::now() + kMostForTelling, most);
  const auto place = invocation.place();
  while (place && Clock::now() < deadline) {
    auto client = Client::connect(place->socket, {kMostForTelling, {}});
    const auto sent = client ? client->send(request) : tl::unexpected(client.error());
    while (sent) {
      const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
      const auto frame = client->receive(std::max(left, milliseconds(0)));
      if (frame && *frame == nullptr) return;
      if (!frame) break;
      const wire::Refused* refused = (*frame)->reply_as_Refused();
      if (refused != nullptr && !starts_over(error_from(*refused))) {
        return invocation.say("luzia: " + error_from(*refused).message);
      }
      if ((*frame)->id() == *sent) return;
    }
    std::this_thread::sleep_for(kBetweenTries);
  }
}

schema::WorkspaceFactUnion taken_fact(const Snapshot& snapshot, std::uint32_t attempt,
                                      std::chrono::microseconds took) {
  schema::SnapshotTakenT fact;
  fact.attempt = attempt;
  fact.repository = snapshot.repository;
  fact.commit = snapshot.commit;
  fact.head = snapshot.head;
  fact.branch = snapshot.branch;
  fact.files = snapshot.files;
  fact.skipped_count = static_cast<std::uint32_t>(snapshot.left_out.size());
  for (const std::string& path : snapshot.left_out) {
    if (fact.skipped.size() < kMostNamed) fact.skipped.push_back(path);
  }
  fact.took_us = static_cast<std::uint64_t>(took.count());
  return domain_fact(std::move(fact));
}

/// Takes a snapshot. A failure is only reported, because the job does not depend on it.
Result<int> take(Invocation& invocation, const OwnJob& own, const std::string& folder) {
  if (!may_have_repository(folder)) return 0;
  const Arguments& args = invocation.args();
  const auto started = Clock::now();
  const milliseconds limit(static_cast<std::int64_t>(args.duration_ms("timeout").value_or(60'000)));
  // Reserve the rest of the time for notifying the daemon.
  const auto deadline = started + std::max(limit - kMostForTelling, limit / 2);
  const auto snapshot =
      take_snapshot(folder, args.number("max-file").value_or(kSnapshotMaxFile),
                    snapshot_ref(own.job, std::to_string(*own.attempt)),
                    "files before attempt " + std::to_string(*own.attempt) + " of job " + own.job, deadline);
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - started);
  if (snapshot) {
    report_daemon(invocation, own.job, taken_fact(*snapshot, *own.attempt, took), started + limit);
  } else if (snapshot.error().code != "no_repository") {
    invocation.say("luzia: no snapshot: " + snapshot.error().message);
    schema::SnapshotFailedT fact;
    fact.attempt = *own.attempt;
    fact.repository = folder;
    fact.reason = snapshot.error().message;
    report_daemon(invocation, own.job, domain_fact(std::move(fact)), started + limit);
  }
  return 0;
}

Result<int> make_own_tree(Invocation& invocation, const OwnJob& own) {
  const char* job_dir = std::getenv("LUZIA_JOB_DIR");
  if (job_dir == nullptr || !invocation.args().has("from")) {
    return fail(ErrorKind::usage, "bad_usage",
                "making a worktree: $LUZIA_JOB_DIR and --from PATH are required");
  }
  // The worktree replaces the folder that we were started in.
  if (::chdir("/") != 0) return fail_errno(errno, "worktree_failed", "cannot enter /");
  // luzia-run limits the time of everything before an attempt.
  const auto made = make_worktree(invocation.args().text("from"), std::string(job_dir) + "/worktree",
                                  "luzia/" + own.job, Clock::now() + std::chrono::hours(24));
  if (!made) {
    // One line only: the last printed line becomes the reason for the job's end.
    Error error = made.error();
    error.message = "no worktree: " + error.message;
    error.hint.clear();
    return tl::unexpected(error);
  }
  if (made->kept) return 0;
  schema::WorktreeMadeT fact;
  fact.attempt = *own.attempt;
  fact.repository = made->repository;
  fact.path = made->path;
  fact.branch = made->branch;
  fact.base = made->base;
  report_daemon(invocation, own.job, domain_fact(std::move(fact)), Clock::time_point::max());
  return 0;
}

Result<int> run_snapshot(Invocation& invocation) {
  const std::string& action = invocation.args().positionals().front();
  const OwnJob own = own_job();
  if (!own.attempt) return tl::unexpected(own.attempt.error());
  if (own.job.empty() || *own.attempt == 0) {
    return fail(ErrorKind::usage, "no_job", "snapshots are taken automatically before each attempt of a job",
                "luzia diff JOB shows what has changed since");
  }
  if (action == "worktree") return make_own_tree(invocation, own);
  if (action != "take") {
    return fail(ErrorKind::usage, "bad_usage",
                "snapshot: unknown action '" + action + "', not take or worktree");
  }
  std::error_code error;
  const auto folder = std::filesystem::current_path(error);
  return error ? Result<int>(0) : take(invocation, own, folder.string());
}

}  // namespace

const Command kSnapshotCommand = {"snapshot",
                                  "",
                                  "take | worktree --from PATH",
                                  "take the snapshot of files before an attempt",
                                  "",
                                  "",
                                  kSnapshotOptions,
                                  {1, 1},
                                  run_snapshot};

}  // namespace luzia
