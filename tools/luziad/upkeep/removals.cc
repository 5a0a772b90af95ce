#include "tools/luziad/upkeep/removals.h"

#include <sys/stat.h>

#include "adapters/job_dir/remove_dir.h"
#include "projections/jobs.h"
#include "projections/live_jobs.h"
#include "projections/rows/json_writer.h"
#include "projections/rows/names.h"
#include "tools/luziad/base/command_meta.h"
#include "tools/luziad/upkeep/removal_texts.h"

namespace luzia {
/// What a removal of the job would delete.
struct JobToRemove {
  JobState job;
  JobTexts texts;
  DirSize size;
  std::string worktree;  // if it exists
};

namespace {

bool exists(const std::string& path) {
  struct stat status {};
  return !path.empty() && ::lstat(path.c_str(), &status) == 0;
}

Result<JobToRemove> look_at(const ViewReader& rows, const EventLog& log, const std::string& id,
                            bool measures) {
  auto job = find_job_state(rows, id);
  LUZIA_TRY(rows.status());
  if (!job) return fail(ErrorKind::not_found, "no_such_job", "no job '" + id + "'");
  JobToRemove found{std::move(*job), {}, {}, {}};
  found.texts = LUZIA_TRY(texts_of_job(rows, log, found.job));
  if (const auto row = find_job_row(rows, id); row && exists(row->worktree)) found.worktree = row->worktree;
  const bool ours = found.job.spec && !is_foreign(found.job);
  if (measures && ours) found.size = measure_job_dir(found.job.spec->job_dir);
  return found;
}

std::string preview_of(const JobToRemove& found, bool purge, const Status& may) {
  std::string out;
  JsonWriter json(out);
  const auto word = [&](const char* key, std::string_view value) {
    json.key(key);
    json.text(value);
  };
  const auto number = [&](const char* key, std::uint64_t value) {
    json.key(key);
    json.number(value);
  };
  json.begin_object();
  word("id", found.job.job);
  word("project", found.job.spec ? found.job.spec->project : "");
  word("state", state_name(found.job.state));
  word("dir", found.job.spec ? found.job.spec->job_dir : "");
  json.key("keeps_files");
  json.boolean(is_foreign(found.job));
  number("files", found.size.files);
  number("bytes", found.size.bytes);
  json.key("complete");
  json.boolean(found.size.whole);
  number("texts", purge ? found.texts.left.size() : 0);
  number("text_bytes", purge ? found.texts.left_bytes : 0);
  word("worktree", found.worktree);
  word("working_dir", found.job.spec ? found.job.spec->working_dir : "");
  json.key("has_snapshot");
  json.boolean(found.job.spec && found.job.spec->snapshot);
  json.key("was_removed");
  json.boolean(found.job.removed);
  if (!may) {
    json.key("refused");
    json.begin_object();
    word("code", may.error().code);
    word("message", may.error().message);
    word("hint", may.error().hint);
    json.end_object();
  }
  json.end_object();
  return out;
}

/// A worktree may hold work that exists nowhere else.
Status has_no_worktree(const JobToRemove& found) {
  if (found.worktree.empty()) return {};
  return fail(
      ErrorKind::refused, "has_worktree",
      "cannot remove job " + found.job.job + ": its worktree " + found.worktree + " is still there",
      "luzia gc takes it away if nothing in it would be lost; git worktree remove --force does anyway");
}

}  // namespace

Status may_remove(const Caller& caller, const JobState& job) {
  if (caller.trusted || (job.spec && job.spec->uid == caller.uid)) return {};
  return fail(ErrorKind::refused, "not_allowed",
              caller.name + " may not remove job " + job.job + ": it ran as " +
                  (job.spec ? job.spec->user : std::string("another user")),
              "ask that user, the daemon's user or root");
}

struct Removals::Look {
  wire::RemoveJobsT request;
  std::vector<std::string> ids;
  std::vector<JobToRemove> found;
  Status read;
};

Status Removals::check(const Caller& /*caller*/, const wire::RemoveJobs& request) {
  const std::size_t count = request.jobs() == nullptr ? 0 : request.jobs()->size();
  if (count > 0 && count <= kMostRemovals) return {};
  return fail(ErrorKind::usage, count == 0 ? "no_jobs" : "too_many_jobs",
              count == 0 ? "no job is named"
                         : "at most " + std::to_string(kMostRemovals) + " jobs are removed at once",
              "name 1 to " + std::to_string(kMostRemovals) + " jobs");
}

Status Removals::take(const RequestId& to, const Caller& caller, const wire::RemoveJobs& request) {
  auto look = std::make_shared<Look>();
  request.UnPackTo(&look->request);
  const CommandMeta meta = meta_of(caller, look->request, schema::ActorKind::person);
  return queries_.resolve(to, look->request.jobs, caller, [this, to, caller, meta, look](auto ids) -> Status {
    look->ids = std::move(ids);
    const std::shared_ptr<const ViewReader> rows = store_.views.snapshot();
    workers_.run(
        [&log = store_.log, rows, look] {
          for (const std::string& id : look->ids) {
            auto found = look_at(*rows, log, id, look->request.dry_run);
            if (!found) look->read = tl::unexpected(found.error());
            if (!found) return;
            look->found.push_back(std::move(*found));
          }
        },
        [this, to, caller, meta, look] { refuse_unless(desk_, to, answer(to, meta, caller, *look)); });
    return {};
  });
}

Result<ToJob> Removals::removal_of(const Caller& caller, const Look& look, std::size_t at) {
  const JobToRemove& found = look.found[at];
  LUZIA_TRY(luzia::may_remove(caller, found.job));
  RemoveJob command{look.request.purge, look.request.note, found.texts.left, found.job.version};
  if (command.texts.size() > kMostTextsAtOnce) command.texts.resize(kMostTextsAtOnce);
  // If the command would be refused, stop here: the first reason is the one to report.
  LUZIA_TRY(decide(found.job, command, 0));
  LUZIA_TRY(desk_.engine.flows().may_remove(found.job));
  LUZIA_TRY(has_no_worktree(found));
  return ToJob{found.job.job, std::move(command)};
}

Status Removals::answer(const RequestId& to, const CommandMeta& meta, const Caller& caller, Look& look) {
  LUZIA_TRY(look.read);
  std::vector<ToJob> commands;
  wire::AcceptedT preview;
  for (std::size_t i = 0; i < look.found.size(); ++i) {
    auto item = removal_of(caller, look, i);
    if (look.request.dry_run) {
      const Status may = item ? Status() : tl::unexpected(item.error());
      preview.ids.push_back(preview_of(look.found[i], look.request.purge, may));
      continue;
    }
    if (!item) return tl::unexpected(item.error());
    commands.push_back(std::move(*item));
  }
  if (look.request.dry_run) {
    preview.position = desk_.engine.durable();
    return send_reply(desk_, to, std::move(preview));
  }
  CommandMeta now = meta;
  now.now = wall_now();
  return submit_and_reply(desk_, to, now, std::move(commands));
}

}  // namespace luzia
