#include "projections/store_history.h"

#include <algorithm>

#include "projections/command_ids.h"
#include "projections/live_jobs.h"
#include "projections/stream_events.h"
#include "projections/streams.h"

namespace luzia {

std::optional<History::Command> StoreHistory::find_command(std::uint32_t uid, const std::string& command_id) {
  const auto record = luzia::find_command(*views_.snapshot(), uid, command_id);
  if (!record) return std::nullopt;
  Command command{Hash{}, record->position, record->result};
  std::copy_n(record->digest.begin(), std::min(record->digest.size(), command.digest.size()),
              command.digest.begin());
  return command;
}

Result<std::optional<JobState>> StoreHistory::load_job(const std::string& job) {
  const auto rows = views_.snapshot();
  if (auto state = find_job_state(*rows, job)) return state;
  return fold_job(*rows, log_, job);
}

std::uint64_t StoreHistory::stream_version(const std::string& stream) {
  return last_version(*views_.snapshot(), stream);
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
