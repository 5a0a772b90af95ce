#include "projections/store_history.h"

#include <algorithm>

#include "projections/command_ids.h"
#include "projections/flows.h"
#include "projections/learning.h"
#include "projections/live_jobs.h"
#include "projections/stream_events.h"
#include "projections/streams.h"

namespace luzia {

Result<std::optional<History::Command>> StoreHistory::find_command(std::uint32_t uid,
                                                                   const std::string& command_id) {
  const auto rows = views_.snapshot();
  const auto record = luzia::find_command(*rows, uid, command_id);
  LUZIA_TRY(rows->status());
  if (!record) return std::nullopt;
  Command command{Hash{}, record->position, record->result};
  std::copy_n(record->digest.begin(), std::min(record->digest.size(), command.digest.size()),
              command.digest.begin());
  return command;
}

Result<std::optional<JobState>> StoreHistory::load_job(const std::string& job) {
  const auto rows = views_.snapshot();
  auto state = find_job_state(*rows, job);
  auto loaded = state ? Result<std::optional<JobState>>(std::move(state)) : fold_job(*rows, log_, job);
  LUZIA_TRY(rows->status());
  return loaded;
}

Result<std::optional<Flow>> StoreHistory::load_flow(const std::string& flow) {
  const auto rows = views_.snapshot();
  auto state = find_flow_state(*rows, flow);
  LUZIA_TRY(rows->status());
  return state;
}

Result<Lesson> StoreHistory::load_lesson(const std::string& stream) {
  const auto rows = views_.snapshot();
  auto lesson = find_lesson(*rows, log_, stream);
  LUZIA_TRY(rows->status());
  return lesson;
}

Result<std::uint64_t> StoreHistory::stream_version(const std::string& stream) {
  const auto rows = views_.snapshot();
  const std::uint64_t version = last_version(*rows, stream);
  LUZIA_TRY(rows->status());
  return version;
}

Result<std::optional<JobState>> fold_job(const ViewReader& rows, const EventLog& log, std::string_view job,
                                         Position until) {
  JobState state;
  const auto positions = stream_positions(rows, std::string("job/").append(job));
  Status read = visit_events(log, positions, [&](const schema::Event& event, Bytes) {
    if (event.position() > until) return false;
    evolve(state, event);
    return true;
  });
  if (!read) return tl::unexpected(read.error());
  if (state.job.empty()) return std::optional<JobState>();
  return std::optional<JobState>(std::move(state));
}

}  // namespace luzia
