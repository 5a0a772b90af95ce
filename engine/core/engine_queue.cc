// The engine and its queue: switches, breakers, starts.
#include <utility>

#include "engine/core/engine.h"

namespace luzia {
namespace {

template <class Fact>
Fact named(const QueueOrder& order) {
  Fact fact;
  fact.project = order.project;
  fact.note = order.note;
  return fact;
}

schema::BreakerClosedT closing(const std::string& project) {
  schema::BreakerClosedT fact;
  fact.project = project;
  return fact;
}

}  // namespace

void Engine::load_queue_switch(const std::string& project, bool paused) {
  queue_.set_paused(project, paused);
}

void Engine::load_breaker(const schema::BreakerOpenedT& fact) {
  queue_.breakers().opened(fact);
}

void Engine::set_capacity(Capacity capacity) {
  queue_.set_capacity(std::move(capacity));
  queue_changed_ = true;
}

std::optional<Waiting> Engine::why_waiting(std::string_view job, TimeUs now) const {
  const JobState* state = find_live(job);
  return state == nullptr ? std::nullopt : queue_.why(*state, now);
}

void Engine::start_ready(TimeUs now) {
  if (draining_ || !queue_changed_) return;
  queue_changed_ = false;
  for (const std::string& job : queue_.starts(now)) {
    order_internally(job, StartAttempt{options_.boot_id}, now, 0);
  }
  queue_changed_ = false;
}

Result<Outcome> Engine::order_queue(const CommandMeta& meta, const QueueOrder& order) {
  const bool switches = queue_.paused(order.project) != order.pause;
  // Who lets a project go on knows that its trouble is over.
  const bool closes = !order.pause && queue_.breakers().is_open(order.project);
  std::vector<Staged> staged;
  Status staged_all;
  if (switches && order.pause) staged_all = stage_queue(meta, named<schema::QueuePausedT>(order), staged);
  if (switches && !order.pause) staged_all = stage_queue(meta, named<schema::QueueResumedT>(order), staged);
  if (staged_all && closes) staged_all = stage_queue(meta, closing(order.project), staged);
  if (!staged_all) return tl::unexpected(staged_all.error());
  if (!staged.empty()) append(staged);
  if (switches) queue_.set_paused(order.project, order.pause);
  if (closes) queue_.breakers().closed(order.project);
  queue_changed_ = queue_changed_ || switches || closes;
  return Outcome{{}, last_decided(), false};
}

template <class Fact>
Status Engine::stage_queue(const CommandMeta& meta, Fact fact, std::vector<Staged>& staged) {
  const std::string stream = fact.project.empty() ? "system" : "project/" + fact.project;
  schema::QueueFactUnion queue;
  queue.Set(std::move(fact));
  return stage(meta, new_event(stream, std::move(queue)), 0, nullptr, staged);
}

template <class Fact>
bool Engine::note_queue(const CommandMeta& meta, Fact fact) {
  std::vector<Staged> staged;
  if (!stage_queue(meta, std::move(fact), staged)) return false;
  append(staged);
  return true;
}

/// What has ended since the last call is told to the breakers.
void Engine::note_outcomes(TimeUs now) {
  for (const auto& [position, outcome] : std::exchange(outcomes_, {})) {
    auto opened = queue_.breakers().note(outcome, now);
    if (!opened) continue;
    CommandMeta meta;
    meta.now = now;
    meta.cause = position;
    if (note_queue(meta, *opened)) queue_.breakers().opened(*opened);
    queue_changed_ = true;
  }
}

void Engine::close_due_breakers(TimeUs now) {
  CommandMeta meta;
  meta.now = now;
  for (const std::string& project : queue_.breakers().due(now)) {
    if (note_queue(meta, closing(project))) queue_.breakers().closed(project);
    queue_changed_ = true;
  }
}

void Engine::shift_breakers(TimeUs by, TimeUs now, Position cause) {
  CommandMeta meta;
  meta.now = now;
  meta.cause = cause;
  for (const schema::BreakerOpenedT& moved : queue_.breakers().shifted(by)) {
    if (note_queue(meta, moved)) queue_.breakers().opened(moved);
  }
}

}  // namespace luzia
