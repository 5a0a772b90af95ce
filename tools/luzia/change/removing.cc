#include "tools/luzia/change/removing.h"

#include <algorithm>

#include "adapters/config/byte_size.h"
#include "engine/base/counted.h"
#include "engine/base/try.h"
#include "engine/event/job_state.h"
#include "projections/rows/json_object.h"
#include "projections/rows/table.h"
#include "tools/cli/json_text.h"
#include "tools/luzia/change/clean_up.h"
#include "tools/luzia/change/job_parts.h"

namespace luzia {
namespace {

constexpr std::size_t kJobsInLook = 200, kJobsInRemoval = 100;

/// One job of the daemon's dry run.
struct Doomed {
  std::string id, project, state, worktree, working_dir;
  bool keeps_files = false, complete = true, was_removed = false, has_snapshot = false;
  std::uint64_t files = 0, bytes = 0, texts = 0;
  std::optional<Error> stays;  // why it is not removed
};

Doomed doomed_from(const std::string& preview) {
  const Json json = Json::parse(preview, nullptr, false);
  Doomed job;
  if (!json.is_object()) return job;
  job.id = text_of(json, "id");
  job.project = text_of(json, "project");
  job.state = text_of(json, "state");
  job.worktree = text_of(json, "worktree");
  job.working_dir = text_of(json, "working_dir");
  job.keeps_files = json.value("keeps_files", false);
  job.complete = json.value("complete", true);
  job.was_removed = json.value("was_removed", false);
  job.has_snapshot = json.value("has_snapshot", false);
  job.files = json.value("files", std::uint64_t{0});
  job.bytes = json.value("bytes", std::uint64_t{0});
  job.texts = json.value("texts", std::uint64_t{0});
  if (const auto refused = json.find("refused"); refused != json.end()) {
    job.stays = Error{ErrorKind::refused, text_of(*refused, "code"), text_of(*refused, "message"),
                      text_of(*refused, "hint")};
  }
  return job;
}

Result<std::vector<Doomed>> look_at_all(Invocation& invocation, Client& client, const RemovalWish& wish) {
  std::vector<Doomed> jobs;
  for (auto& part : job_parts(wish.names, kJobsInLook)) {
    wire::RemoveJobsT request;
    request.jobs = std::move(part);
    request.purge = wish.purge;
    request.dry_run = true;
    const auto looked = LUZIA_TRY(send_command(invocation, client, request_of(std::move(request))));
    for (const std::string& preview : looked.ids) jobs.push_back(doomed_from(preview));
  }
  return jobs;
}

JobTraces traces_of(const std::vector<Doomed>& jobs) {
  JobTraces traces;
  for (const Doomed& job : jobs) {
    traces[job.id] = {job.project, job.working_dir, job.worktree, true, job.has_snapshot, 0};
  }
  return traces;
}

/// A worktree without unsaved work is removed with its job; any other keeps the job.
void judge_worktrees(std::vector<Doomed>& jobs, const CleanUp& worktrees) {
  for (Doomed& job : jobs) {
    if (!job.stays || job.stays->code != "has_worktree") continue;
    const auto is_its = [&](const auto& each) { return each.name == job.worktree; };
    if (std::ranges::any_of(worktrees.removals, is_its)) {
      job.stays.reset();
    } else if (const auto kept = std::ranges::find_if(worktrees.kept, is_its); kept != worktrees.kept.end()) {
      job.stays->message += ": " + kept->reason;
    }
  }
}

bool goes(const Doomed& job) {
  return !job.stays && (!job.was_removed || job.texts > 0);
}

std::string why_it_stays(const Doomed& job) {
  if (job.stays) return job.stays->message;
  return job.was_removed && job.texts == 0 ? "it was removed before" : "";
}

std::string whole_kib(std::uint64_t bytes) {
  return bytes_text((bytes + 1023) / 1024 * 1024);
}

void print_doomed(Invocation& invocation, const std::vector<Doomed>& jobs, bool purge) {
  Table table({{"JOB"},
               {.title = "PROJECT", .shrinks = true},
               {"STATE"},
               {"FREES", Align::right},
               {.title = "TEXTS", .align = Align::right, .drops = purge ? 0U : 1U},
               {.title = "STAYS BECAUSE", .shrinks = true}});
  for (const Doomed& job : jobs) {
    const std::string frees = job.keeps_files  ? "its files stay"
                              : job.files == 0 ? ""
                                               : (job.complete ? "" : "over ") + whole_kib(job.bytes);
    table.add({{job.id},
               {job.project},
               {job.state},
               {frees},
               {job.texts == 0 ? "" : std::to_string(job.texts)},
               {why_it_stays(job)}});
  }
  if (!table.empty()) print(table.text(invocation.terminal().style()));
}

std::string removal_json(const std::vector<Doomed>& jobs, bool purge, bool removed) {
  JsonObject object;
  object.boolean("removed", removed);
  object.boolean("purge", purge);
  object.objects("jobs", jobs, [](JsonObject& each, const Doomed& job) {
    each.text("id", job.id);
    each.text("project", job.project);
    each.text("state", job.state);
    each.text("worktree", job.worktree);
    each.number("files", job.files);
    each.number("bytes", job.bytes);
    each.number("texts", job.texts);
    each.boolean("goes", goes(job));
    each.text_or_null("stays_because", why_it_stays(job));
  });
  return object.take();
}

/// Removes in parts, each all or nothing. A part that is too large for one group of the log is split.
Status remove_all_of(Invocation& invocation, Client& client, const RemovalWish& wish,
                     std::vector<std::string> ids) {
  const std::string command_id = command_id_of(invocation.args());
  auto parts = job_parts(ids, kJobsInRemoval);
  while (!parts.empty()) {
    const std::vector<std::string> part = std::move(parts.front());
    parts.pop_front();
    wire::RemoveJobsT request;
    request.jobs = part;
    request.purge = wish.purge;
    request.note = wish.note;
    request.command_id = part_command_id(command_id, part);
    const auto done = send_command(invocation, client, request_of(std::move(request)));
    if (done) continue;
    const bool splits = done.error().code == "command_too_large" && part.size() > 1;
    if (!splits) return tl::unexpected(done.error());
    const auto halves = halves_of(part);
    parts.insert(parts.begin(), halves.begin(), halves.end());
  }
  return {};
}

/// Removes the worktrees of jobs that will be removed. The jobs' rows name them, so this comes first.
void remove_worktrees(std::vector<Doomed>& jobs, CleanUp& worktrees) {
  for (Removal& removal : worktrees.removals) {
    const auto job = std::ranges::find(jobs, removal.name, &Doomed::worktree);
    if (job == jobs.end() || !goes(*job)) continue;
    if (const Status removed = removal.remove(); !removed) job->stays = removed.error();
  }
}

void remove_snapshots(Invocation& invocation, const std::vector<Doomed>& jobs) {
  CleanUp snapshots;
  find_snapshots_of(traces_of(jobs), snapshots);
  for (Removal& removal : snapshots.removals) {
    if (const Status removed = removal.remove(); !removed) {
      snapshots.kept.push_back({removal.kind, removal.name, removed.error().message});
    }
  }
  for (const Kept& kept : snapshots.kept) {
    invocation.say("luzia: snapshots in " + kept.name + " stay: " + kept.reason);
  }
}

Result<int> really_remove(Invocation& invocation, Client& client, const RemovalWish& wish,
                          std::vector<Doomed> jobs, CleanUp& worktrees) {
  remove_worktrees(jobs, worktrees);
  std::vector<Doomed> going;
  std::ranges::copy_if(jobs, std::back_inserter(going), goes);
  std::vector<std::string> ids;
  for (const Doomed& job : going) ids.push_back(job.id);
  LUZIA_TRY(remove_all_of(invocation, client, wish, ids));
  if (!invocation.is_elsewhere()) remove_snapshots(invocation, going);
  if (invocation.json()) print_line(removal_json(jobs, wish.purge, true));
  bool one_stays = false;
  for (const Doomed& job : jobs) {
    if (!job.stays) continue;
    one_stays = true;
    invocation.say("luzia: " + job.stays->message + " (" + job.stays->hint + ")");
  }
  // Accepted, not done: the daemon erases after its answer, which takes time and can fail.
  const std::string erasing =
      "; the daemon now erases the texts from its files, and luzia doctor names what it cannot erase";
  invocation.say(going.empty() ? "nothing to remove"
                               : "removed " + counted(going.size(), "job") + (wish.purge ? erasing : ""));
  return one_stays && wish.named ? static_cast<int>(ErrorKind::refused) : 0;
}

}  // namespace

Result<int> remove_jobs(Invocation& invocation, Client& client, const RemovalWish& wish) {
  auto jobs = LUZIA_TRY(look_at_all(invocation, client, wish));
  CleanUp worktrees;
  // Paths of another machine name nothing here.
  if (!invocation.is_elsewhere()) find_spent_worktrees(invocation, client, traces_of(jobs), worktrees);
  judge_worktrees(jobs, worktrees);
  if (wish.really) return really_remove(invocation, client, wish, std::move(jobs), worktrees);
  if (invocation.json()) {
    print_line(removal_json(jobs, wish.purge, false));
  } else {
    print_doomed(invocation, jobs, wish.purge);
  }
  const auto count = static_cast<std::size_t>(std::ranges::count_if(jobs, goes));
  if (count == 0) {
    const auto kept = std::ranges::find_if(jobs, [](const Doomed& job) { return job.stays.has_value(); });
    if (wish.named && kept != jobs.end()) return tl::unexpected(*kept->stays);
    invocation.say("nothing to remove");
    return 0;
  }
  return fail(
      ErrorKind::refused, "needs_yes",
      std::string("this would ") + (wish.purge ? "purge " : "remove ") + counted(count, "job") + ", for good",
      "add --yes to do it");
}

Result<std::vector<std::string>> ended_jobs(Invocation& invocation, Client& client, TimeUs before) {
  std::vector<std::string> ids;
  wire::QueryT query = view_query(wire::View::jobs, filter_of(invocation.args()));
  query.limit = 1'000;
  LUZIA_TRY(for_each_page(invocation, client, std::move(query), [&](const Page& page) {
    for (const view::Job* job : page.as<view::Job>()) {
      const bool is_old = before == 0 || job->ended_us() < before;
      if (is_terminal(job->state()) && is_old) ids.push_back(job->id()->str());
    }
  }));
  std::ranges::reverse(ids);
  return ids;
}

}  // namespace luzia
