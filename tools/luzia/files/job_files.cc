#include "tools/luzia/files/job_files.h"

#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "engine/base/account.h"
#include "engine/base/counted.h"
#include "engine/base/plain_environment.h"
#include "engine/base/try.h"

namespace luzia {
namespace {

/// Long enough for big trees on slow disks.
constexpr std::chrono::minutes kPatienceWithGit{10};

bool is_there(const std::string& path) {
  std::error_code ignored;
  return !path.empty() && std::filesystem::exists(path, ignored);
}

/// The owner of the job's directory, which is the job's user. This avoids the user database, which a static
/// program cannot query well.
std::optional<struct stat> owner_of(const view::JobT& job) {
  struct stat status {};
  return ::lstat(job.dir.c_str(), &status) == 0 ? std::optional(status) : std::nullopt;
}

std::string home_of(uid_t uid) {
  const auto account = account_of(uid);
  return account && !account->home.empty() ? account->home : "/";
}

/// If the process is root, makes it the job's user. Otherwise does nothing.
Status become_user(const view::JobT& job) {
  if (::geteuid() != 0 || job.user == "root") return {};
  const auto owner = owner_of(job);
  if (!owner) {
    return fail(ErrorKind::not_found, "no_job_dir",
                "cannot find out who owns the files of job " + job.id + ": " + job.dir + " does not exist",
                "run the command as " + job.user);
  }
  const gid_t group = owner->st_gid;
  keep_plain_environment();  // git may run that user's programs
  const bool done = ::setgroups(1, &group) == 0 && ::setgid(group) == 0 && ::setuid(owner->st_uid) == 0 &&
                    ::setenv("HOME", home_of(owner->st_uid).c_str(), 1) == 0;
  if (done) return {};
  return fail_errno(errno, "user_not_allowed", "becoming user " + job.user + " of job " + job.id);
}

Status check_own(const view::JobT& job) {
  const auto owner = owner_of(job);
  if (!owner || owner->st_uid == ::geteuid()) return {};
  return fail(ErrorKind::refused, "user_not_allowed",
              "you may not restore files of job " + job.id + ", which runs as " + job.user,
              "ask " + job.user + " or root; luzia diff " + job.id + " shows what has changed");
}

std::string work_folder(const view::JobT& job) {
  if (!job.worktree.empty()) return job.worktree;
  // The event about the worktree may not have reached the daemon.
  const std::string own = job.dir + "/worktree";
  return is_there(own) ? own : job.working_dir;
}

}  // namespace

GitDeadline git_deadline() {
  return std::chrono::steady_clock::now() + kPatienceWithGit;
}

Result<JobPlace> find_job_place(Invocation& invocation, Client& client, const std::string& job, JobUse use) {
  const auto page = LUZIA_TRY(ask_job(invocation, client, job));
  JobPlace place;
  page.as<view::Job>().front()->UnPackTo(&place.job);
  if (place.job.tracked) {
    return fail(ErrorKind::not_found, "not_started_here",
                "job " + place.job.id + " has no files here: Luzia did not start it",
                "luzia why " + place.job.id + " shows what was published about it");
  }
  LUZIA_TRY(become_user(place.job));
  LUZIA_TRY(use == JobUse::change ? check_own(place.job) : Status());
  place.folder = work_folder(place.job);
  if (!is_there(place.folder)) {
    const bool own = !place.job.worktree.empty();
    return fail(ErrorKind::not_found, own ? "no_worktree" : "no_directory",
                "the files of job " + place.job.id + ": " + place.folder +
                    (own ? " no longer exists, or you may not read it" : " does not exist"),
                own ? "its branch may still exist: git branch --list 'luzia/*'" : "");
  }
  place.repository = LUZIA_TRY(find_repository(place.folder, git_deadline()));
  if (place.folder != place.job.working_dir)
    LUZIA_TRY(check_worktree_of(place.repository, place.job.working_dir, git_deadline()));
  return place;
}

Result<std::uint32_t> attempt_of(const Arguments& args, const view::JobT& job) {
  const std::uint64_t attempt = args.number("attempt").value_or(job.attempt);
  if (attempt == 0 || attempt > job.attempt) {
    return fail(ErrorKind::not_found, "no_such_attempt",
                "job " + job.id + " has had " +
                    (job.attempt == 0 ? std::string("no attempt yet") : counted(job.attempt, "attempt")));
  }
  return static_cast<std::uint32_t>(attempt);
}

Result<Snapshot> snapshot_of(const JobPlace& place, const std::string& name) {
  auto snapshot = read_snapshot(place.repository, snapshot_ref(place.job.id, name), git_deadline());
  if (!snapshot) return snapshot;
  // The snapshot may be of the job's own worktree. If that is gone, its files cannot be restored to the
  // project.
  std::error_code ignored;
  const std::string own = std::filesystem::weakly_canonical(place.job.dir, ignored).string() + "/";
  if (snapshot->repository.starts_with(own) && snapshot->repository != place.repository.top) {
    return fail(ErrorKind::not_found, "no_worktree",
                "job " + place.job.id + " worked in " + snapshot->repository + ", which no longer exists",
                "its branch may still exist: git branch --list 'luzia/*'");
  }
  return snapshot;
}

Result<Snapshot> snapshot_before(const JobPlace& place, std::uint32_t attempt) {
  auto snapshot = snapshot_of(place, std::to_string(attempt));
  if (!snapshot && snapshot.error().code == "no_snapshot") {
    return fail(
        ErrorKind::not_found, "no_snapshot",
        "there is no snapshot of the files before attempt " + std::to_string(attempt) + " of job " +
            place.job.id,
        place.job.agent == "shell"
            ? "to take them for agent shell too: snapshot = true in [projects." + place.job.project + "]"
            : "luzia why " + place.job.id + " shows whether it failed; see [git] in luzia config show");
  }
  return snapshot;
}

Result<std::vector<std::string>> paths_in(const JobPlace& place, const std::vector<std::string>& words) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path top = fs::weakly_canonical(place.repository.top, ignored);
  const auto relative_to_top = [&](const fs::path& path) {
    return path.lexically_normal().lexically_relative(top).string();
  };
  const fs::path here = fs::current_path(ignored);
  const bool inside = !here.empty() && !relative_to_top(here).starts_with("..");
  const fs::path base = inside ? here : fs::weakly_canonical(place.folder, ignored);
  std::vector<std::string> paths;
  for (const std::string& word : words) {
    std::string path = relative_to_top(base / word);
    if (word.empty() || path.empty() || path == ".." || path.starts_with("../")) {
      return fail(ErrorKind::usage, "bad_path",
                  "'" + word + "' is not in the job's repository " + place.repository.top);
    }
    while (path.ends_with('/')) path.pop_back();
    paths.push_back(path == "." ? "" : path);
  }
  return paths;
}

