#include "tools/luziad/intake/tracking.h"

#include <algorithm>
#include <fstream>
#include <optional>

#include "adapters/launcher/launcher.h"
#include "engine/base/characters.h"
#include "engine/base/utf8.h"
#include "engine/base/whole_number.h"
#include "tools/luziad/base/command_meta.h"
#include "tools/luziad/watching/tracked_log.h"

namespace luzia {
namespace {

constexpr std::size_t kMostTracked = 200;  // processes and logs of one account at a time
constexpr std::size_t kMostTitleBytes = 16 * 1024;
constexpr std::size_t kMostPathBytes = 4'096;
constexpr std::size_t kMostShownCommand = 200;

/// The start of a file of /proc.
std::string proc_file(std::uint32_t pid, const char* name) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/" + name, std::ios::binary);
  std::string bytes(8 * 1024, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
  return bytes;
}

/// The real user id of the process.
std::optional<std::uint32_t> user_of(std::uint32_t pid) {
  const std::string status = proc_file(pid, "status");
  constexpr std::string_view kLine = "\nUid:\t";
  const std::size_t line = status.find(kLine);
  if (line == std::string::npos) return std::nullopt;
  const std::size_t from = line + kLine.size();
  return parse_whole_number<std::uint32_t>(status.substr(from, status.find('\t', from) - from));
}

std::string command_of(std::uint32_t pid) {
  std::string command = proc_file(pid, "cmdline");
  while (!command.empty() && command.back() == '\0') command.pop_back();
  std::ranges::replace(command, '\0', ' ');
  command = bounded_utf8(command, kMostShownCommand);
  return command.empty() ? "process " + std::to_string(pid) : command;
}

/// Names exactly this process, if it is the caller's own.
Status take_process(const Caller& caller, std::uint32_t pid, schema::JobTrackedT& work) {
  const std::string name = "process " + std::to_string(pid);
  const auto start = process_start_time(pid);
  const auto user = user_of(pid);
  // Asked again: between the two, its pid could have become another process's.
  if (!start || !user || process_start_time(pid) != start) {
    return fail(ErrorKind::not_found, "no_process", "there is no " + name, "ps lists processes");
  }
  if (caller.uid != 0 && caller.uid != *user) {
    return fail(ErrorKind::refused, "user_not_allowed",
                caller.name + " may not track " + name + ": it is another user's",
                "its user or root may track it");
  }
  work.pid = pid;
  work.pid_start = *start;
  work.boot_id = current_boot_id();
  return {};
}

}  // namespace

struct Tracking::Order {
  CommandMeta meta;
  schema::JobTrackedT work;
  std::string title;
};

Status Tracking::check(const Caller& /*caller*/, const wire::TrackJob& request) {
  const std::string_view log = text(request.log());
  if (request.pid() == 0 && log.empty()) {
    return fail(ErrorKind::usage, "nothing_to_track", "neither a process nor a log file is named",
                "luzia track PID, or luzia track --log FILE");
  }
  if (!log.empty() && (!log.starts_with('/') || log.size() > kMostPathBytes || has_control_characters(log))) {
    return fail(ErrorKind::usage, "bad_log",
                "the log file needs an absolute path of at most 4096 bytes without control characters");
  }
  if (log.empty() && request.from_start()) {
    return fail(ErrorKind::usage, "bad_log", "no log file is named that could be read from its start");
  }
  const std::string_view title = text(request.title());
  if (title.size() > kMostTitleBytes || title.find('\0') != std::string_view::npos) {
    return fail(ErrorKind::usage, "bad_title", "the title has more than 16 KiB, or a NUL character");
  }
  return {};
}

Status Tracking::has_room(const schema::JobTrackedT& work) const {
  std::size_t count = 0;
  for (const auto& [id, job] : desk_.engine.live_jobs()) {
    if (!is_watched(job) || is_terminal(job.state)) continue;
    if (job.spec->uid == work.spec->uid) ++count;
    const bool same_process = work.pid != 0 && job.pid == work.pid && job.pid_start == work.pid_start &&
                              job.boot_id == work.boot_id;
    if (same_process && job.spec->project == work.spec->project) {
      return fail(ErrorKind::refused, "already_tracked",
                  "process " + std::to_string(work.pid) + " is tracked already, as job " + id,
                  "luzia untrack " + id + " stops that");
    }
  }
  if (count < kMostTracked) return {};
  return fail(ErrorKind::refused, "too_many_tracked",
              work.spec->user + " tracks " + std::to_string(kMostTracked) + " processes and logs already",
              "luzia untrack JOB stops watching one");
}

Status Tracking::prepare(const Caller& caller, const wire::TrackJobT& request, Order& item) const {
  auto spec = LUZIA_TRY(intake_.tracked_spec(caller, request.project));
  item.work.spec = std::make_unique<schema::JobSpecT>(std::move(spec));
  item.work.log = request.log;
  item.title = request.title;
  if (request.pid != 0) {
    LUZIA_TRY(take_process(caller, request.pid, item.work));
    if (item.title.empty()) item.title = command_of(request.pid);
  }
  if (item.title.empty()) item.title = request.log;
  return has_room(item.work);
}

Status Tracking::take(const RequestId& to, const Caller& caller, const wire::TrackJob& request) {
  wire::TrackJobT copy;
  request.UnPackTo(&copy);
  auto item = std::make_shared<Order>();
  item->meta = meta_of(caller, copy, schema::ActorKind::person);
  // A process that was tracked may have ended since.
  if (!item->meta.command_id.empty() && desk_.engine.is_repeated(item->meta)) {
    return submit_and_reply(desk_, to, item->meta, std::vector<ToJob>());
  }
  LUZIA_TRY(prepare(caller, copy, *item));
  if (copy.log.empty()) return submit(to, *item);
  auto end = std::make_shared<Result<schema::CheckpointT>>(schema::CheckpointT{});
  workers_.run([end, log = tracked_log(copy.log, *item->work.spec)] { *end = checkpoint_at_end(log); },
               [this, to, item, end, from_start = copy.from_start] {
                 if (!*end) return refuse(desk_, to, end->error());
                 if (!from_start) item->work.checkpoint = std::make_unique<schema::CheckpointT>(**end);
                 submit(to, *item);
               });
  return {};
}

Status Tracking::submit(const RequestId& to, Order& item) {
  item.meta.now = wall_now();
  ToJob job = intake_.track_work(std::move(item.work), std::move(item.title), item.meta.now);
  return submit_and_reply(desk_, to, item.meta, to_one_job(std::move(job.job), std::move(job.command)));
}

}  // namespace luzia
