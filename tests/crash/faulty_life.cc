#include "tests/crash/faulty_life.h"

#include "engine/view/fold.h"
#include "projections/live_jobs.h"
#include "projections/registry.h"

namespace luzia::test {

Result<std::unique_ptr<FaultyLife>> FaultyLife::start(const std::string& store, rocksdb::Env* env) {
  std::unique_ptr<FaultyLife> life(new FaultyLife);
  auto log = open_rocks_event_log(store, {.env = env});
  if (!log) return tl::unexpected(log.error());
  auto views = open_rocks_view_store(store + "/views", OpenMode::read_write, env);
  if (!views) return tl::unexpected(views.error());
  life->log_ = std::move(*log);
  life->views_ = std::move(views->store);
  if (auto caught_up = catch_up(*life->log_, all_projections(), *life->views_); !caught_up)
    return tl::unexpected(caught_up.error());
  life->history_ = std::make_unique<StoreHistory>(*life->views_, *life->log_);
  FaultyLife* self = life.get();
  life->committer_ = std::make_unique<Committer>(
      *life->log_, [self](const CommitOutcome& outcome) { self->engine_->committed(outcome); },
      Committer::Stepped{});
  life->engine_ = std::make_unique<Engine>(Engine::Options{"test", "boot", {0}}, *life->committer_,
                                           *life->history_, Engine::Hooks{});
  const auto rows = life->views_->snapshot();
  visit_live_jobs(*rows, [&](JobState job) { self->engine_->load(std::move(job)); });
  life->engine_->resume(life->log_->tip().position, life->now_);
  return life;
}

void FaultyLife::send(int i) {
  QueueJob item;
  item.job = job_of(i);
  item.spec.project = "alpha";
  item.spec.agent = "shell";
  item.prompt = Blob{0, "0123456789abcdef", prompt_of(i)};
  CommandMeta meta;
  meta.command_id = command_id(i);
  meta.digest.fill(static_cast<std::uint8_t>(i));
  meta.now = ++now_;
  std::vector<ToJob> commands;
  commands.push_back({item.job, std::move(item)});
  heard_[i] = {};
  engine_->submit(meta, std::move(commands), [this, i](const Result<Outcome>& outcome) {
    heard_[i] = outcome ? Heard{true, outcome->repeated, ""} : Heard{false, false, outcome.error().code};
  });
  engine_->turn(now_);
  (void)committer_->step();
}

void FaultyLife::upkeep() {
  (void)log_->sync_watermark();
  (void)flush_log(*log_);
  (void)catch_up(*log_, all_projections(), *views_);
  engine_->views_reached(views_->snapshot()->cursor().position);
}

}  // namespace luzia::test