Status check_paths(const JobPlace& place, const std::vector<std::string>& paths, const ChangesSince& since) {
  namespace fs = std::filesystem;
  for (const std::string& path : paths) {
    const auto is_of_it = [&](const std::string& other) {
      return other == path || other.starts_with(path + "/");
    };
    std::error_code ignored;
    // A path that only the snapshot has is among the changes.
    const bool is_known =
        path.empty() ||
        fs::symlink_status(place.repository.top + "/" + path, ignored).type() != fs::file_type::not_found ||
        std::ranges::any_of(since.changes, is_of_it, &FileChange::path) ||
        std::ranges::any_of(since.left_alone, is_of_it);
    if (!is_known) {
      return fail(
          ErrorKind::not_found, "no_such_path",
          "there is no '" + path + "' in " + place.repository.top + " now, nor was there before the job",
          "luzia diff " + place.job.id + " --name-only lists what has changed");
    }
  }
  return {};
}

Result<wire::AcceptedT> note_workspace(Invocation& invocation, Client& client, const std::string& job,
                                       schema::WorkspaceFactUnion fact) {
  wire::NoteWorkspaceT request;
  request.job = job;
  request.fact = std::move(fact);
  request.command_id = fresh_command_id();
  return send_command(invocation, client, request_of(std::move(request)));
}

}  // namespace luzia
