#include "engine/base/counted.h"
#include "tools/luziad/daemon_state.h"

namespace luzia {
namespace {

/// Each live job needs three descriptors; the soft limit is often 1,024. Returns the previous limit.
rlim_t raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const rlim_t before = std::exchange(limit.rlim_cur, limit.rlim_max);
  setrlimit(RLIMIT_NOFILE, &limit);
  return before;
}

/// The program that replaces this process must find the original limit too.
void restore_descriptor_limit(rlim_t soft) {
  rlimit limit{};
  if (soft == 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = soft;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

Daemon::Daemon() : state_(std::make_unique<State>()) {}
Daemon::~Daemon() = default;

/// Asks all parts with handles on the loop to close them; one more turn completes that.
Daemon::State::~State() {
  stopping.request_stop();
  doors.sessions.reset();
  doors.server.reset();
  jobs.attempts.reset();
  watching.watcher.reset();
  if (!loop_open) return;
  uv_run(&loop, UV_RUN_DEFAULT);
  if (const int trouble = uv_loop_close(&loop); trouble != 0) {
    spdlog::error("the event loop did not close: {}", uv_strerror(trouble));
  }
}

const std::string& Daemon::store() const {
  return state_->storage.folder;
}

// ------------------------------------------------------------------------------------------- opening

Result<std::unique_ptr<Daemon>> Daemon::open(DaemonOptions options) {
  std::unique_ptr<Daemon> daemon(new Daemon);
  State& state = *daemon->state_;
  state.options = std::move(options);
  LUZIA_TRY(state.configuration.open(state.options));
  state.open_files = raise_descriptor_limit();
  // Scans take up to two of libuv's workers, and a launch may block one for seconds: the default of four is
  // too few.
  setenv("UV_THREADPOOL_SIZE", "8", 0);
  state.storage.folder = state.config.store.path;
  LUZIA_TRY(state.storage.open(state.options, state.config.store.site));
  state.boot_id = current_boot_id();
  uv_loop_init(&state.loop);
  state.loop_open = true;
  state.compose();
  if (auto started = state.start(); !started) {
    state.close();
    uv_run(&state.loop, UV_RUN_DEFAULT);
    return tl::unexpected(started.error());
  }
  return daemon;
}

// ------------------------------------------------------------------------------------------- running

DaemonEnding Daemon::run() {
  spdlog::info("luziad {} serves {} at {}", LUZIA_VERSION, state_->storage.folder, state_->socket);
  uv_run(&state_->loop, UV_RUN_DEFAULT);
  const DaemonEnding ending = state_->ending.value_or(DaemonEnding::stopped);
  if (ending == DaemonEnding::stopped) {
    state_->flush();
  } else {
    restore_descriptor_limit(state_->open_files);
  }
  return ending;
}

/// Flushes the log, so that the next process to open the store, even read-only, replays nothing.
void Daemon::State::flush() {
  core.committer.reset();  // joins the thread that appends
  if (auto flushed = flush_log(*storage.log); !flushed) spdlog::warn("{}", flushed.error().message);
}

/// Runs before the loop sleeps: decides everything that this turn brought, and passes it to the commit thread
/// as one group.
void Daemon::State::turn() {
  if (closing) return;
  const TimeUs now = wall_now(), monotonic = monotonic_now();
  look_at_clock(now, monotonic);
  look_at_rows();
  if (!closing) upkeep.store_watch->turn(monotonic);
  if (closing) return;
  core.engine->views_reached(core.view_thread->position());
  upkeep.admission->turn(monotonic);
  upkeep.machine_monitor->turn(monotonic, jobs.attempts->running() > 0 || core.engine->queue().queued() > 0);
  core.engine->turn(now);
  upkeep.requests->turn();
  const TimeUs due = core.engine->next_deadline_after(now);
  // A deadline that moves with every turn must still be reached: a timer that fires early only checks again.
  if (due == turns.armed_for || (turns.armed_for > now && due > turns.armed_for)) return;
  turns.armed_for = due;
  if (due == 0) return turns.deadline->stop();
  const TimeUs wait = std::max<TimeUs>(0, due - now);
  turns.deadline->start(static_cast<std::uint64_t>(wait / kMillisecondUs) + 1, [this] {
    turns.armed_for = 0;
    const TimeUs reached = wall_now();
    look_at_clock(reached, monotonic_now());
    core.engine->time_passed(reached);
  });
}

/// Call it before checking deadlines, because a step moves them.
void Daemon::State::look_at_clock(TimeUs now, TimeUs monotonic) {
  if (closing) return;
  const TimeUs step = upkeep.wall_clock->look(now, monotonic);
  if (step == 0) return;
  for (Follower* each : followers) each->clock_stepped(step);
  turns.armed_for = 0;            // the timer uses the monotonic clock
  core.engine->time_passed(now);  // the end of a day does not move
}

/// Rows that cannot be read or written are not served: the daemon restarts, and replays the missing rows or
/// all of them.
void Daemon::State::look_at_rows() {
  if (ending) return;
  Status sound = storage.views->status();
  if (sound) sound = core.view_thread->status();
  if (sound) return;
  spdlog::error("{}; starting over from the log", sound.error().message);
  storage.make_room();
  stop(DaemonEnding::restart);
}

/// Writes nothing more: that would be lost, or go into another store. Running jobs continue under their
/// luzia-runs; only their job directories will show their ends.
void Daemon::State::store_gone() {
  if (ending) return;
  spdlog::error(
      "the store {} was deleted or moved away: luziad ends; {} go on, and their ends stand only in their "
      "job directories (exit.json)",
      storage.folder, counted(jobs.attempts->running(), "running job"));
  ending = DaemonEnding::store_gone;
  stopping.request_stop();
  close();
}

void Daemon::State::committed(const CommitOutcome& outcome) {
  if (outcome.group) notifying.hooks->about_to_notify(*outcome.group);
  core.engine->committed(outcome);
  if (outcome.group) {
    for (Follower* each : followers) each->committed(outcome.group);
    return;
  }
  spdlog::error("the log could not be written: {}; starting over from what it proves", outcome.error.message);
  storage.make_room();
  stop(DaemonEnding::restart);
}

void Daemon::State::job_changed(const JobState& job) {
  if (job.removed) return upkeep.removal_work->look();
  for (Follower* each : followers) each->job_changed(job);
}

void Daemon::State::output_found(const std::string& job, RecordOutput stretch) {
  date_limits(stretch, wall_now());
  report(job, std::move(stretch));
  const JobState* state = core.engine->find_live(job);
  if (state == nullptr || core.engine->failed()) return;
  watching.watcher->recorded(job, state->checkpoint ? *state->checkpoint : schema::CheckpointT{});
}

void Daemon::State::report(const std::string& job, JobCommand command) {
  core.engine->submit(by_daemon(wall_now()), to_one_job(job, std::move(command)),
                      [job](const Result<Outcome>& outcome) {
                        if (!outcome) spdlog::warn("job {}: {}", job, outcome.error().message);
                      });
}

/// An error in the files leaves the configuration unchanged, and is reported once.
bool Daemon::State::refresh_config() {
  if (ending || !configuration.is_outdated()) return false;
  const Status read = reload();
  if (!read) spdlog::warn("the configuration has changed and cannot be read: {}", read.error().message);
  return read.has_value();
}

Status Daemon::State::reload() {
  const Status read = configuration.reload();
  upkeep.config_watch->judge(read);
  LUZIA_TRY(read);
  doors.intake->run_as().forget_accounts();
  core.engine->warn_of_duration(config.monitor.duration_warning_fraction);
  watching.known_issues->reload(config.issues.files);
  for (Follower* each : followers) each->config_changed();
  spdlog::info("configuration read again");
  return {};
}

// ------------------------------------------------------------------------------------------ stopping

void Daemon::State::stop(DaemonEnding how) {
  if (ending) return;
  ending = how;
  stopping.request_stop();
  if (core.engine->failed()) return close();
  core.engine->wind_up();
  notifying.hooks->stop();
  schema::DaemonStoppedT fact;
  fact.reason = how == DaemonEnding::stopped ? kAskedToStop : "restarts";
  schema::SystemFactUnion system;
  system.Set(std::move(fact));
  core.engine->submit(by_daemon(wall_now()), SystemNote{std::move(system)},
                      [this](const Result<Outcome>&) { close(); });
}

void Daemon::State::close() {
  if (closing) return;
  closing = true;
  upkeep.wall_clock->close();
  doors.sessions->clear();
  if (jobs.attempts) jobs.attempts->close();
  left_to_stop = 2;
  doors.server->stop([this] { part_stopped(); });
  watching.watcher->stop([this] { part_stopped(); });
}

void Daemon::State::part_stopped() {
  if (--left_to_stop > 0) return;
  for (Follower* each : followers) each->close();
  followers.clear();
  jobs.attempts.reset();
  turns.deadline.reset();
  turns.taking_up.reset();
  core.mailbox->close();
  const auto let_go = [](auto* handle) {
    auto* base = reinterpret_cast<uv_handle_t*>(handle);
    if (base->loop != nullptr && !uv_is_closing(base)) uv_close(base, nullptr);
  };
  let_go(&turns.prepare);
  let_go(&turns.terminate);
  let_go(&turns.interrupt);
  let_go(&turns.hangup);
}

}  // namespace luzia
