// Writes meta.json: the older tool's fields with their old names and words, plus ours.
#include <nlohmann/json.hpp>

#include "adapters/job_dir/job_dir.h"
#include "adapters/job_dir/owned_directory.h"
#include "engine/base/time.h"
#include "engine/event/job_state.h"

namespace luzia {
namespace {

using Json = nlohmann::ordered_json;

Json time_or_null(TimeUs time) {
  return time == 0 ? Json(nullptr) : Json(format_rfc3339(time));
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json meta_of(const view::JobT& job, std::string_view task) {
  Json meta;
  meta["id"] = job.id;
  meta["project"] = job.project;
  meta["task"] = task;
  meta["type"] = "agent";
  meta["user"] = job.user;
  meta["pid"] = job.pid == 0 ? Json(nullptr) : Json(job.pid);
  meta["started"] = time_or_null(job.started_us);
  meta["status"] = older_status(job.state);
  meta["debug"] = false;
  meta["agent"] = job.agent;
  meta["attempt"] = job.attempt;
  meta["queued"] = time_or_null(job.queued_us);
  meta["ended"] = time_or_null(job.ended_us);
  meta["exit_code"] = job.exit_code ? Json(*job.exit_code) : Json(nullptr);
  meta["session_id"] = text_or_null(job.session_id);
  meta["log_bytes"] = job.output_bytes;
  meta["state"] = schema::EnumNameJobState(recorded_state(job.state));
  return meta;
}

}  // namespace

std::string_view older_status(schema::JobState state) {
  switch (state) {
    case schema::JobState::starting:
    case schema::JobState::running:
    case schema::JobState::waiting:
      return "running";
    case schema::JobState::completed:
      return "completed";
    case schema::JobState::failed:
    case schema::JobState::timed_out:
    case schema::JobState::skipped:
      return "failed";
    case schema::JobState::killed:
    case schema::JobState::cancelled:
      return "killed";
    case schema::JobState::none:
    case schema::JobState::queued:
    case schema::JobState::parked:
    case schema::JobState::lost:
      return "unknown";
  }
  return "unknown";
}

Status write_meta_json(const view::JobT& job, std::string_view task, std::uint32_t uid, std::uint32_t gid) {
  auto directory = OwnedDirectory::open(job.dir, uid, gid);
  if (!directory) {
    if (directory.error().code == "no_job_dir") return {};
    return tl::unexpected(directory.error());
  }
  // Invalid UTF-8 becomes replacement characters instead of an exception.
  const std::string text =
      meta_of(job, task).dump(2, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) + '\n';
  if (directory->holds("meta.json", text)) return {};
  return directory->write("meta.json", text, 0600);
}

}  // namespace luzia
