#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/base/counted.h"
#include "engine/base/failpoint.h"
#include "engine/base/safe_folder.h"
#include "projections/alerts.h"
#include "tools/luziad/daemon_parts.h"

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

/// How the daemon starts, turns and ends.
struct Daemon::State final : DaemonCourse {
  ~State();
  Status start();
  void watch_turns_and_signals();
  std::string open_attempts_door(std::optional<gid_t> group);
  std::string open_sandbox_door();
  void take_up();
  void taken_up();
  TimeUs resume();
  void turn();
  void look_at_clock(TimeUs now, TimeUs monotonic);
  void look_at_rows();
  void committed(const CommitOutcome& outcome) override;
  void job_changed(const JobState& job) override;
  void output_found(const std::string& job, RecordOutput stretch) override;
  Status reload() override;
  bool refresh_config() override;
  void stop(DaemonEnding how) override;
  void store_gone() override;
  void close();
  void part_stopped();
  void flush();

  DaemonParts parts{*this};

  struct {  // when the loop turns, and what wakes it
    std::unique_ptr<Timer> deadline;
    TimeUs armed_for = 0;              // when `deadline` fires; 0: not running
    std::unique_ptr<Timer> taking_up;  // bounds how long the first reads wait
    std::unique_ptr<Timer> settled;    // for what should not delay the first answers
    uv_prepare_t prepare{};
    uv_signal_t terminate{}, interrupt{}, hangup{};
  } turns;

  std::optional<DaemonEnding> ending;
  bool loop_open = false;
  bool closing = false;
  int left_to_stop = 0;
};

Daemon::Daemon() : state_(std::make_unique<State>()) {}
Daemon::~Daemon() = default;

/// Asks all parts with handles on the loop to close them; one more turn completes that.
Daemon::State::~State() {
  parts.stopping.request_stop();
  parts.doors.sessions.reset();
  parts.doors.server.reset();
  parts.jobs.attempts.reset();
  parts.watching.watcher.reset();
  if (!loop_open) return;
  uv_run(&parts.loop, UV_RUN_DEFAULT);
  if (const int trouble = uv_loop_close(&parts.loop); trouble != 0) {
    spdlog::error("the event loop did not close: {}", uv_strerror(trouble));
  }
}

const std::string& Daemon::store() const {
  return state_->parts.storage.folder;
}

// ------------------------------------------------------------------------------------------- opening

Result<std::unique_ptr<Daemon>> Daemon::open(DaemonOptions options) {
  std::unique_ptr<Daemon> daemon(new Daemon);
  State& state = *daemon->state_;
  state.parts.options = std::move(options);
  LUZIA_TRY(state.parts.configuration.open(state.parts.options));
  state.parts.open_files = raise_descriptor_limit();
  // Scans take up to two of libuv's workers, and a launch may block one for seconds: the default of four is
  // too few.
  setenv("UV_THREADPOOL_SIZE", "8", 0);
  state.parts.storage.folder = state.parts.config.store.path;
  LUZIA_TRY(state.parts.storage.open(state.parts.options, state.parts.config.store.site));
  state.parts.boot_id = current_boot_id();
  uv_loop_init(&state.parts.loop);
  state.loop_open = true;
  state.parts.compose();
  state.turns.deadline = std::make_unique<Timer>(&state.parts.loop);
  state.turns.taking_up = std::make_unique<Timer>(&state.parts.loop);
  state.turns.settled = std::make_unique<Timer>(&state.parts.loop);
  if (auto started = state.start(); !started) {
    state.close();
    uv_run(&state.parts.loop, UV_RUN_DEFAULT);
    return tl::unexpected(started.error());
  }
  return daemon;
}

void Daemon::State::watch_turns_and_signals() {
  uv_prepare_init(&parts.loop, &turns.prepare);
  turns.prepare.data = this;
  uv_prepare_start(&turns.prepare, [](uv_prepare_t* handle) { static_cast<State*>(handle->data)->turn(); });
  for (auto [handle, number] :
       {std::pair{&turns.terminate, SIGTERM}, {&turns.interrupt, SIGINT}, {&turns.hangup, SIGHUP}}) {
    uv_signal_init(&parts.loop, handle);
    handle->data = this;
    uv_signal_start(
        handle,
        [](uv_signal_t* signal, int which) {
          auto* state = static_cast<State*>(signal->data);
          if (which != SIGHUP) return state->stop(DaemonEnding::stopped);
          if (auto reloaded = state->reload(); !reloaded) spdlog::error("{}", reloaded.error().message);
        },
        number);
  }
}

