// How the daemon starts: creates the parts, and takes over live jobs.
#include <algorithm>

#include "engine/base/failpoint.h"
#include "projections/alerts.h"
#include "tools/luziad/daemon_state.h"

namespace luzia {

/// One at a time: waits for the next after this one is made.
void Daemon::State::await_checkpoint() {
  view_thread->when_at(storage.checkpoints->next(), [this] {
    const Position position = view_thread->position();
    mailbox->post([this, position] {
      // Folding failed, or the rows are being rebuilt: no more checkpoints until the next start.
      if (position < storage.checkpoints->next() || ending || upkeep->rebuilding()) return;
      workers->run([this, position] { storage.rows_reached(position); }, [this] { await_checkpoint(); });
    });
  });
}

OutputWatcher::Hooks Daemon::State::output_hooks() {
  OutputWatcher::Hooks output;
  output.found = [this](const std::string& job, RecordOutput stretch) {
    output_found(job, std::move(stretch));
  };
  output.grew = [this](const std::string& job, const LiveTail& tail) {
    sessions->output_grew(job);
    output_monitor->output_grew(job, tail);
  };
  output.recalled = [this](const std::string& job, const LiveTail& tail) {
    output_monitor->last_line_recalled(job, tail);
  };
  output.requests = [this](const std::string& job, const std::optional<RequestMarks>& marks) {
    input_files->hinted(job, marks);
  };
  output.trouble = [](const std::string& job, const Error& error) {
    spdlog::warn("job {}: {}", job, error.message);
  };
  output.monotonic_now = [] { return monotonic_now(); };
  return output;
}

void Daemon::State::compose() {
  mailbox = std::make_unique<Mailbox>(&loop);
  workers = std::make_unique<Workers>(&loop);
  history = std::make_unique<StoreHistory>(*storage.views, *storage.log);
  view_thread = std::make_unique<ViewThread>(*storage.log, all_projections(), storage.rows_to_fold());
  if (storage.checkpoints) await_checkpoint();
  committer = std::make_unique<Committer>(*storage.log, [this](CommitOutcome outcome) {
    // Pass it to the loop first: a client waits for it.
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
  told.order_refused = [](const std::string& stream, const Error& why) {
    spdlog::warn("{}: what the daemon does there by itself was refused: {}", stream, why.message);
  };
  told.job_changed = [this](const JobState& job) { job_changed(job); };
  engine = std::make_unique<Engine>(Engine::Options{storage.site.name, boot_id, capacity_of(config)},
                                    *committer, *history, std::move(told));
  known_issues = std::make_unique<KnownIssues>(cache_folder(storage.folder), options.patterns_folder,
                                               config.issues.files);
  watcher = std::make_unique<OutputWatcher>(&loop, line_decoders(), output_hooks(), OutputWatcher::Limits{});
  const auto rows = storage.views->snapshot();
  ids = std::make_unique<IdSource>(storage.site.number, greatest_job_id(*rows));
  intake = std::make_unique<Intake>(config, *ids, [this] { return refresh_config(); });
  server = std::make_unique<SocketServer>(
      &loop, SocketServer::Handlers{
                 [this](ConnectionId id, const Peer& peer) { sessions->opened(id, peer); },
                 [this](ConnectionId id, const wire::ClientFrame& frame) { sessions->received(id, frame); },
                 [this](ConnectionId id) { sessions->drained(id); },
                 [this](ConnectionId id) { sessions->closed(id); }});
  const Threads threads{&loop, *workers, *mailbox, stopping.get_token()};
  const Store stored{storage.folder, *storage.log, *storage.views, *view_thread, *mailbox};
  const Desk desk{*engine, config, *server};
  hooks = std::make_unique<Hooks>(
      threads, stored, desk, HookSurroundings{options.runner_program, {}, storage.folder, open_files},
      storage.site.name,
      [this](const std::string& job, bool ended) { return sessions->watched(job, ended); });
  upkeep = std::make_unique<Upkeep>(
      threads, stored, desk, *watcher,
      Upkeep::Doors{[this] { stop(DaemonEnding::stopped); }, [this] { return reload(); },
                    [this] { return configuration.describe(); },
                    [this] { stop(DaemonEnding::restart_with_new_views); },
                    [this](const RequestId& to, const std::string& name) { hooks->try_out(to, name); },
                    [this] { return admission->lack_of_room(); },
                    [this](Scrub::Listener listener) { return scrub->run_now(std::move(listener)); },
                    [this] { return scrub->describe(); }, [this] { return removal_work->left(); }},
      storage.rows_making);
  rlimit files{};
  (void)getrlimit(RLIMIT_NOFILE, &files);
  sessions = std::make_unique<Sessions>(threads, stored, desk, *watcher, *intake, *ids, *upkeep, *hooks,
                                        *storage.credentials, files.rlim_cur);
  deadline_timer = std::make_unique<Timer>(&loop);
  taking_up_timer = std::make_unique<Timer>(&loop);
  compose_workers(threads, stored);
  compose_monitors();
  list_followers();
}

/// notifications.log is written before clients are notified of an end, and clients are notified before its
/// consequences begin.
void Daemon::State::list_followers() {
  followers = {wall_clock.get(), notifications.get(), escalations.get()};
  for (Follower* each : sessions->followers()) followers.push_back(each);
  const std::initializer_list<Follower*> others = {
      job_files.get(),  input_files.get(),  output_monitor.get(), auto_fix.get(),   tool_catalogue.get(),
      contention.get(), hooks.get(),        scrub.get(),          telegram.get(),   machine_monitor.get(),
      admission.get(),  removal_work.get(), answer_files.get(),   store_watch.get()};
  followers.insert(followers.end(), others);
}

/// Creates the parts that act on facts about jobs.
void Daemon::State::compose_workers(const Threads& threads, const Store& stored) {
  telegram = std::make_unique<TelegramBot>(*workers, [this] {
    return telegram_plan(config, {options.runner_program, socket, storage.folder, open_files});
  });
  job_files = std::make_unique<JobFiles>(threads, stored);
  auto_fix = std::make_unique<AutoFix>(threads, stored, config, *engine, *intake);
  removal_work = std::make_unique<RemovalWork>(threads, stored, *engine);
  tool_catalogue = std::make_unique<ToolCatalogue>(threads, *storage.views, config, *engine);
  contention = std::make_unique<ContentionWatch>(
      threads, stored, *engine,
      TreeWatch::Setting{options.runner_program, options.client_program, open_files, {}});
  answer_files = std::make_unique<AnswerFiles>(threads, *storage.log, *engine);
  input_files = std::make_unique<InputFiles>(threads, config, *engine, *watcher, *ids, *answer_files);
}

void Daemon::State::compose_monitors() {
  wall_clock = std::make_unique<WallClock>(storage.folder, boot_id, *storage.log, *engine);
  admission = std::make_unique<Admission>(&loop, *mailbox, config, storage.folder, *engine);
  scrub = std::make_unique<Scrub>(&loop, *mailbox, config, storage.folder,
                                  [this](SystemNote fact) { note(std::move(fact)); });
  store_watch = std::make_unique<StoreWatch>(&loop, storage.folder, [this] { store_gone(); });
  escalations = std::make_unique<Escalations>(&loop, config, *engine);
  notifications = std::make_unique<Notifications>(
      storage.folder, [this] { return default_jobs_root(config); }, *storage.log, *workers);
  machine_monitor = std::make_unique<MachineMonitor>(
      &loop, config, storage.folder, [this](schema::AlertFactUnion fact) { note({std::move(fact)}); });
  OutputMonitor::Hooks hooks;
  hooks.warn = [this](const std::string& job, WarnJob warning) { report(job, std::move(warning)); };
  hooks.question = [this](const JobState& job, const std::string& text) {
    return silence_question(config, *ids, job, text, wall_now());
  };
  hooks.find_job = [this](const std::string& job) { return engine->find_live(job); };
  hooks.processes = [](const JobState& job) {
    return process_activity(static_cast<pid_t>(job.runner_pid)).text();
  };
  hooks.wall_now = wall_now;
  hooks.monotonic_now = monotonic_now;
  output_monitor = std::make_unique<OutputMonitor>(&loop, config, std::move(hooks));
  engine->warn_of_duration(config.monitor.duration_warning_fraction);
}

void Daemon::State::watch_turns_and_signals() {
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
          if (which != SIGHUP) return state->stop(DaemonEnding::stopped);
          if (auto reloaded = state->reload(); !reloaded) spdlog::error("{}", reloaded.error().message);
        },
        number);
  }
}

