#include "tests/scenarios/world.h"

#include <gtest/gtest.h>

#include "adapters/memory/memory_view_store.h"
#include "engine/view/fold.h"
#include "projections/engine_start.h"
#include "projections/registry.h"
#include "projections/rows/json.h"

namespace luzia {

World::World() {
  open();
}
World::~World() = default;

void World::open() {
  committer_ = std::make_unique<Committer>(log_, [this](CommitOutcome outcome) {
    std::lock_guard lock(mutex_);
    outcomes_.push_back(std::move(outcome));
    told_.notify_all();
  });
  Engine::Hooks hooks;
  hooks.effect = [this](const Effect& effect, const JobState&) { effects_.push_back(effect); };
  hooks.job_changed = [this](const JobState& job) {
    if (is_terminal(job.state)) ended_.push_back(job.job);
  };
  hooks.step_ready = [this](const Flow& flow, const view::FlowStepT& step) {
    ready_steps_.push_back(flow.id + " " + step.name);
  };
  engine_ = std::make_unique<Engine>(Engine::Options{"test", boot_id, capacity}, *committer_, history_,
                                     std::move(hooks));
  MemoryViewStore views;
  EXPECT_TRUE(catch_up(log_, core_projections(), views));
  load_live_state(*engine_, *views.snapshot());
  engine_->resume(log_.tip().position, now);
}

void World::restart() {
  engine_.reset();
  committer_.reset();
  {
    std::lock_guard lock(mutex_);
    outcomes_.clear();
  }
  effects_.clear();
  ready_steps_.clear();
  open();
  settle();
}

bool World::bring_outcomes() {
  std::vector<CommitOutcome> outcomes;
  {
    std::lock_guard lock(mutex_);
    outcomes.swap(outcomes_);
  }
  for (const CommitOutcome& outcome : outcomes) engine_->committed(outcome);
  return !outcomes.empty();
}

void World::settle() {
  engine_->set_capacity(capacity);
  for (;;) {
    engine_->turn(now);
    const Position decided = committer_->next_position() - 1;
    if (engine_->failed() || engine_->durable() >= decided) return;
    {
      std::unique_lock lock(mutex_);
      told_.wait(lock, [this] { return !outcomes_.empty(); });
    }
    bring_outcomes();
  }
}

void World::settle_failure() {
  engine_->turn(now);
  {
    std::unique_lock lock(mutex_);
    told_.wait(lock, [this] { return !outcomes_.empty(); });
  }
  bring_outcomes();
}

void World::submit_only(CommandMeta meta, Command command, std::optional<Result<Outcome>>& reply) {
  if (meta.now == 0) meta.now = now;
  engine_->submit(meta, std::move(command), [&reply](Result<Outcome> result) { reply = std::move(result); });
}

Result<Outcome> World::submit(CommandMeta meta, Command command) {
  std::optional<Result<Outcome>> reply;
  submit_only(std::move(meta), std::move(command), reply);
  settle();
  return reply ? *reply : Result<Outcome>(fail(ErrorKind::trouble, "no_reply", "no reply was given"));
}

Result<Outcome> World::order(const std::string& job, JobCommand command, const std::string& command_id) {
  CommandMeta meta;
  meta.command_id = command_id;
  meta.actor = schema::ActorKind::person;
  meta.actor_name = "ada";
  meta.digest = blake2b({as_bytes(job), as_bytes(std::to_string(command.index()))});
  std::vector<ToJob> commands;
  commands.push_back({job, std::move(command)});
  return submit(std::move(meta), std::move(commands));
}

Result<Outcome> World::monitor(const std::string& job, JobCommand command) {
  std::vector<ToJob> commands;
  commands.push_back({job, std::move(command)});
  return submit({}, std::move(commands));
}

std::vector<std::string> World::take_events() {
  std::vector<std::string> events;
  const auto cursor = log_.read_from(seen_ + 1);
  for (auto group = cursor->next(); group && *group; group = cursor->next()) {
    for (const schema::Event* event : (*group)->events()) {
      if (event->position() <= seen_) continue;
      events.push_back(event_json(*event));
      seen_ = event->position();
    }
  }
  return events;
}

std::vector<Effect> World::take_effects() {
  return std::exchange(effects_, {});
}

QueueJob simple_job(const std::string& id) {
  QueueJob job;
  job.job = id;
  job.spec.project = "p";
  job.spec.agent = "shell";
  job.spec.kill_grace_ms = 10'000;
  job.spec.command = {"/bin/true"};
  return job;
}

}  // namespace luzia
