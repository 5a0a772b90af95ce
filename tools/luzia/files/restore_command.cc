// restore: restores the project's files to the state before an attempt.
#include <algorithm>

#include "adapters/git/restore.h"
#include "engine/base/counted.h"
#include "engine/base/try.h"
#include "engine/base/whole_number.h"
#include "engine/event/job_state.h"
#include "projections/rows/harmless.h"
#include "projections/rows/json_object.h"
#include "projections/rows/names.h"
#include "tools/luzia/families.h"
#include "tools/luzia/files/job_files.h"

namespace luzia {
namespace {

constexpr std::string_view kBackup = "restore-";

constexpr Option kRestoreOptions[] = {
    {"--attempt", ValueKind::number, "N", "restore the files from before this attempt (default: the last)"},
    {"--backup", ValueKind::number, "N", "undo the Nth restore"},
    {"-y,--yes", ValueKind::flag, "", "restore; without it only show what would change"},
};

const char* what_happens(FileChange::Kind kind) {
  switch (kind) {
    case FileChange::Kind::changed:
      return "put back  ";
    case FileChange::Kind::removed:
      return "bring back";
    case FileChange::Kind::added:
      return "remove    ";
  }
  return "";
}

void print_plan(Invocation& invocation, const ChangesSince& since) {
  const bool unicode = invocation.terminal().unicode;
  for (const FileChange& change : since.changes) {
    print_line(std::string("  ") + what_happens(change.kind) + "  " +
               make_harmless(change.path, {.keep_tabs = false, .unicode = unicode}));
  }
  for (const std::string& path : since.left_alone) invocation.say("  left alone  " + make_harmless(path));
}

Result<Snapshot> wanted_snapshot(const Arguments& args, const JobPlace& place, std::uint32_t& attempt) {
  if (const auto backup = args.number("backup")) {
    attempt = place.job.attempt;
    return snapshot_of(place, std::string(kBackup) + std::to_string(*backup));
  }
  const auto found = LUZIA_TRY(attempt_of(args, place.job));
  attempt = found;
  return snapshot_before(place, attempt);
}

Result<std::uint64_t> next_backup(const JobPlace& place) {
  const auto refs = LUZIA_TRY(list_snapshots(place.repository, git_deadline()));
  std::uint64_t last = 0;
  for (const SnapshotRef& ref : refs) {
    if (ref.job != place.job.id || !ref.name.starts_with(kBackup)) continue;
    last = std::max(last, leading_number<std::uint64_t>(ref.name.substr(kBackup.size())).value_or(0));
  }
  return last + 1;
}

/// Warns about running jobs in the same tree: a restore undoes half of what they are doing.
void warn_of_others(Invocation& invocation, Client& client, const JobPlace& place) {
  wire::QueryT query = view_query(wire::View::jobs);
  query.limit = 1'000;
  query.filter->states = {schema::JobState::starting, schema::JobState::running, schema::JobState::waiting};
  const auto page = ask_rows(invocation, client, query);
  if (!page) return;
  for (const view::Job* job : page->as<view::Job>()) {
    const std::string_view folder = job->working_dir() == nullptr ? "" : job->working_dir()->string_view();
    const bool has_own = job->worktree() != nullptr && job->worktree()->size() > 0;
    if (!has_own && (folder == place.folder || folder.starts_with(place.repository.top + "/") ||
                     folder == place.repository.top)) {
      invocation.say("luzia: job " + job->id()->str() + " is running in " + std::string(folder));
    }
  }
}

/// `backup`: the commit with the files from before the restore; empty: nothing was restored.
void print_restore_json(const ChangesSince& since, const Snapshot& snapshot, const std::string& backup,
                        const JobPlace& place) {
  JsonObject object;
  object.text("job", place.job.id);
  object.text("snapshot", snapshot.commit);
  object.text_or_null("backup", backup);
  object.number("files", since.changes.size());
  object.objects("changes", since.changes, [](JsonObject& each, const FileChange& change) {
    each.text("path", change.path);
    each.text("change", change_word(change.kind));
  });
  print_line(object.take());
}

int print_restored(Invocation& invocation, const ChangesSince& since, const Snapshot& snapshot,
                   const Snapshot& backup, const JobPlace& place, std::uint64_t number) {
  if (invocation.json()) print_restore_json(since, snapshot, backup.commit, place);
  invocation.say("restored " + counted(since.changes.size(), "file") + "; to undo it: luzia restore " +
                 place.job.id + " --backup " + std::to_string(number));
  return 0;
}

Result<int> carry_out(Invocation& invocation, Client& client, const JobPlace& place, const Snapshot& snapshot,
                      const ChangesSince& since, std::uint32_t attempt) {
  const auto number = LUZIA_TRY(next_backup(place));
  const std::string name = std::string(kBackup) + std::to_string(number);
  const auto backup = LUZIA_TRY(keep_snapshot(place.repository, since.now, snapshot.max_file,
                                              snapshot_ref(place.job.id, name),
                                              "files before " + name + " of job " + place.job.id));
  LUZIA_TRY(put_back(since));
  schema::FilesRestoredT fact;
  fact.attempt = attempt;
  fact.commit = snapshot.commit;
  fact.backup = backup.commit;
  fact.files = static_cast<std::uint32_t>(since.changes.size());
  if (const auto noted = note_workspace(invocation, client, place.job.id, domain_fact(std::move(fact)));
      !noted) {
    invocation.say("luzia: the files are restored, but this could not be recorded: " + noted.error().message);
  }
  return print_restored(invocation, since, snapshot, backup, place, number);
}

Result<int> run_restore(Invocation& invocation) {
  const Arguments& args = invocation.args();
  if (args.has("attempt") && args.has("backup")) {
    return fail(ErrorKind::usage, "bad_usage", "--attempt and --backup exclude each other");
  }
  auto client = LUZIA_TRY(invocation.connect());
  const auto place =
      LUZIA_TRY(find_job_place(invocation, client, args.positionals().front(), JobUse::change));
  if (!is_terminal(place.job.state)) {
    return fail(ErrorKind::refused, "job_not_ended",
                "job " + place.job.id + " is " + std::string(state_name(place.job.state)) +
                    ": files can be restored only after it has ended",
                "luzia cancel " + place.job.id + " stops it");
  }
  const auto paths = LUZIA_TRY(paths_in(place, {args.positionals().begin() + 1, args.positionals().end()}));
  std::uint32_t attempt = 0;
  const auto snapshot = LUZIA_TRY(wanted_snapshot(args, place, attempt));
  const bool really = args.has("yes");
  const auto since = LUZIA_TRY(changes_since(
      place.repository, snapshot, paths, really ? NewObjects::kept : NewObjects::scratch, git_deadline()));
  LUZIA_TRY(check_paths(place, paths, since));
  if (invocation.json() && (since.changes.empty() || !really)) print_restore_json(since, snapshot, "", place);
  if (since.changes.empty()) {
    invocation.say("nothing to restore: no file differs");
    return 0;
  }
  if (!invocation.json()) print_plan(invocation, since);
  warn_of_others(invocation, client, place);
  if (!really) {
    return fail(ErrorKind::refused, "needs_yes",
                "this would restore " + counted(since.changes.size(), "file") + " in " + place.repository.top,
                "add --yes to do it; the current files are backed up first");
  }
  return carry_out(invocation, client, place, snapshot, since, attempt);
}

}  // namespace

const Command kRestoreCommand = {
    "restore",
    "Files",
    "JOB [PATH...] [--attempt N | --backup N] [--yes]",
    "restore files as they were before a job",
    "Puts changed files back, brings deleted ones back, and removes new ones that git does not ignore. "
    "Without --yes the command only lists what it would do. Index, branch and commits are not touched. With "
    "--yes it backs up the current files first, so that --backup can undo the restore. The job must have "
    "ended. With --json it prints "
    "{\"job\",\"snapshot\",\"backup\":null|COMMIT,\"files\":N,\"changes\":[{\"path\",\"change\"}]}: what was "
    "changed, removed or added since the snapshot; backup is null if nothing was restored.",
    "luzia restore @last\n"
    "luzia restore 0kx8 --attempt 1 src/ --yes\n"
    "luzia restore 0kx8 --backup 1 --yes",
    kRestoreOptions,
    {1, -1, Completes::job},
    run_restore,
    kNeedsStore};

}  // namespace luzia