Status Daemon::State::start() {
  auto path = LUZIA_TRY(socket_path(storage.folder));
  LUZIA_TRY(safe_jobs_root(config));
  socket = path;
  std::optional<gid_t> group;
  if (!config.store.group.empty()) {
    group = LUZIA_TRY(group_id(config.store.group));
  }
  const std::string attempts_socket = open_attempts_door(group);
  attempts = std::make_unique<Attempts>(
      &loop,
      Attempts::Setting{storage.folder + "/run", socket, options.runner_program, boot_id, open_files,
                        [this](const std::string& project) { return known_issues->matcher(project); },
                        [this](const std::string& job, std::function<void()> then) {
                          input_files->look_last(job, std::move(then));
                        },
                        options.client_program,
                        [this](const std::string& job, std::uint32_t attempt) {
                          return storage.credentials->of(job, attempt);
                        },
                        attempts_socket,
                        [this](const JobState& job, std::function<void(PromptBuild)> then) {
                          sessions->prepare_prompt(job, std::move(then));
                        },
                        options.given_limits},
      *workers, *storage.log, *watcher,
      [this](const std::string& job, JobCommand command) { report(job, std::move(command)); });
  followers.insert(followers.begin(), attempts.get());
  watch_turns_and_signals();
  const auto rows = storage.views->snapshot();
  load_live_state(*engine, *rows);
  machine_monitor->load(*rows);
  const auto open = open_alerts(*rows);
  scrub->begin(
      std::ranges::any_of(open, [](const view::AlertT& alert) { return alert.alert == kStoreDamaged; }));
  notifications->catch_up(storage.log->tip().position);
  LUZIA_TRY(rows->status());
  for (schema::SystemFactUnion& fact : first_notes(storage.site, storage.log->tip().position == 0, boot_id))
    note({std::move(fact)});
  failpoint("rollback.accepted");
  LUZIA_TRY(storage.record_acceptance(
      [this](SystemNote fact, Reply noted) { note(std::move(fact), std::move(noted)); }));
  attempts->sweep_run_dir([this](const std::string& job) { return engine->find_live(job) != nullptr; });
  const TimeUs stepped = resume();
  take_up();
  job_files->refresh(*history);
  auto_fix->look_back();
  removal_work->look();
  contention->look_back();
  hooks->start(socket);
  if (stepped != 0) hooks->clock_stepped(stepped);
  tool_catalogue->look();
  escalations->config_changed();
  if (group) {
    LUZIA_TRY(open_store_to_group(storage.folder, socket, *group));
  }
  LUZIA_TRY(server->listen(socket, group, options.inherited_socket));
  telegram->config_changed();
  if (storage.rows_making) upkeep->replace_rows();
  return {};
}

