#include "tools/luzia/change/clean_up.h"

#include <filesystem>
#include <set>

#include "adapters/git/worktree.h"
#include "engine/base/time.h"
#include "engine/base/try.h"
#include "tools/luzia/files/job_files.h"

namespace luzia {
namespace {

std::string why_kept(const WorktreeState& state) {
  if (state.changed) return "it has changes that are not committed";
  return state.merged ? "" : "branch " + state.branch + " has commits that no other branch has";
}

/// The event is sent after the removal; an event that cannot be sent does not bring the worktree back.
Status remove_and_report(Invocation& invocation, Client& client, const std::string& job,
                         const std::string& path, const std::string& project) {
  // Checked again: somebody may have worked in it since the list was shown.
  const auto state = LUZIA_TRY(look_at_worktree(path, project, git_deadline()));
  if (const std::string reason = why_kept(state); !reason.empty()) {
    return fail(ErrorKind::refused, "worktree_in_use", path + " stays: " + reason);
  }
  LUZIA_TRY(remove_worktree(path, state, git_deadline()));
  schema::WorktreeRemovedT fact;
  fact.path = path;
  fact.reason = "no changes, merged";
  LUZIA_TRY(note_workspace(invocation, client, job, domain_fact(std::move(fact))));
  return {};
}

bool is_old(const SnapshotRef& ref, const JobTraces& jobs, TimeUs limit) {
  const auto job = jobs.find(ref.job);
  if (job == jobs.end()) return ref.taken_s * kSecondUs < limit;
  return job->second.ended && job->second.ended_us < limit;
}

std::set<std::string> folders_with_snapshots(const JobTraces& jobs) {
  std::set<std::string> folders;
  for (const auto& [id, job] : jobs) {
    if (job.has_snapshot) folders.insert(job.working_dir);
  }
  return folders;
}

/// The repositories of these folders, each once.
std::vector<Repository> repositories_of(const std::set<std::string>& folders) {
  std::vector<Repository> repositories;
  std::set<std::string> seen;
  for (const std::string& folder : folders) {
    std::error_code ignored;
    if (folder.empty() || !std::filesystem::is_directory(folder, ignored) || !may_have_repository(folder)) {
      continue;
    }
    auto repository = find_repository(folder, git_deadline());
    if (repository && seen.insert(repository->common).second) repositories.push_back(std::move(*repository));
  }
  return repositories;
}

Status delete_all(const Repository& repository, const std::vector<SnapshotRef>& refs) {
  const Git git(repository.top, git_deadline());
  for (const SnapshotRef& ref : refs) {
    LUZIA_TRY(delete_ref(git, ref.ref, ref.commit));
  }
  return {};
}

}  // namespace

void find_spent_worktrees(Invocation& invocation, Client& client, const JobTraces& jobs, CleanUp& clean_up) {
  for (const auto& [id, job] : jobs) {
    if (!job.ended || job.worktree.empty()) continue;
    const std::string& path = job.worktree;
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) {
      clean_up.kept.push_back({"worktree", path, "it does not exist, or you may not read it"});
      continue;
    }
    const auto state = look_at_worktree(path, job.working_dir, git_deadline());
    const std::string reason = state ? why_kept(*state) : state.error().message;
    if (!reason.empty()) {
      clean_up.kept.push_back({"worktree", path, reason});
      continue;
    }
    clean_up.removals.push_back({"worktree", path, "job " + id + " has ended; nothing in it would be lost",
                                 [&invocation, &client, job_id = id, path, project = job.working_dir] {
                                   return remove_and_report(invocation, client, job_id, path, project);
                                 }});
  }
}

void find_old_snapshots(Invocation& invocation, const JobTraces& jobs, CleanUp& clean_up) {
  std::uint64_t keep_ms = Config().git.keep_snapshots_ms;
  if (const auto config = invocation.config()) keep_ms = (*config)->git.keep_snapshots_ms;
  const TimeUs limit = invocation.now() - static_cast<TimeUs>(keep_ms) * kMillisecondUs;
  std::set<std::string> folders = folders_with_snapshots(jobs);
  if (const auto config = invocation.config()) {
    for (const auto& [name, project] : (*config)->projects) folders.insert(project.path);
  }
  for (const Repository& repository : repositories_of(folders)) {
    const auto refs = list_snapshots(repository, git_deadline());
    if (!refs) {
      clean_up.kept.push_back({"snapshots", repository.top, refs.error().message});
      continue;
    }
    std::vector<SnapshotRef> old;
    for (const SnapshotRef& ref : *refs) {
      if (is_old(ref, jobs, limit)) old.push_back(ref);
    }
    if (old.empty()) continue;
    const std::string reason = std::to_string(old.size()) + " of " + std::to_string(refs->size()) +
                               " snapshots are older than " +
                               format_duration(static_cast<TimeUs>(keep_ms) * kMillisecondUs);
    clean_up.removals.push_back(
        {"snapshots", repository.top, reason, [repository, old] { return delete_all(repository, old); }});
  }
}

void find_snapshots_of(const JobTraces& jobs, CleanUp& clean_up) {
  for (const Repository& repository : repositories_of(folders_with_snapshots(jobs))) {
    auto refs = list_snapshots(repository, git_deadline());
    if (!refs) {
      clean_up.kept.push_back({"snapshots", repository.top, refs.error().message});
      continue;
    }
    std::erase_if(*refs, [&](const SnapshotRef& ref) { return !jobs.contains(ref.job); });
    if (refs->empty()) continue;
    clean_up.removals.push_back({"snapshots", repository.top, "their jobs are removed",
                                 [repository, its = *refs] { return delete_all(repository, its); }});
  }
}

}  // namespace luzia
