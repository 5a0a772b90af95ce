#include "tools/luziad/intake/imports.h"

#include <algorithm>
#include <memory>

#include "engine/base/ids.h"
#include "projections/live_jobs.h"
#include "tools/luziad/base/command_meta.h"

namespace luzia {
namespace {

constexpr std::size_t kMaxNameBytes = 100;
constexpr std::size_t kMaxLastLine = 512;

tl::unexpected<Error> bad_import(const wire::ImportedJobT& job, const std::string& why) {
  return fail(ErrorKind::usage, "bad_import", "importing " + job.source + ": " + why);
}

Status check_import(const wire::ImportedJobT& job, TimeUs now) {
  const bool named = !job.project.empty() && job.project.size() <= kMaxNameBytes &&
                     job.project.find_first_of(std::string_view("/\0\n", 3)) == std::string::npos;
  if (!named) return bad_import(job, "its project has no name that fits");
  if (!is_terminal(job.state)) return bad_import(job, "it has not ended");
  const bool in_order = 0 < job.queued_us && job.queued_us <= job.started_us &&
                        job.started_us <= job.ended_us && job.ended_us <= now + kMinuteUs;
  if (!in_order) return bad_import(job, "its times are not in order, or lie in the future");
  if (!job.source.starts_with('/')) return bad_import(job, "its folder is not named in full");
  for (const std::string& tag : job.tags) {
    if (tag.empty() || tag.size() > 64 || tag.find_first_of(" ,\t\n") != std::string::npos) {
      return bad_import(job, "a tag is empty, over 64 bytes or has spaces or commas");
    }
  }
  return {};
}

/// A 64-bit hash that identifies the job; its folder may move.
std::uint64_t hash_of(const wire::ImportedJobT& job, TimeUs start) {
  const std::string started = std::to_string(start);
  std::string key;
  for (const std::string& part : {job.id, job.project, job.task, started}) {
    key += std::to_string(part.size()) + ":" + part;
  }
  const Hash hash = blake2b({as_bytes(key)});
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < sizeof number; ++i) number = number << 8 | hash[i];
  return number;
}

/// Jobs without a start time must still have distinct ids. Their ids sort before all others, spread over the
/// years before the older tool existed.
std::string id_of_import(const wire::ImportedJobT& job, TimeUs start) {
  constexpr std::uint64_t kUsedBits = 25, kSecondsBeforeAll = 600'000'000;  // up to 1989
  const std::uint64_t hash = hash_of(job, start);
  if (start == 0) start = static_cast<TimeUs>((hash >> kUsedBits) % kSecondsBeforeAll) * kSecondUs;
  return id_of_past(start, hash);
}

}  // namespace

Result<ImportCommand> import_command(const wire::ImportedJobT& job, TimeUs now) {
  LUZIA_TRY(check_import(job, now));
  ImportJob import;
  schema::JobImportedT& fact = import.fact;
  fact.job = id_of_import(job, job.named_us.value_or(job.started_us));
  fact.spec = std::make_unique<schema::JobSpecT>();
  fact.spec->project = job.project;
  fact.spec->agent = job.agent;
  fact.spec->user = job.user;
  fact.spec->uid = job.uid;
  fact.spec->gid = job.gid;
  fact.spec->job_dir = job.source;
  fact.spec->tags = job.tags;
  fact.state = recorded_state(job.state);  // the log has no words of its own for jobs that never ran
  fact.exit_code = job.exit_code;
  fact.queued_us = job.queued_us;
  fact.started_us = job.started_us;
  fact.ended_us = job.ended_us;
  fact.output_bytes = job.output_bytes;
  fact.output_lines = job.output_lines;
  fact.last_line = job.last_line.substr(0, kMaxLastLine);
  fact.source = job.source;
  import.prompt = {0, random_bytes(16), job.task};
  const std::string id = fact.job;
  return ImportCommand{{id, std::move(import)}, id_of_import(job, job.started_us)};
}

Status Imports::check(const Caller& caller, const wire::ImportJobs& request) {
  if (!caller.trusted) {
    return fail(ErrorKind::refused, "not_allowed", caller.name + " may not import jobs",
                "ask the daemon's user or root");
  }
  if (request.jobs() == nullptr || request.jobs()->size() <= kMostImports) return {};
  return fail(ErrorKind::usage, "too_many_jobs",
              "at most " + std::to_string(kMostImports) + " jobs are imported at once");
}

Status Imports::take(const RequestId& to, const Caller& caller, const wire::ImportJobs& request) {
  const std::size_t count = request.jobs() == nullptr ? 0 : request.jobs()->size();
  CommandMeta meta = meta_of(caller, schema::ActorKind::person);
  std::vector<ImportCommand> imports;
  for (std::size_t i = 0; i < count; ++i) {
    wire::ImportedJobT job;
    request.jobs()->Get(static_cast<flatbuffers::uoffset_t>(i))->UnPackTo(&job);
    auto import = LUZIA_TRY(import_command(job, meta.now));
    imports.push_back(std::move(import));
  }
  const auto submit = [this, to, meta, dry_run = request.dry_run()](std::vector<ToJob> commands) mutable {
    if (dry_run) return reply_with_new(to, commands);
    meta.now = wall_now();
    return submit_and_reply(desk_, to, meta, std::move(commands));
  };
  return keep_older_ids(to, std::move(imports), submit);
}

Status Imports::keep_older_ids(const RequestId& to, std::vector<ImportCommand> imports,
                               std::function<Status(std::vector<ToJob>)> then) {
  const bool are_the_same = std::ranges::all_of(
      imports, [](const ImportCommand& import) { return import.older_id == import.item.job; });
  const auto go_on = [then = std::move(then)](std::vector<ImportCommand>& taken) {
    std::vector<ToJob> commands;
    for (ImportCommand& import : taken) commands.push_back(std::move(import.item));
    return then(std::move(commands));
  };
  if (are_the_same) return go_on(imports);
  auto waiting = std::make_shared<std::vector<ImportCommand>>(std::move(imports));
  return queries_.when_current(to, [this, waiting, go_on]() -> Status {
    const auto rows = views_.snapshot();
    for (auto& [item, older_id] : *waiting) {
      if (!find_job_state(*rows, older_id)) continue;
      item.job = older_id;
      std::get<ImportJob>(item.command).fact.job = older_id;
    }
    LUZIA_TRY(rows->status());
    return go_on(*waiting);
  });
}

Status Imports::reply_with_new(const RequestId& to, const std::vector<ToJob>& commands) {
  auto ids = std::make_shared<std::vector<std::string>>();
  for (const ToJob& item : commands) ids->push_back(item.job);
  return queries_.when_current(to, [this, to, ids]() -> Status {
    const auto rows = views_.snapshot();
    wire::AcceptedT accepted;
    accepted.position = rows->cursor().position;
    for (std::string& id : *ids) {
      const bool twice = std::ranges::find(accepted.ids, id) != accepted.ids.end();
      if (!twice && !find_job_state(*rows, id)) accepted.ids.push_back(std::move(id));
    }
    LUZIA_TRY(rows->status());
    return send_reply(desk_, to, std::move(accepted));
  });
}

}  // namespace luzia
