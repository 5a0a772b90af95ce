// gc: removes worktrees and snapshots of ended jobs that nobody needs any more, and what [keep] lets go of;
// with --jobs the jobs.
#include <algorithm>

#include "engine/base/counted.h"
#include "engine/base/try.h"
#include "engine/event/job_state.h"
#include "projections/rows/json_object.h"
#include "projections/rows/table.h"
#include "tools/luzia/change/clean_up.h"
#include "tools/luzia/change/expiring.h"
#include "tools/luzia/change/removing.h"
#include "tools/luzia/families.h"

namespace luzia {
namespace {

constexpr std::uint32_t kPageSize = 1'000;

constexpr Option kGcOptions[] = {
    {"-n,--dry-run", ValueKind::flag, "", "show what would go, and why the rest stays"},
    {"-y,--yes", ValueKind::flag, "", "really do it"},
    kProjectFilter,
    {"--jobs", ValueKind::flag, "", "remove ended jobs instead, as luzia rm does"},
    {"--older-than", ValueKind::duration, "D", "of --jobs: those that ended at least that long ago: 90d"},
    kPurgeOption,
};

Result<JobTraces> trace_jobs(Invocation& invocation, Client& client) {
  JobTraces jobs;
  wire::QueryT query = view_query(wire::View::jobs, filter_of(invocation.args()));
  query.limit = kPageSize;
  LUZIA_TRY(for_each_page(invocation, client, std::move(query), [&](const Page& page) {
    for (const view::Job* row : page.as<view::Job>()) {
      const auto text = [](const flatbuffers::String* value) { return value == nullptr ? "" : value->str(); };
      JobTrace& job = jobs[row->id()->str()];
      job.project = text(row->project());
      job.working_dir = text(row->working_dir());
      job.worktree = text(row->worktree());
      job.ended = is_terminal(row->state());
      job.has_snapshot = row->snapshot() != nullptr && row->snapshot()->size() > 0;
      job.ended_us = row->ended_us();
    }
  }));
  return jobs;
}

void print_lists(Invocation& invocation, const CleanUp& clean_up) {
  const TableStyle style = invocation.terminal().style();
  Table removals(
      {{"REMOVE"}, {.title = "NAME", .shrinks = true}, {.title = "WHY", .shrinks = true, .keeps_end = true}});
  for (const Removal& removal : clean_up.removals) {
    removals.add({{removal.kind}, {removal.name}, {removal.reason}});
  }
  Table kept(
      {{"KEEP"}, {.title = "NAME", .shrinks = true}, {.title = "WHY", .shrinks = true, .keeps_end = true}});
  for (const Kept& each : clean_up.kept) kept.add({{each.kind}, {each.name}, {each.reason}});
  for (const Table* table : {&removals, &kept}) {
    if (!table->empty()) print(table->text(style));
  }
}

std::string lists_json(const CleanUp& clean_up, const std::vector<ExpiringByRule>& expiring, bool removed) {
  JsonObject json;
  json.boolean("removed", removed);
  const auto write_entry = [](JsonObject& entry, const auto& item) {
    entry.text("kind", item.kind);
    entry.text("name", item.name);
    entry.text("reason", item.reason);
  };
  json.objects("remove", clean_up.removals, write_entry);
  json.objects("keep", clean_up.kept, write_entry);
  json.objects("expire", expiring, [](JsonObject& entry, const ExpiringByRule& rule) {
    entry.text("rule", rule.rule);
    entry.number("jobs", rule.jobs);
    entry.number("bytes", rule.bytes);
  });
  return json.take();
}

/// "removed 2 worktrees and the old snapshots of 1 repository"; of 0: what else there is to say.
std::string removed_words(const std::vector<Removal>& removed, bool had_some) {
  const auto worktrees = static_cast<std::uint64_t>(std::ranges::count(removed, "worktree", &Removal::kind));
  const std::uint64_t repositories = removed.size() - worktrees;
  std::string words = worktrees == 0 ? "" : "removed " + counted(worktrees, "worktree");
  if (repositories > 0) {
    words += (words.empty() ? "removed the" : " and the") + std::string(" old snapshots of ") +
             counted(repositories, "repository", "repositories");
  }
  return !words.empty() ? words : had_some ? "nothing was removed" : "";
}

/// Removes the candidates. One that cannot be removed is listed as kept, with the reason. The daemon lets go
/// of what has expired.
Result<int> remove_all(Invocation& invocation, Client& client, CleanUp& clean_up,
                       const std::vector<ExpiringByRule>& expiring) {
  std::string begun;
  if (jobs_of(expiring) > 0) begun = LUZIA_TRY(let_expire(client));
  std::vector<Removal> removed;
  for (Removal& removal : clean_up.removals) {
    if (const Status done = removal.remove(); !done) {
      clean_up.kept.push_back({removal.kind, removal.name, done.error().message});
      invocation.say("luzia: " + done.error().message);
    } else {
      removed.push_back(std::move(removal));
    }
  }
  const bool all = removed.size() == clean_up.removals.size();
  std::string words = removed_words(removed, !all);
  if (words.empty() && begun.empty()) words = "nothing to remove";
  clean_up.removals = std::move(removed);
  if (invocation.json()) print_line(lists_json(clean_up, expiring, true));
  if (!words.empty()) invocation.say(words);
  if (!begun.empty()) invocation.say(begun);
  return all ? 0 : 1;
}

Result<int> remove_old_jobs(Invocation& invocation) {
  const Arguments& args = invocation.args();
  const auto age = args.duration_ms("older-than");
  if (!age) {
    return fail(ErrorKind::usage, "bad_usage", "gc --jobs: how old must a job be?",
                "luzia gc --jobs --older-than 90d");
  }
  auto client = LUZIA_TRY(connect_to_ask(invocation));
  auto ids = LUZIA_TRY(
      ended_jobs(invocation, client, invocation.now() - static_cast<TimeUs>(*age) * kMillisecondUs));
  const bool really = args.has("yes") && !args.has("dry-run");
  auto done = remove_jobs(invocation, client, {std::move(ids), args.has("purge"), really, false, {}});
  const bool only_shown = !done && done.error().code == "needs_yes" && args.has("dry-run");
  return only_shown ? Result<int>(0) : done;
}

Result<int> run_gc(Invocation& invocation) {
  const Arguments& args = invocation.args();
  if (args.has("jobs")) return remove_old_jobs(invocation);
  if (args.has("older-than") || args.has("purge")) {
    return fail(ErrorKind::usage, "bad_usage", "--older-than and --purge are about jobs",
                "luzia gc --jobs --older-than 90d");
  }
  auto client = LUZIA_TRY(connect_to_ask(invocation));
  const auto jobs = LUZIA_TRY(trace_jobs(invocation, client));
  CleanUp clean_up;
  find_spent_worktrees(invocation, client, jobs, clean_up);
  // A job that a filter leaves out looks like one that nobody knows any more.
  if (!args.has("project")) find_old_snapshots(invocation, jobs, clean_up);
  // [keep] is about all projects.
  const auto expiring = args.has("project") ? std::vector<ExpiringByRule>() : what_expires(client);
  const bool really = args.has("yes") && !args.has("dry-run");
  if (!invocation.json()) {
    print_lists(invocation, clean_up);
    print_expiring(invocation, expiring);
  }
  if (really) return remove_all(invocation, client, clean_up, expiring);
  if (invocation.json()) print_line(lists_json(clean_up, expiring, false));
  if (clean_up.removals.empty() && jobs_of(expiring) == 0) {
    invocation.say("nothing to remove");
    return 0;
  }
  if (args.has("dry-run")) return 0;
  return fail(ErrorKind::refused, "needs_yes", "this would remove what the list above names",
              "add --yes to do it");
}

}  // namespace

const Command kGcCommand = {
    "gc",
    "Files",
    "[--dry-run | --yes] [--project NAME]\n--jobs --older-than D [--purge] [--dry-run | --yes]",
    "remove old jobs, or what ended jobs left in repositories",
    "Worktrees of ended jobs (dispatch --worktree) that have no changes and whose commits another branch "
    "has, "
    "with their branches; the others stay and are named. Snapshots of jobs that ended longer ago than [git] "
    "keep_snapshots, unless --project is given. What [keep] lets go of, by rule: the daemon does that by "
    "itself "
    "every hour, and with --yes at once. With --jobs the jobs themselves, in bulk: see luzia rm.",
    "luzia gc --dry-run\nluzia gc --yes\nluzia gc --jobs --older-than 90d",
    kGcOptions,
    {},
    run_gc,
    kNeedsStore};

}  // namespace luzia
