#include "tools/luziad/upkeep/upkeep.h"

#include <spdlog/spdlog.h>

#include "engine/base/counted.h"
#include "engine/base/store_file.h"
#include "engine/device/push.h"
#include "engine/log/rocks_event_log.h"
#include "engine/log/verify_chain.h"
#include "engine/view/new_views.h"
#include "engine/view/scratch_views.h"
#include "projections/past_views.h"
#include "projections/registry.h"
#include "tools/luziad/base/command_meta.h"

namespace luzia {
namespace {

constexpr TimeUs kProgressEvery = 200 * kMillisecondUs;
constexpr std::string_view kAboutHook = "hook ";

wire::ProgressedT words(std::string message, bool failed = false) {
  wire::ProgressedT reply;
  reply.message = std::move(message);
  reply.last = true;
  reply.failed = failed;
  return reply;
}

/// Counts like Engine::running().
bool still_runs(const JobState& job) {
  using enum schema::JobState;
  return (job.state == starting || job.state == running || job.state == waiting) && !job.attempt_over;
}

/// "2 jobs still run: 0kx8aaaaaaaaa (web), 0kx8aaaaaaaab (api)"; names the oldest.
std::string who_runs(const Engine& engine) {
  constexpr std::size_t kMostNamed = 5;
  const std::size_t running = engine.queue().running();
  if (running == 0) return "nothing runs";
  std::string named;
  std::size_t count = 0;
  for (const auto& [id, job] : engine.live_jobs()) {
    if (count == kMostNamed) break;
    if (!still_runs(job)) continue;
    named += (count++ == 0 ? ": " : ", ") + id + " (" + job.spec->project + ")";
  }
  if (running > count) named += " and " + grouped(running - count) + " more";
  return counted(running, "job still runs", "jobs still run") + named;
}

}  // namespace

Upkeep::~Upkeep() {
  if (maker_.joinable()) maker_.join();
}

Status Upkeep::check(const Caller& caller, const wire::Control& request) {
  const bool may = caller.trusted && !caller.device;
  if (may || request.action() == wire::ControlAction::ping) return {};
  return fail(ErrorKind::refused, "not_allowed", caller.name + " may not control the daemon",
              "ask its user or root");
}

Status Upkeep::control(const RequestId& to, const Caller& caller, const wire::Control& request) {
  switch (request.action()) {
    case wire::ControlAction::ping:
      return send_reply(desk_, to, welcome(desk_));
    case wire::ControlAction::stop:
      send_reply(desk_, to, words("stopping; running jobs go on and are found again at the next start"));
      doors_.stop();
      return {};
    case wire::ControlAction::reload:
      LUZIA_TRY(doors_.reload());
      return send_reply(desk_, to, words("configuration read"));
    case wire::ControlAction::drain:
      return drain(to, caller, std::string(text(request.argument())));
    case wire::ControlAction::info: {
      // "hook NAME": delivers a sample. "keep": what [keep] would let go of; "keep now": does it.
      const std::string_view about = text(request.argument());
      if (about == "keep" || about == "keep now") return keep(to, about == "keep now");
      if (about.starts_with(kAboutHook))
        return doors_.try_hook(to, std::string(about.substr(kAboutHook.size())));
      return send_reply(desk_, to, describe());
    }
    case wire::ControlAction::verify:
      return verify(to);
    case wire::ControlAction::backup:
      return backup(to, std::string(text(request.argument())));
    case wire::ControlAction::rebuild:
      return rebuild(to);
    case wire::ControlAction::scrub:
      return scrub(to);
  }
  return {};
}

/// Reports the result at once; then, until nothing runs any more, how many jobs still do.
Status Upkeep::drain(const RequestId& to, const Caller& caller, const std::string& argument) {
  const bool on = argument != "off";
  if (on && !argument.empty()) {
    return fail(ErrorKind::usage, "bad_usage", "a drain is begun, or ended with 'off'");
  }
  CommandMeta meta = meta_of(caller, schema::ActorKind::person);
  const char* over = desk_.engine.queue().stops().draining ? "the drain is over: jobs start again"
                                                           : "nothing was draining: jobs start as they did";
  desk_.engine.submit(meta, ToDrain{on, ""}, [this, to, on, over](const Result<Outcome>& outcome) {
    if (!outcome) return refuse(desk_, to, outcome.error());
    if (on) {
      drains_.emplace(to, ~std::size_t{0});
      turn();
    } else {
      send_reply(desk_, to, words(over));
    }
  });
  return {};
}

void Upkeep::turn() {
  if (drains_.empty()) return;
  const std::size_t running = desk_.engine.queue().running();
  for (auto next = drains_.begin(); next != drains_.end();) {
    const auto waiting = next++;
    const RequestId to = waiting->first;
    if (!desk_.server.is_open(to.connection)) {
      drains_.erase(waiting);
    } else if (!desk_.engine.queue().stops().draining) {
      drains_.erase(waiting);
      refuse(desk_, to,
             {ErrorKind::refused, "drain_ended", "the drain was ended while jobs still ran",
              "luzia daemon drain begins another"});
    } else if (std::exchange(waiting->second, running) != running) {
      wire::ProgressedT reply = words("draining; " + who_runs(desk_.engine));
      reply.done = reply.total = running;
      reply.last = running == 0;
      if (running == 0) drains_.erase(waiting);
      send_reply(desk_, to, std::move(reply));
    }
  }
}

wire::ProgressedT Upkeep::describe() const {
  const Status views = store_.view_thread.status();
  std::string description =
      "store " + store_.folder + "\nposition " + std::to_string(desk_.engine.durable()) + "\nlive jobs " +
      std::to_string(desk_.engine.live_jobs().size()) + "\nconnections " +
      std::to_string(desk_.server.connections()) + "\nwatched outputs " + std::to_string(watcher_.watched());
  if (desk_.engine.queue().stops().draining)
    description += "\ndraining: nothing starts; " + who_runs(desk_.engine);
  if (const std::string lack = doors_.lack_of_room(); !lack.empty()) {
    description += "\nnothing new starts while " + lack;
  }
  wire::ProgressedT reply;
  for (wire::DaemonFactT& fact : doors_.facts()) {
    if (fact.text.empty()) continue;
    description += "\n" + fact.title + ": " + fact.text;
    reply.facts.push_back(std::make_unique<wire::DaemonFactT>(std::move(fact)));
  }
  if (!views) description += "\nrows stand still: " + views.error().message;
  if (making_) description += "\nrows of an older version serve; new ones are " + making_->text();
  reply.message = std::move(description);
  reply.last = true;
  return reply;
}

Status Upkeep::run(const RequestId& to, std::function<Result<std::string>()> work,
                   std::function<void()> over) {
  auto outcome = std::make_shared<Result<std::string>>(std::string());
  threads_.workers.run([outcome, work = std::move(work)] { *outcome = work(); },
                       [this, to, outcome, over = std::move(over)] {
                         if (over) over();
                         if (!*outcome) return refuse(desk_, to, outcome->error());
                         send_reply(desk_, to, words(**outcome));
                       });
  return {};
}

std::function<void(Position)> Upkeep::progress_to(const RequestId& to, std::string what, Position total) {
  auto last = std::make_shared<TimeUs>(0);
  return [this, to, what = std::move(what), total, last](Position done) {
    const TimeUs now = monotonic_now();
    if (now - *last < kProgressEvery) return;
    *last = now;
    threads_.mailbox.post([this, to, what, done, total] {
      wire::ProgressedT reply;
      reply.done = done;
      reply.total = total;
      reply.message = what;
      send_reply(desk_, to, std::move(reply));
    });
  };
}

void Upkeep::replace_rows() {
  rebuilding_ = true;
  maker_ = std::thread([this] {
    give_way_to_others();
    const auto told = [this](FoldProgress fold) {
      making_->reached(static_cast<unsigned>(fold.done * 100 / std::max<Position>(fold.total, 1)));
    };
    auto reached = make_new_views(store_.log, all_projections(), store_.folder, told, threads_.stopping);
    threads_.mailbox.post([this, reached = std::move(reached)] { rows_made(reached); });
  });
}

void Upkeep::rows_made(const Result<Position>& reached) {
  rebuilding_ = false;
  if (reached) {
    spdlog::info("the rows were rebuilt up to position {}", *reached);
    return doors_.restart_with_new_views();
  }
  if (threads_.stopping.stop_requested()) return;
  making_->failed(reached.error().message);
  spdlog::error("the rows could not be rebuilt: {}; {}", reached.error().message, reached.error().hint);
}

Status Upkeep::verify(const RequestId& to) {
  if (making_) {
    return fail(ErrorKind::refused, "views_rebuilding",
                "the rows are of an older version; new ones are " + making_->text(),
                "verify when that is done");
  }
  if (verifying_) {
    return fail(ErrorKind::refused, "verify_running", "the log is being verified already",
                "wait until that is done");
  }
  verifying_ = true;
  desk_.engine.when_durable([this, to](const Status& status) {
    if (status) return verify_durable(to);
    verifying_ = false;
    refuse(desk_, to, status.error());
  });
  return {};
}

void Upkeep::verify_durable(const RequestId& to) {
  const Position total = desk_.engine.durable();
  auto chain_progress = progress_to(to, "walking the chain", total);
  auto replay_progress = progress_to(to, "replaying rows", total);
  const auto work = [this, chain_progress, replay_progress, total]() -> Result<std::string> {
    auto report = LUZIA_TRY(verify_chain(store_.log, chain_progress, threads_.stopping));
    const auto live = store_.views.snapshot();
    auto scratch = LUZIA_TRY(ScratchViews::open(store_.folder, total));
    auto differences = LUZIA_TRY(verify_views(
        store_.log, all_projections(), *live, &scratch.rows(),
        [&replay_progress](FoldProgress progress) { replay_progress(progress.done); }, threads_.stopping));
    if (!differences.empty()) {
      std::string list;
      for (const std::string& difference : differences) list += "\n  " + difference;
      return fail(ErrorKind::trouble, "views_differ", "rows differ from a replay of the log:" + list,
                  "luzia-query replay --rebuild rebuilds them");
    }
    return proof_words(report) + "; rows equal their replay byte for byte";
  };
  run(to, work, [this] { verifying_ = false; });
}

/// The old rows serve until the new ones are ready; then the daemon restarts to switch over.
Status Upkeep::rebuild(const RequestId& to) {
  if (rebuilding_) {
    return fail(ErrorKind::refused, "rebuild_running", "the rows are being replayed already",
                "wait until that is done");
  }
  rebuilding_ = true;
  desk_.engine.when_durable([this, to](const Status& status) {
    if (!status) {
      rebuilding_ = false;
      return refuse(desk_, to, status.error());
    }
    auto replayed = progress_to(to, "replaying rows", desk_.engine.durable());
    auto reached = std::make_shared<Result<Position>>(Position{0});
    threads_.workers.run(
        [this, reached, replayed] {
          *reached = make_new_views(
              store_.log, all_projections(), store_.folder,
              [&](FoldProgress progress) { replayed(progress.done); }, threads_.stopping);
        },
        [this, to, reached] {
          rebuilding_ = false;
          if (!*reached) return refuse(desk_, to, reached->error());
          send_reply(desk_, to,
                     words("the rows were replayed from the log up to position " + std::to_string(**reached) +
                           "; the daemon starts over with them"));
          doors_.restart_with_new_views();
        });
  });
  return {};
}

Status Upkeep::scrub(const RequestId& to) {
  Scrub::Listener listener;
  listener.progress = [this, to](Position done, Position total) {
    wire::ProgressedT reply;
    reply.done = done;
    reply.total = total;
    reply.message = "scrubbing the store";
    send_reply(desk_, to, std::move(reply));
  };
  listener.over = [this, to](const Result<std::string>& found) {
    if (!found) return refuse(desk_, to, found.error());
    send_reply(desk_, to, words(*found));
  };
  return doors_.scrub(std::move(listener));
}

Status Upkeep::keep(const RequestId& to, bool now) {
  if (now) {
    LUZIA_TRY(doors_.keep_now());
    return send_reply(desk_, to,
                      words("the daemon lets go of it now; luzia daemon status says how far it is"));
  }
  store_.when_at(desk_.engine.durable(), [this, to] { run(to, doors_.preview_keep()); });
  return {};
}

Status Upkeep::backup(const RequestId& to, const std::string& target) {
  if (target.empty() || target.front() != '/') {
    return fail(ErrorKind::usage, "bad_target", "the backup's folder must be an absolute path");
  }
  return run(to, [this, target]() -> Result<std::string> {
    auto report = LUZIA_TRY(backup_log(store_.log, target, threads_.stopping));
    LUZIA_TRY(copy_store_file(kPushKeyFile, store_.folder, target));
    return "copied and verified " + counted(report.events, "event") + " up to position " +
           std::to_string(report.tip.position) + " to " + target;
  });
}

}  // namespace luzia
