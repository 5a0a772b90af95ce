#include "adapters/output_log/output_watcher.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "adapters/output_log/watcher_state.h"

namespace luzia {

OutputWatcher::OutputWatcher(uv_loop_t* loop, LineDecoderSource decoders, Hooks hooks, Limits limits)
    : state_(std::make_unique<State>(loop, std::move(decoders), std::move(hooks), limits)) {}

OutputWatcher::~OutputWatcher() {
  assert(state_->stopping && state_->open_handles == 0);
}

void OutputWatcher::watch(WatchSpec spec) {
  if (state_->stopping) return;
  forget(spec.job);
  state_->add(std::move(spec));
  state_->drain();
}

void OutputWatcher::finish(const std::string& job, std::uint64_t size, std::function<void()> then) {
  WatchedJob* watched = state_->find(job);
  if (watched == nullptr) {
    if (!state_->stopping) then();
    return;
  }
  watched->finish_at = size;
  watched->thens.push_back(std::move(then));
  const std::uint64_t id = watched->id;
  state_->look(*watched, State::Urgency::at_once);
  state_->deliver(id);
  state_->drain();
}

void OutputWatcher::catch_up(const std::string& job, std::function<void()> then) {
  WatchedJob* watched = state_->find(job);
  if (watched == nullptr) {
    if (!state_->stopping) then();
    return;
  }
  watched->caught_up.push_back(std::move(then));
  watched->catching_up = watched->read_all ? WatchedJob::CatchingUp::looked : WatchedJob::CatchingUp::asked;
  const std::uint64_t id = watched->id;
  state_->look(*watched, State::Urgency::at_once);
  state_->deliver(id);
  state_->drain();
}

void OutputWatcher::recorded(const std::string& job, const schema::CheckpointT& checkpoint) {
  WatchedJob* watched = state_->find(job);
  if (watched == nullptr) return;
  if (watched->outbox.recorded(checkpoint)) {
    watched->stale = 0;
  } else {
    state_->restart_reading(*watched, checkpoint);
  }
  state_->deliver(watched->id);
  state_->drain();
}

void OutputWatcher::forget(const std::string& job) {
  if (WatchedJob* watched = state_->find(job)) state_->remove(*watched);
}

const LiveTail* OutputWatcher::tail(const std::string& job) const {
  const WatchedJob* watched = state_->find(job);
  return watched ? &watched->tail : nullptr;
}

std::map<std::string, LiveTail> OutputWatcher::tails() const {
  std::map<std::string, LiveTail> tails;
  for (const auto& [id, job] : state_->jobs) tails.emplace(job->name, job->tail);
  return tails;
}

std::optional<RequestMarks> OutputWatcher::requests(const std::string& job) const {
  const WatchedJob* watched = state_->find(job);
  return watched ? watched->requests : std::nullopt;
}

std::size_t OutputWatcher::watched() const {
  return state_->jobs.size();
}

void OutputWatcher::look_at_all() {
  for (const auto& [id, job] : state_->jobs) {
    state_->hints.add({state_->hooks.monotonic_now(), job->name, RawHint::What::asked});
    job->look_for_requests = true;
    state_->look(*job, State::Urgency::at_once);
  }
  state_->drain();
}

std::vector<RawHint> OutputWatcher::recent_hints() const {
  return state_->hints.all();
}

void OutputWatcher::stop(std::function<void()> stopped) {
  State& state = *state_;
  assert(!state.stopping);
  state.stopping = true;
  state.stopped = std::move(stopped);
  while (!state.jobs.empty()) state.remove(*state.jobs.begin()->second);
  state.ready.clear();
  state.pool.cancel();
  for (uv_handle_t* handle : {reinterpret_cast<uv_handle_t*>(&state.after_poll),
                              reinterpret_cast<uv_handle_t*>(&state.reconcile_timer),
                              reinterpret_cast<uv_handle_t*>(&state.chatty.timer),
                              reinterpret_cast<uv_handle_t*>(&state.over_budget.timer)}) {
    handle->data = &state;
    uv_close(handle, [](uv_handle_t* closed) {
      State& owner = *static_cast<State*>(closed->data);
      --owner.open_handles;
      owner.finish_stop();
    });
  }
}

}  // namespace luzia