/// A second socket for agents of other users, who cannot reach the first. If it cannot be opened, only they
/// are affected.
std::string Daemon::State::open_attempts_door(std::optional<gid_t> group) {
  if (geteuid() != 0) return {};
  const std::string path = attempts_socket_path(parts.storage.folder);
  if (path.empty()) {
    spdlog::warn("{} is too long for a socket beside it: agents of other users cannot speak for their jobs",
                 parts.storage.folder);
    return {};
  }
  if (auto listening = parts.doors.server->listen_to_attempts(path, group); !listening) {
    spdlog::warn("agents of other users cannot speak for their jobs: {}", listening.error().message);
    return {};
  }
  if (const std::string shut = shut_folder_above(path); !shut.empty()) {
    spdlog::warn(
        "agents of other users cannot speak for their jobs: {} does not let them pass to {} (chmod o+x {})",
        shut, path, shut);
  }
  return path;
}

/// A socket for agents in a sandbox, whatever their user. If it cannot be opened, no job with a sandbox
/// starts.
std::string Daemon::State::open_sandbox_door() {
  std::string folder = sandbox_door(parts.storage.folder);
  if (folder.empty()) {
    spdlog::warn("{} is too long for a socket of sandboxes in it: no job with a sandbox can start",
                 parts.storage.folder);
    return {};
  }
  for (const std::string& each : {folder_above(folder), folder}) {
    if (mkdir(each.c_str(), 0700) == 0 || errno == EEXIST) continue;
    spdlog::warn("no job with a sandbox can start: cannot make {}: {}", each, strerror(errno));
    return {};
  }
  chmod(folder.c_str(), 0755);  // the folder around it stays shut
  if (auto listening = parts.doors.server->listen_to_sandboxes(folder + "/" + kSandboxSocketName);
      !listening) {
    spdlog::warn("no job with a sandbox can start: {}", listening.error().message);
    return {};
  }
  return folder;
}

Status Daemon::State::start() {
  auto path = LUZIA_TRY(socket_path(parts.storage.folder));
  LUZIA_TRY(safe_jobs_root(parts.config));
  parts.socket = path;
  std::optional<gid_t> group;
  if (!parts.config.store.group.empty()) {
    group = LUZIA_TRY(group_id(parts.config.store.group));
    // /etc/luzia/luzia.toml, which the daemons of all users read, names it for the system's.
    if (!may_let_in(*group)) {
      spdlog::warn("[store] group does not count: this daemon's user is not in {}. Others stay out",
                   parts.config.store.group);
      group.reset();
    }
  }
  parts.compose_attempts(open_attempts_door(group), open_sandbox_door());
  watch_turns_and_signals();
  const auto rows = parts.storage.views->snapshot();
  load_live_state(*parts.core.engine, *rows);
  parts.upkeep.machine_monitor->load(*rows);
  parts.upkeep.published_alerts->load(*rows);
  const auto open = open_alerts(*rows);
  const auto is_open = [&open](const char* name) {
    return std::ranges::find(open, name, &view::AlertT::alert) != open.end();
  };
  parts.upkeep.scrub->begin(is_open(kStoreDamaged));
  parts.notifying.notifications->catch_up(parts.storage.log->tip().position);
  LUZIA_TRY(rows->status());
  for (schema::SystemFactUnion& fact :
       first_notes(parts.storage.site, parts.storage.log->tip().position == 0, parts.boot_id))
    parts.note({std::move(fact)});
  failpoint("rollback.accepted");
  LUZIA_TRY(parts.storage.record_acceptance(
      [this](SystemNote fact, Reply noted) { parts.note(std::move(fact), std::move(noted)); }));
  parts.jobs.attempts->sweep_run_dir(
      [this](const std::string& job) { return parts.core.engine->find_live(job) != nullptr; });
  const TimeUs stepped = resume();
  parts.upkeep.config_watch->begin(is_open(kConfigRefused));
  parts.upkeep.login_watch->begin(open);
  take_up();
  parts.jobs.auto_fix->look_back();
  parts.upkeep.removal_work->look();
  parts.upkeep.keeping->begin();
  parts.upkeep.sealing->begin();
  parts.watching.contention->look_back();
  parts.notifying.hooks->start(parts.socket);
  if (stepped != 0) parts.notifying.hooks->clock_stepped(stepped);
  parts.watching.tool_catalogue->look();
  parts.notifying.escalations->config_changed();
  if (group) {
    LUZIA_TRY(open_store_to_group(parts.storage.folder, parts.socket, *group));
  }
  LUZIA_TRY(parts.doors.server->listen(parts.socket, group, parts.options.inherited_socket));
  if (!parts.options.inherited_socket) parts.upkeep.store_watch->listens_at(parts.socket);
  // What no answer needs begins when whoever waited for this daemon has had time to ask.
  constexpr std::uint64_t kSettledMs = 20;
  turns.settled->start(kSettledMs, [this] {
    if (closing) return;
    parts.watching.known_issues->reload(parts.config.issues.files);
    parts.jobs.job_files->refresh(*parts.core.history);
  });
  parts.notifying.telegram->config_changed();
  parts.notifying.web->config_changed();
  parts.notifying.fleet->config_changed();
  if (parts.storage.rows_making) parts.upkeep.requests->replace_rows();
  return {};
}

