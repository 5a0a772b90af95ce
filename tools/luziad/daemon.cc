#include "tools/luziad/daemon.h"

#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <unistd.h>

#include "adapters/agents/decoders.h"
#include "adapters/launcher/process_activity.h"
#include "engine/log/rocks_event_log.h"
#include "engine/view/rocks_view_store.h"
#include "projections/engine_start.h"
#include "projections/registry.h"
#include "projections/store_history.h"
#include "projections/streams.h"
#include "tools/luzia-query/new_views.h"
#include "tools/luzia-query/scratch_views.h"
#include "tools/luziad/attempts.h"
#include "tools/luziad/auto_fix.h"
#include "tools/luziad/clock_watch.h"
#include "tools/luziad/disk_room.h"
#include "tools/luziad/gates.h"
#include "tools/luziad/hooks.h"
#include "tools/luziad/input_files.h"
#include "tools/luziad/job_files.h"
#include "tools/luziad/known_issues.h"
#include "tools/luziad/machine_monitor.h"
#include "tools/luziad/notifications.h"
#include "tools/luziad/output_monitor.h"
#include "tools/luziad/run_dir.h"
#include "tools/luziad/sessions.h"
#include "tools/luziad/site.h"

namespace luzia {
namespace {

/// Each live job takes three descriptors; the soft limit is often 1,024. Returns it as it was.
rlim_t raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const rlim_t before = std::exchange(limit.rlim_cur, limit.rlim_max);
  setrlimit(RLIMIT_NOFILE, &limit);
  return before;
}

/// What this process becomes next must find it as it was, too.
void restore_descriptor_limit(rlim_t soft) {
  rlimit limit{};
  if (soft == 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = soft;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

/// Members are destroyed in reverse order: what is used by others stands before them.
struct Daemon::State {
  DaemonOptions options;
  Config config;
  std::string store, socket, boot_id;
  rlim_t open_files = 0;  // the soft limit that we were given
  Site site;
  uv_loop_t loop{};
  std::unique_ptr<EventLog> log;
  std::unique_ptr<ViewStore> views;
  std::unique_ptr<StoreHistory> history;
  std::unique_ptr<Mailbox> mailbox;
  std::unique_ptr<Workers> workers;
  std::unique_ptr<ViewThread> view_thread;
  std::unique_ptr<Committer> committer;
  std::unique_ptr<Engine> engine;
  std::unique_ptr<KnownIssues> known_issues;
  std::unique_ptr<OutputWatcher> watcher;
  std::unique_ptr<Attempts> attempts;
  std::unique_ptr<IdSource> ids;
  std::unique_ptr<Intake> intake;
  std::unique_ptr<SocketServer> server;
  std::unique_ptr<Parts> parts;
  std::unique_ptr<Hooks> hooks;
  std::unique_ptr<Upkeep> upkeep;
  std::unique_ptr<Sessions> sessions;
  std::unique_ptr<JobFiles> job_files;
  std::unique_ptr<AutoFix> auto_fix;
  std::unique_ptr<AnswerFiles> answer_files;
  std::unique_ptr<InputFiles> input_files;
  std::unique_ptr<Notifications> notifications;
  std::unique_ptr<MachineMonitor> machine_monitor;
  std::unique_ptr<OutputMonitor> output_monitor;
  std::unique_ptr<ClockWatch> clock;
  std::unique_ptr<Timer> deadline_timer;
  TimeUs armed_for = 0;
  std::unique_ptr<Timer> room_timer;  // runs while there is not plenty
  DiskRoom room = DiskRoom::plenty;
  TimeUs room_seen_at = 0;  // monotonic
  Gates gates;
  std::string gates_closed;           // why, or empty
  std::unique_ptr<Timer> gate_timer;  // runs while jobs are queued and there are gates
  uv_prepare_t prepare{};
  uv_signal_t terminate{}, interrupt{}, hangup{};
  std::optional<Ending> ending;
  bool loop_open = false;
  bool closing = false;
  int left_to_stop = 0;
  std::stop_source stopping;

  ~State();

  Status open_store();
  void compose();
  void compose_monitors();
  Status start();
  void turn();
  void look_at_rows();
  void look_at_room(TimeUs monotonic);
  void look_at_gates();
  Capacity capacity() const;
  void committed(const CommitOutcome& outcome);
  void job_changed(const JobState& job);
  void output_found(const std::string& job, RecordOutput stretch);
  void report(const std::string& job, JobCommand command);
  Status reload();
  void stop(Ending how);
  void close();
  void part_stopped();
  void flush();
};

Daemon::Daemon() : state_(std::make_unique<State>()) {}
Daemon::~Daemon() = default;

/// Whoever has handles on the loop asks it to close them; one more turn does it.
Daemon::State::~State() {
  sessions.reset();
  server.reset();
  attempts.reset();
  watcher.reset();
  clock.reset();
  if (!loop_open) return;
  uv_run(&loop, UV_RUN_DEFAULT);
  if (const int trouble = uv_loop_close(&loop); trouble != 0) {
    spdlog::error("the event loop did not close: {}", uv_strerror(trouble));
  }
}

const std::string& Daemon::store() const {
  return state_->store;
}

// ------------------------------------------------------------------------------------------- opening

Result<std::unique_ptr<Daemon>> Daemon::open(DaemonOptions options) {
  std::unique_ptr<Daemon> daemon(new Daemon);
  State& state = *daemon->state_;
  state.options = std::move(options);
  auto config = load_config(state.options.config_file);
  if (!config) return tl::unexpected(config.error());
  state.config = std::move(*config);
  state.store = state.options.store.empty() ? default_store(state.config) : state.options.store;
  state.config.store.path = state.store;  // the jobs lie beside it
  state.open_files = raise_descriptor_limit();
  // Scans take up to two of libuv's workers and a launch may block one for seconds: the usual four are too
  // few.
  setenv("UV_THREADPOOL_SIZE", "8", 0);
  if (auto opened = state.open_store(); !opened) return tl::unexpected(opened.error());
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

Status Daemon::State::open_store() {
  // Opening writes too, and RocksDB may abort where it cannot.
  if (release_ballast(store)) spdlog::warn("the disk is full: gave up the ballast so that the store opens");
  if (auto fits = need_room_to_open(store); !fits) return fits;
  LogOptions log_options;
  log_options.accept_end = options.accept_log_end;
  log_options.held_lock = options.held_lock;
  if (options.accept_log_end) spdlog::warn("the end of the log in {} is accepted as it is", store);
  auto opened_log = open_rocks_event_log(store, log_options);
  if (!opened_log) return tl::unexpected(opened_log.error());
  log = std::move(*opened_log);
  keep_ballast(store);
  remove_left_scratch(store);
  remove_left_views(store);
  if (auto run = prepare_run_dir(store); !run) return tl::unexpected(run.error());
  auto opened_views = open_rocks_view_store(store + "/views", OpenMode::read_write);
  if (!opened_views) return tl::unexpected(opened_views.error());
  if (opened_views->cleared)
    spdlog::warn("the rows in {}/views were damaged: replaying them from the log", store);
  views = std::move(opened_views->store);
  if (auto caught_up = catch_up(*log, all_projections(), *views); !caught_up) return caught_up;
  auto found = find_site(*log, config.store.site);
  if (!found) return tl::unexpected(found.error());
  site = std::move(*found);
  boot_id = current_boot_id();
  return {};
}

void Daemon::State::compose() {
  mailbox = std::make_unique<Mailbox>(&loop);
  workers = std::make_unique<Workers>(&loop);
  history = std::make_unique<StoreHistory>(*views, *log);
  view_thread = std::make_unique<ViewThread>(*log, all_projections(), *views);
  committer = std::make_unique<Committer>(*log, [this](CommitOutcome outcome) {
    // The loop first: a client waits for it.
    const auto group = outcome.group;
    mailbox->post([this, outcome = std::move(outcome)] { committed(outcome); });
    if (group) view_thread->add(group);
  });
  Engine::Hooks told;
  told.effect = [this](const Effect& effect, const JobState& job) {
    if (effect.kind == EffectKind::deliver_answer) return answer_files->deliver(job, effect.input);
    attempts->carry_out(effect, job);
  };
  told.step_ready = [this](const Flow& flow, const view::FlowStepT& step) {
    sessions->step_ready(flow, step);
  };
  told.job_changed = [this](const JobState& job) { job_changed(job); };
  engine = std::make_unique<Engine>(Engine::Options{site.name, boot_id, capacity()}, *committer, *history,
                                    std::move(told));
  OutputWatcher::Hooks output;
  output.found = [this](const std::string& job, RecordOutput stretch) {
    output_found(job, std::move(stretch));
  };
  output.grew = [this](const std::string& job, const LiveTail& tail) {
    sessions->output_grew(job);
    output_monitor->output_grew(job, tail);
  };
  output.requests = [this](const std::string& job, const std::optional<RequestMarks>& marks) {
    input_files->hinted(job, marks);
  };
  output.trouble = [](const std::string& job, const Error& error) {
    spdlog::warn("job {}: {}", job, error.message);
  };
  output.monotonic_now = [] { return monotonic_now(); };
  known_issues = std::make_unique<KnownIssues>(cache_folder(store), config.issues.files);
  watcher =
      std::make_unique<OutputWatcher>(&loop, line_decoders(), std::move(output), OutputWatcher::Limits{});
  const auto rows = views->snapshot();
  ids = std::make_unique<IdSource>(site.number, greatest_job_id(*rows));
  intake = std::make_unique<Intake>(config, *ids);
  server = std::make_unique<SocketServer>(
      &loop, SocketServer::Handlers{
                 [this](ConnectionId id, const Peer& peer) { sessions->opened(id, peer); },
                 [this](ConnectionId id, const wire::ClientFrame& frame) { sessions->received(id, frame); },
                 [this](ConnectionId id) { sessions->drained(id); },
                 [this](ConnectionId id) { sessions->closed(id); }});
  parts = std::make_unique<Parts>(Parts{&loop, *workers, *mailbox, *log, *views, *view_thread, *engine,
                                        *server, *watcher, config, store, stopping.get_token()});
  hooks =
      std::make_unique<Hooks>(*parts, HookSurroundings{options.runner_program, {}, open_files}, site.name);
  upkeep = std::make_unique<Upkeep>(
      *parts,
      Upkeep::Doors{[this] { stop(Ending::stopped); }, [this] { return reload(); },
                    [this] { stop(Ending::restart_with_new_views); },
                    [this](const RequestId& to, const std::string& name) { hooks->try_out(to, name); }});
  sessions = std::make_unique<Sessions>(*parts, *intake, *ids, *upkeep, *hooks);
  job_files = std::make_unique<JobFiles>(*parts);
  auto_fix = std::make_unique<AutoFix>(*parts, *intake);
  answer_files = std::make_unique<AnswerFiles>(*parts);
  input_files = std::make_unique<InputFiles>(*parts, *ids, *answer_files);
  compose_monitors();
  clock = std::make_unique<ClockWatch>(wall_now(), monotonic_now());
  deadline_timer = std::make_unique<Timer>(&loop);
  room_timer = std::make_unique<Timer>(&loop);
  gate_timer = std::make_unique<Timer>(&loop);
}

void Daemon::State::compose_monitors() {
  notifications = std::make_unique<Notifications>(
      store, [this] { return default_jobs_root(config); }, *log, *workers);
  machine_monitor =
      std::make_unique<MachineMonitor>(&loop, config, store, [this](schema::AlertFactUnion fact) {
        CommandMeta meta;
        meta.now = wall_now();
        engine->submit(meta, SystemNote{std::move(fact)}, {});
      });
  OutputMonitor::Hooks hooks;
  hooks.warn = [this](const std::string& job, WarnJob warning) { report(job, std::move(warning)); };
  hooks.find_job = [this](const std::string& job) { return engine->find_live(job); };
  hooks.processes = [](const JobState& job) {
    return process_activity(static_cast<pid_t>(job.runner_pid)).text();
  };
  hooks.wall_now = wall_now;
  hooks.monotonic_now = monotonic_now;
  output_monitor = std::make_unique<OutputMonitor>(&loop, config, std::move(hooks));
  engine->warn_of_duration(config.monitor.duration_warning_fraction);
}

Status Daemon::State::start() {
  auto path = socket_path(store);
  if (!path) return tl::unexpected(path.error());
  socket = *path;
  attempts = std::make_unique<Attempts>(
      &loop,
      Attempts::Setting{store + "/run", socket, options.runner_program, boot_id, open_files,
                        [this](const std::string& project) { return known_issues->matcher(project); },
                        [this](const std::string& job, std::function<void()> then) {
                          input_files->look_last(job, std::move(then));
                        },
                        options.client_program},
      *workers, *log, *watcher,
      [this](const std::string& job, JobCommand command) { report(job, std::move(command)); });

  uv_prepare_init(&loop, &prepare);
  prepare.data = this;
  uv_prepare_start(&prepare, [](uv_prepare_t* handle) { static_cast<State*>(handle->data)->turn(); });
  for (auto [handle, number] : {std::pair{&terminate, SIGTERM}, {&interrupt, SIGINT}, {&hangup, SIGHUP}}) {
    uv_signal_init(&loop, handle);
    handle->data = this;
    uv_signal_start(
        handle,
        [](uv_signal_t* signal, int which) {
          auto* state = static_cast<State*>(signal->data);
          if (which != SIGHUP) return state->stop(Ending::stopped);
          if (auto reloaded = state->reload(); !reloaded) spdlog::error("{}", reloaded.error().message);
        },
        number);
  }

  const auto rows = views->snapshot();
  load_live_state(*engine, *rows);
  machine_monitor->load(*rows);
  notifications->catch_up(log->tip().position);
  if (auto read = rows->status(); !read) return read;
  for (schema::SystemFactUnion& fact : first_notes(site, log->tip().position == 0, boot_id)) {
    CommandMeta meta;
    meta.now = wall_now();
    engine->submit(meta, SystemNote{std::move(fact)}, {});
  }
  attempts->sweep_run_dir([this](const std::string& job) { return engine->find_live(job) != nullptr; });
  engine->resume(log->tip().position, wall_now());
  for (const auto& [id, job] : engine->live_jobs()) {
    const bool had_process = job.pid != 0 && !job.attempt_over && job.state != schema::JobState::queued;
    if (had_process) attempts->adopt(job);
    output_monitor->adopt(job);
  }
  job_files->refresh(*history);
  auto_fix->look_back();
  hooks->start(socket);
  std::optional<gid_t> group;
  if (!config.store.group.empty()) {
    auto found = group_id(config.store.group);
    if (!found) return tl::unexpected(found.error());
    group = *found;
  }
  return server->listen(socket, group, options.inherited_socket);
}

// ------------------------------------------------------------------------------------------- running

Ending Daemon::run() {
  spdlog::info("luziad {} serves {} at {}", LUZIA_VERSION, state_->store, state_->socket);
  uv_run(&state_->loop, UV_RUN_DEFAULT);
  const Ending ending = state_->ending.value_or(Ending::stopped);
  if (ending == Ending::stopped) {
    state_->flush();
  } else {
    restore_descriptor_limit(state_->open_files);
  }
  return ending;
}

/// So that the next to open the store, if only to read, has nothing to replay.
void Daemon::State::flush() {
  committer.reset();  // its thread is the one that appends
  if (auto flushed = flush_log(*log); !flushed) spdlog::warn("{}", flushed.error().message);
}

/// Before the loop sleeps: whatever this turn has brought is decided, and goes to the commit thread as one
/// group.
void Daemon::State::turn() {
  if (closing) return;
  const TimeUs now = wall_now(), monotonic = monotonic_now();
  if (const TimeUs step = clock->step(now, monotonic); step != 0) {
    spdlog::warn("the wall clock stepped by {} s", step / kSecondUs);
    engine->clock_stepped(step, now);
    hooks->clock_stepped(step);
  }
  look_at_rows();
  if (closing) return;
  engine->views_reached(view_thread->position());
  look_at_room(monotonic);
  look_at_gates();
  machine_monitor->turn(monotonic, attempts->running() > 0 || engine->queued() > 0);
  engine->turn(now);
  const TimeUs due = engine->next_deadline_after(now);
  if (due == armed_for) return;
  armed_for = due;
  if (due == 0) return deadline_timer->stop();
  const TimeUs wait = std::max<TimeUs>(0, due - now);
  deadline_timer->start(static_cast<std::uint64_t>(wait / kMillisecondUs) + 1, [this] {
    armed_for = 0;
    engine->time_passed(wall_now());
  });
}

/// Rows that cannot be read or written are given up, not served: the next start replays what is missing, or
/// all of them.
void Daemon::State::look_at_rows() {
  if (ending) return;
  Status sound = views->status();
  if (sound) sound = view_thread->status();
  if (sound) return;
  spdlog::error("{}; starting over from the log", sound.error().message);
  if (release_ballast(store))
    spdlog::warn("the disk is full: gave up the ballast so that cancel still works");
  stop(Ending::restart);
}

/// A job that starts where there is no room fails in odd ways, and takes what cancel needs.
/// Looked at in each turn, which may start jobs, but a few milliseconds old will do: what starts meanwhile
/// takes far less than the threshold leaves.
void Daemon::State::look_at_room(TimeUs monotonic) {
  constexpr std::uint64_t kLookAgainMs = 2'000;
  constexpr TimeUs kGoodFor = 5 * kMillisecondUs;
  if (room == DiskRoom::plenty && room_seen_at != 0 && monotonic - room_seen_at < kGoodFor) return;
  room_seen_at = monotonic;
  const DiskRoom before = std::exchange(room, disk_room(store));
  if (room != DiskRoom::plenty) room_timer->start(kLookAgainMs, [] {});  // its turn looks
  if (room == before) return;
  if (room == DiskRoom::plenty) {
    spdlog::info("there is room on the disk again: jobs start");
    keep_ballast(store);
  } else if (before == DiskRoom::plenty) {
    spdlog::warn("less than {} MiB free on the disk of {}: nothing new starts", kScarceBytes >> 20, store);
  }
  engine->set_capacity(capacity());
  std::optional<Error> refusal;
  if (room == DiskRoom::spent) refusal = no_room_for_jobs(store);
  engine->refuse_new_jobs(std::move(refusal));
}

/// Looks when a job comes to an empty queue, and every other second while jobs are queued.
void Daemon::State::look_at_gates() {
  constexpr std::uint64_t kLookAgainMs = 2'000;
  if (!Gates::any(config) && gates_closed.empty()) return;
  if (engine->queued() == 0 || gate_timer->running()) return;
  gate_timer->start(kLookAgainMs, [] {});  // its turn looks
  std::string closed = gates.closed(config, read_machine_load());
  if (closed == gates_closed) return;
  if (closed.empty()) spdlog::info("jobs start again");
  if (gates_closed.empty()) spdlog::info("nothing new starts: {}", closed);
  gates_closed = std::move(closed);
  engine->set_capacity(capacity());
}

Capacity Daemon::State::capacity() const {
  Capacity capacity = capacity_of(config);
  capacity.closed = room == DiskRoom::plenty ? gates_closed : "the disk is nearly full";
  return capacity;
}

void Daemon::State::committed(const CommitOutcome& outcome) {
  engine->committed(outcome);
  if (outcome.group) {
    notifications->committed(*outcome.group);
    sessions->committed(outcome.group);
    return hooks->committed(*outcome.group);
  }
  spdlog::error("the log could not be written: {}; starting over from what it proves", outcome.error.message);
  if (release_ballast(store))
    spdlog::warn("the disk is full: gave up the ballast so that cancel still works");
  stop(Ending::restart);
}

void Daemon::State::job_changed(const JobState& job) {
  attempts->job_changed(job);
  sessions->job_changed(job);
  job_files->job_changed(job);
  input_files->job_changed(job);
  output_monitor->job_changed(job);
  auto_fix->job_changed(job);
}

void Daemon::State::output_found(const std::string& job, RecordOutput stretch) {
  report(job, std::move(stretch));
  const JobState* state = engine->find_live(job);
  if (state == nullptr || engine->failed()) return;
  watcher->recorded(job, state->checkpoint ? *state->checkpoint : schema::CheckpointT{});
}

void Daemon::State::report(const std::string& job, JobCommand command) {
  CommandMeta meta;
  meta.now = wall_now();
  std::vector<JobOrder> orders;
  orders.push_back({job, std::move(command)});
  engine->submit(meta, std::move(orders), [job](const Result<Outcome>& outcome) {
    if (!outcome) spdlog::warn("job {}: {}", job, outcome.error().message);
  });
}

Status Daemon::State::reload() {
  auto read = load_config(options.config_file);
  if (!read) return tl::unexpected(read.error());
  config = std::move(*read);
  config.store.path = store;
  intake->forget_accounts();
  engine->set_capacity(capacity());
  hooks->configure();
  known_issues->reload(config.issues.files);
  engine->warn_of_duration(config.monitor.duration_warning_fraction);
  machine_monitor->limits_changed();
  output_monitor->limits_changed();
  spdlog::info("configuration read again");
  return {};
}

// ------------------------------------------------------------------------------------------ stopping

void Daemon::State::stop(Ending how) {
  if (ending) return;
  ending = how;
  stopping.request_stop();
  if (engine->failed()) return close();
  engine->drain();
  hooks->stop();
  schema::DaemonStoppedT fact;
  fact.reason = how == Ending::stopped ? "asked to stop" : "restarts";
  schema::SystemFactUnion system;
  system.Set(std::move(fact));
  CommandMeta meta;
  meta.now = wall_now();
  engine->submit(meta, SystemNote{std::move(system)}, [this](const Result<Outcome>&) { close(); });
}

void Daemon::State::close() {
  if (closing) return;
  closing = true;
  sessions->clear();
  if (attempts) attempts->close();
  left_to_stop = 2;
  server->stop([this] { part_stopped(); });
  watcher->stop([this] { part_stopped(); });
}

void Daemon::State::part_stopped() {
  if (--left_to_stop > 0) return;
  attempts.reset();
  job_files->close();
  input_files->close();
  answer_files->close();
  hooks->close();
  output_monitor->close();
  machine_monitor->close();
  deadline_timer.reset();
  room_timer.reset();
  gate_timer.reset();
  mailbox->close();
  const auto let_go = [](auto* handle) {
    auto* base = reinterpret_cast<uv_handle_t*>(handle);
    if (base->loop != nullptr && !uv_is_closing(base)) uv_close(base, nullptr);
  };
  let_go(&prepare);
  let_go(&terminate);
  let_go(&interrupt);
  let_go(&hangup);
}

}  // namespace luzia