void Daemon::State::note(SystemNote fact, Reply noted) {
  engine->submit(by_daemon(wall_now()), std::move(fact), std::move(noted));
}

/// A second socket for agents of other users, who cannot reach the first. If it cannot be opened, only they
/// are affected.
std::string Daemon::State::open_attempts_door(std::optional<gid_t> group) {
  if (geteuid() != 0) return {};
  const std::string path = attempts_socket_path(storage.folder);
  if (path.empty()) {
    spdlog::warn("{} is too long for a socket beside it: agents of other users cannot speak for their jobs",
                 storage.folder);
    return {};
  }
  if (auto listening = server->listen_to_attempts(path, group); !listening) {
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

/// Takes over live jobs. A job that ended while no daemon ran must not show as running: reads wait for its
/// end, but only briefly if much output is still unread.
void Daemon::State::take_up() {
  for (const auto& [id, job] : engine->live_jobs()) {
    const bool had_process = job.pid != 0 && !job.attempt_over && job.state != schema::JobState::queued;
    if (had_process) attempts->adopt(job);
    output_monitor->adopt(job);
  }
  constexpr std::uint64_t kLongestMs = 2'000;
  sessions->hold_reads();
  taking_up_timer->start(kLongestMs, [this] { sessions->release_reads(); });
  // On a separate turn, because the last end is reported from within the engine, whose other hooks have yet
  // to run.
  attempts->when_taken_up([this] { taking_up_timer->start(0, [this] { sessions->release_reads(); }); });
}

/// Returns the clock's step since the last daemon, before anything compares times.
TimeUs Daemon::State::resume() {
  engine->resume(storage.log->tip().position, wall_now());
  return wall_clock->look(wall_now(), monotonic_now());
}

}  // namespace luzia
