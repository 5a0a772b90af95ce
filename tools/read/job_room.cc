#include "tools/read/job_room.h"

#include <algorithm>
#include <thread>

#include "engine/event/job_state.h"
#include "tools/read/source.h"

namespace luzia {

void JobRoom::add(const view::Job& job) {
  if (is_terminal(job.state()) || job.state() == schema::JobState::parked) return;
  ++(job.state() == schema::JobState::queued ? queued : running);
}

void JobRoom::add(const view::QueueSwitch& each) {
  const bool is_all = each.scope() == nullptr || each.scope()->size() == 0;
  paused = paused || (is_all && (each.paused() || each.draining()));
}

std::uint32_t slots_of(const Config& config) {
  const std::uint32_t most = config.queue.max_running;
  return most != 0 ? most : 2 * std::max(1U, std::thread::hardware_concurrency());
}

wire::QueryT jobs_for_room(bool long_queue) {
  wire::QueryT status = view_query(wire::View::status);
  status.filter->ended = false;
  status.long_queue = long_queue;
  return status;
}

}  // namespace luzia