/// Takes over live jobs. A job that ended while no daemon ran must not show as running: reads wait for
/// its end, but only briefly if much output is still unread.
void Daemon::State::take_up() {
  for (const auto& [id, job] : parts.core.engine->live_jobs()) {
    const bool had_process = job.pid != 0 && !job.attempt_over && job.state != schema::JobState::queued;
    if (had_process) parts.jobs.attempts->adopt(job);
    parts.watching.output_monitor->adopt(job);
    parts.watching.tracked_jobs->job_changed(job);
    parts.watching.limits->job_changed(job);
    parts.watching.hosts->job_changed(job);
    parts.jobs.hand_answers->job_changed(job);
  }
  constexpr std::uint64_t kLongestMs = 2'000;
  parts.doors.sessions->hold_reads();
  turns.taking_up->start(kLongestMs, [this] { taken_up(); });
  // On a separate turn, because the last end is reported from within the engine, whose other hooks have yet
  // to run.
  parts.jobs.attempts->when_taken_up([this] { turns.taking_up->start(0, [this] { taken_up(); }); });
}

/// What ended while no daemon ran is known, so a digest that is due names it.
void Daemon::State::taken_up() {
  parts.doors.sessions->release_reads();
  parts.jobs.schedules->begin();
  if (!closing) parts.notifying.digests->config_changed();
}

/// Returns the clock's step since the last daemon, before anything compares times.
TimeUs Daemon::State::resume() {
  parts.core.engine->resume(parts.storage.log->tip().position, wall_now());
  return parts.upkeep.wall_clock->look(wall_now(), monotonic_now());
}

// ------------------------------------------------------------------------------------------- running

DaemonEnding Daemon::run() {
  spdlog::info("luziad {} serves {} at {}", LUZIA_VERSION, state_->parts.storage.folder,
               state_->parts.socket);
  uv_run(&state_->parts.loop, UV_RUN_DEFAULT);
  const DaemonEnding ending = state_->ending.value_or(DaemonEnding::stopped);
  if (ending == DaemonEnding::stopped) {
    state_->flush();
  } else {
    restore_descriptor_limit(state_->parts.open_files);
  }
  return ending;
}

/// Flushes the log, so that the next process to open the store, even read-only, replays nothing.
void Daemon::State::flush() {
  parts.core.committer.reset();  // joins the thread that appends
  if (auto flushed = flush_log(*parts.storage.log); !flushed) spdlog::warn("{}", flushed.error().message);
}

/// Runs before the loop sleeps: decides everything that this turn brought, and passes it to the commit thread
/// as one group.
void Daemon::State::turn() {
  if (closing) return;
  const TimeUs now = wall_now(), monotonic = monotonic_now();
  look_at_clock(now, monotonic);
  look_at_rows();
  if (!closing) parts.upkeep.store_watch->turn(monotonic);
  if (closing) return;
  parts.core.engine->views_reached(parts.core.view_thread->position());
  parts.upkeep.admission->turn(monotonic);
  parts.upkeep.machine_monitor->turn(
      monotonic, parts.jobs.attempts->running() > 0 || parts.core.engine->queue().queued() > 0);
  parts.core.engine->turn(now);
  parts.upkeep.requests->turn();
  const TimeUs due = parts.core.engine->next_deadline_after(now);
  // A deadline that moves with every turn must still be reached: a timer that fires early only checks again.
  if (due == turns.armed_for || (turns.armed_for > now && due > turns.armed_for)) return;
  turns.armed_for = due;
  if (due == 0) return turns.deadline->stop();
  const TimeUs wait = std::max<TimeUs>(0, due - now);
  turns.deadline->start(static_cast<std::uint64_t>(wait / kMillisecondUs) + 1, [this] {
    turns.armed_for = 0;
    const TimeUs reached = wall_now();
    look_at_clock(reached, monotonic_now());
    parts.core.engine->time_passed(reached);
  });
}

/// Call it before checking deadlines, because a step moves them.
void Daemon::State::look_at_clock(TimeUs now, TimeUs monotonic) {
  if (closing) return;
  const TimeUs step = parts.upkeep.wall_clock->look(now, monotonic);
  if (step == 0) return;
  for (Follower* each : parts.followers) each->clock_stepped(step);
  turns.armed_for = 0;                  // the timer uses the monotonic clock
  parts.core.engine->time_passed(now);  // the end of a day does not move
}

/// Rows that cannot be read or written are not served: the daemon restarts, and replays the missing rows or
/// all of them.
void Daemon::State::look_at_rows() {
  if (ending) return;
  Status sound = parts.storage.views->status();
  if (sound) sound = parts.core.view_thread->status();
  if (sound) return;
  spdlog::error("{}; starting over from the log", sound.error().message);
  parts.storage.make_room();
  stop(DaemonEnding::restart);
}

/// Writes nothing more: that would be lost, or go into another store. Running jobs continue under their
/// luzia-runs; only their job directories will show their ends.
void Daemon::State::store_gone() {
  if (ending) return;
  spdlog::error(
      "the store {} was deleted or moved away: luziad ends; {} go on, and their ends stand only in their "
      "job directories (exit.json)",
      parts.storage.folder, counted(parts.jobs.attempts->running(), "running job"));
  ending = DaemonEnding::store_gone;
  parts.stopping.request_stop();
  close();
}

void Daemon::State::committed(const CommitOutcome& outcome) {
  if (outcome.group) parts.notifying.hooks->about_to_notify(*outcome.group);
  parts.core.engine->committed(outcome);
  if (outcome.group) {
    for (Follower* each : parts.followers) each->committed(outcome.group);
    return;
  }
  spdlog::error("the log could not be written: {}; starting over from what it proves", outcome.error.message);
  parts.storage.make_room();
  stop(DaemonEnding::restart);
}

void Daemon::State::job_changed(const JobState& job) {
  if (job.removed) return parts.upkeep.removal_work->look();
  for (Follower* each : parts.followers) each->job_changed(job);
}

void Daemon::State::output_found(const std::string& job, RecordOutput stretch) {
  date_limits(stretch, wall_now());
  parts.report(job, std::move(stretch));
  const JobState* state = parts.core.engine->find_live(job);
  if (state == nullptr || parts.core.engine->failed()) return;
  parts.watching.watcher->recorded(job, state->checkpoint ? *state->checkpoint : schema::CheckpointT{});
}

/// An error in the files leaves the configuration unchanged, and is reported once.
bool Daemon::State::refresh_config() {
  if (ending || !parts.configuration.is_outdated()) return false;
  const Status read = reload();
  if (!read) spdlog::warn("the configuration has changed and cannot be read: {}", read.error().message);
  return read.has_value();
}

Status Daemon::State::reload() {
  const Status read = parts.configuration.reload();
  parts.upkeep.config_watch->judge(read);
  LUZIA_TRY(read);
  parts.doors.intake->run_as().forget_accounts();
  parts.core.engine->warn_of_duration(parts.config.monitor.duration_warning_fraction);
  parts.watching.known_issues->reload(parts.config.issues.files);
  for (Follower* each : parts.followers) each->config_changed();
  spdlog::info("configuration read again");
  return {};
}

// ------------------------------------------------------------------------------------------ stopping

void Daemon::State::stop(DaemonEnding how) {
  if (ending) return;
  ending = how;
  parts.stopping.request_stop();
  if (parts.core.engine->failed()) return close();
  parts.core.engine->wind_up();
  parts.notifying.hooks->stop();
  schema::DaemonStoppedT fact;
  fact.reason = how == DaemonEnding::stopped        ? kAskedToStop
                : how == DaemonEnding::socket_taken ? "another process listens at its socket"
                                                    : "restarts";
  parts.core.engine->submit(by_daemon(wall_now()), SystemNote{domain_fact(std::move(fact))},
                            [this](const Result<Outcome>&) { close(); });
}

void Daemon::State::close() {
  if (closing) return;
  closing = true;
  parts.upkeep.store_watch->close();  // the socket goes now, by our own hand
  parts.upkeep.wall_clock->close();
  parts.watching.known_issues->close();
  parts.doors.sessions->clear();
  if (parts.jobs.attempts) parts.jobs.attempts->close();
  left_to_stop = 2;
  parts.doors.server->stop([this] { part_stopped(); });
  parts.watching.watcher->stop([this] { part_stopped(); });
}

void Daemon::State::part_stopped() {
  if (--left_to_stop > 0) return;
  for (Follower* each : parts.followers) each->close();
  parts.followers.clear();
  parts.jobs.attempts.reset();
  turns.deadline.reset();
  turns.taking_up.reset();
  turns.settled.reset();
  parts.core.mailbox->close();
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
