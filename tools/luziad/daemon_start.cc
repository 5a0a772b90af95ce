// How the daemon starts: opens the store, creates the parts, and takes over live jobs.
#include <malloc.h>

#include <algorithm>

#include "engine/base/failpoint.h"
#include "projections/alerts.h"
#include "tools/luziad/daemon_state.h"

namespace luzia {

Status Daemon::State::open_store() {
  // Opening writes too, and RocksDB may abort if it cannot.
  if (release_ballast(store)) spdlog::warn("the disk is full: gave up the ballast so that the store opens");
  LUZIA_TRY(need_room_to_open(store));
  LUZIA_TRY(check_store_files(store));
  LogOptions log_options;
  log_options.accept_end = options.accept_log_end;
  log_options.held_lock = options.held_lock;
  if (options.accept_log_end) spdlog::warn("the end of the log in {} is accepted as it is", store);
  log = LUZIA_TRY(open_rocks_event_log(store, log_options));
  keep_ballast(store);
  remove_left_scratch(store);
  remove_left_views(store);
  LUZIA_TRY(prepare_run_dir(store));
  LUZIA_TRY(open_rows());
  malloc_trim(0);  // memory for folding a long history, up to 60 MB, is not needed again
  site = LUZIA_TRY(find_site(*log, config.store.site));
  boot_id = current_boot_id();
  auto key = LUZIA_TRY(AttemptCredentials::open(store));
  credentials = std::make_unique<AttemptCredentials>(std::move(key));
  return {};
}

/// Brings this program's rows up to date, or builds them. An older program's rows are served as far as
/// possible: rebuilding all of them may take minutes, and runs in the background (Upkeep::replace_rows).
Status Daemon::State::open_rows() {
  auto opened = LUZIA_TRY(open_rocks_view_store(store + "/views", OpenMode::read_write));
  if (opened.cleared) spdlog::warn("the rows in {}/views were damaged: replaying them from the log", store);
  views = std::move(opened.store);
  LUZIA_TRY(ask_for_acceptance());
  const auto rows = views->snapshot();
  const auto matches = LUZIA_TRY(cursor_matches(*log, rows->cursor()));
  auto older = matches ? find_older_versions(*rows, all_projections()) : std::nullopt;
  if (older) return use_older_rows(*older);
  checkpoints = std::make_unique<ViewCheckpoints>(store, *log, all_projections(), std::move(opened.copy));
  const auto reached = [this](FoldProgress fold) { rows_reached(fold.done, fold.total); };
  return catch_up(*log, all_projections(), *views, ~Position{0}, reached);
}

/// An acceptance given to an earlier daemon that died before recording it still covers the remaining signs.
Status Daemon::State::ask_for_acceptance() {
  const auto sign = LUZIA_TRY(find_rollback());
  rollback = kept_accepted(store);
  const bool covered = rollback && sign && sign->log_end >= rollback->log_end;
  if (!sign || covered) return {};
  if (!options.accept_log_end) return tl::unexpected(log_rolled_back(store, *sign));
  spdlog::warn("an older log is accepted: {}", sign->words());
  rollback = sign;
  return keep_accepted(store, *sign);
}

Status Daemon::State::record_acceptance() {
  if (!rollback) return {};
  const bool recorded = LUZIA_TRY(is_recorded(*log, *rollback));
  if (recorded) {
    forget_accepted(store);
    return {};
  }
  note({rollback_accepted(*rollback)}, [this](const Result<Outcome>& noted) {
    if (!noted) return;
    failpoint("rollback.recorded");
    forget_accepted(store);
  });
  return {};
}

/// Looks for anything in the store that has seen a longer log than this one. An empty log proves nothing
/// either way.
Result<std::optional<RollbackSign>> Daemon::State::find_rollback() const {
  auto in_rows = rollback_in_rows(*log, views->snapshot()->cursor());
  if (!in_rows || *in_rows) return in_rows;
  const Position end = log->tip().position, notified = read_notified(store).value_or(0);
  if (end == 0 || notified <= end) return std::nullopt;
  return RollbackSign{"notified", notified, end};
}

Status Daemon::State::use_older_rows(const OlderVersions& versions) {
  spdlog::info("the rows in {}/views are of an older version: they serve until new ones are made", store);
  stored_views = std::move(views);
  rows_making = std::make_shared<RowsInTheMaking>();
  folded_views = fold_into_older_rows(*stored_views, versions);
  views = show_older_rows(*stored_views, versions, rows_making);
  LUZIA_TRY(mark_older_rows(*stored_views, versions));
  return catch_up(*log, all_projections(), *folded_views);
}

/// Runs during the start, and later on a worker, while rows are read and folded. Without a checkpoint,
/// queries of the past are only slower.
void Daemon::State::rows_reached(Position position, Position end) {
  if (Status made = checkpoints->reached(position, end); !made) spdlog::warn("{}", made.error().message);
}

/// One at a time: waits for the next after this one is made.
void Daemon::State::await_checkpoint() {
  view_thread->when_at(checkpoints->next(), [this] {
    const Position position = view_thread->position();
    mailbox->post([this, position] {
      // Folding failed, or the rows are being rebuilt: no more checkpoints until the next start.
      if (position < checkpoints->next() || ending || upkeep->rebuilding()) return;
      workers->run([this, position] { rows_reached(position); }, [this] { await_checkpoint(); });
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
  history = std::make_unique<StoreHistory>(*views, *log);
  view_thread = std::make_unique<ViewThread>(*log, all_projections(), folded_views ? *folded_views : *views);
  if (checkpoints) await_checkpoint();
  committer = std::make_unique<Committer>(*log, [this](CommitOutcome outcome) {
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
  engine = std::make_unique<Engine>(Engine::Options{site.name, boot_id, capacity_of(config)}, *committer,
                                    *history, std::move(told));
  known_issues =
      std::make_unique<KnownIssues>(cache_folder(store), options.patterns_folder, config.issues.files);
  watcher = std::make_unique<OutputWatcher>(&loop, line_decoders(), output_hooks(), OutputWatcher::Limits{});
  const auto rows = views->snapshot();
  ids = std::make_unique<IdSource>(site.number, greatest_job_id(*rows));
  intake = std::make_unique<Intake>(config, *ids, [this] { return refresh_config(); });
  server = std::make_unique<SocketServer>(
      &loop, SocketServer::Handlers{
                 [this](ConnectionId id, const Peer& peer) { sessions->opened(id, peer); },
                 [this](ConnectionId id, const wire::ClientFrame& frame) { sessions->received(id, frame); },
                 [this](ConnectionId id) { sessions->drained(id); },
                 [this](ConnectionId id) { sessions->closed(id); }});
  parts = std::make_unique<Parts>(Parts{&loop, *workers, *mailbox, *log, *views, *view_thread, *engine,
                                        *server, *watcher, config, store, stopping.get_token()});
  hooks = std::make_unique<Hooks>(
      *parts, HookSurroundings{options.runner_program, {}, store, open_files}, site.name,
      [this](const std::string& job, bool ended) { return sessions->watched(job, ended); });
  upkeep = std::make_unique<Upkeep>(
      *parts,
      Upkeep::Doors{[this] { stop(DaemonEnding::stopped); }, [this] { return reload(); },
                    [this] { return describe_config(); },
                    [this] { stop(DaemonEnding::restart_with_new_views); },
                    [this](const RequestId& to, const std::string& name) { hooks->try_out(to, name); },
                    [this] { return admission->lack_of_room(); },
                    [this](Scrub::Listener listener) { return scrub->run_now(std::move(listener)); },
                    [this] { return scrub->describe(); }, [this] { return removal_work->left(); }},
      rows_making);
  rlimit files{};
  (void)getrlimit(RLIMIT_NOFILE, &files);
  sessions = std::make_unique<Sessions>(*parts, *intake, *ids, *upkeep, *hooks, *credentials, files.rlim_cur);
  deadline_timer = std::make_unique<Timer>(&loop);
  taking_up_timer = std::make_unique<Timer>(&loop);
  compose_workers();
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
void Daemon::State::compose_workers() {
  telegram = std::make_unique<TelegramBot>(*workers, [this] {
    return telegram_plan(config, {options.runner_program, socket, store, open_files});
  });
  job_files = std::make_unique<JobFiles>(*parts);
  auto_fix = std::make_unique<AutoFix>(*parts, *intake);
  removal_work = std::make_unique<RemovalWork>(*parts);
  tool_catalogue = std::make_unique<ToolCatalogue>(*parts);
  contention = std::make_unique<ContentionWatch>(
      *parts, TreeWatch::Setting{options.runner_program, options.client_program, open_files, {}});
  answer_files = std::make_unique<AnswerFiles>(*parts);
  input_files = std::make_unique<InputFiles>(*parts, *ids, *answer_files);
}

void Daemon::State::compose_monitors() {
  wall_clock = std::make_unique<WallClock>(store, boot_id, *log, *engine);
  admission = std::make_unique<Admission>(&loop, *mailbox, config, store, *engine);
  scrub = std::make_unique<Scrub>(&loop, *mailbox, config, store,
                                  [this](SystemNote fact) { note(std::move(fact)); });
  store_watch = std::make_unique<StoreWatch>(&loop, store, [this] { store_gone(); });
  escalations = std::make_unique<Escalations>(*parts);
  notifications = std::make_unique<Notifications>(
      store, [this] { return default_jobs_root(config); }, *log, *workers);
  machine_monitor = std::make_unique<MachineMonitor>(
      &loop, config, store, [this](schema::AlertFactUnion fact) { note({std::move(fact)}); });
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
  auto path = LUZIA_TRY(socket_path(store));
  LUZIA_TRY(safe_jobs_root(config));
  socket = path;
  std::optional<gid_t> group;
  if (!config.store.group.empty()) {
    group = LUZIA_TRY(group_id(config.store.group));
  }
  const std::string attempts_socket = open_attempts_door(group);
  attempts = std::make_unique<Attempts>(
      &loop,
      Attempts::Setting{
          store + "/run", socket, options.runner_program, boot_id, open_files,
          [this](const std::string& project) { return known_issues->matcher(project); },
          [this](const std::string& job, std::function<void()> then) {
            input_files->look_last(job, std::move(then));
          },
          options.client_program,
          [this](const std::string& job, std::uint32_t attempt) { return credentials->of(job, attempt); },
          attempts_socket,
          [this](const JobState& job, std::function<void(PromptBuild)> then) {
            sessions->prepare_prompt(job, std::move(then));
          },
          options.given_limits,
          [this](const std::string& agent) {
            const auto profile = config.agents.find(agent);
            return profile != config.agents.end() && profile->second.line_buffered;
          }},
      *workers, *log, *watcher,
      [this](const std::string& job, JobCommand command) { report(job, std::move(command)); });
  followers.insert(followers.begin(), attempts.get());
  watch_turns_and_signals();
  const auto rows = views->snapshot();
  load_live_state(*engine, *rows);
  machine_monitor->load(*rows);
  const auto open = open_alerts(*rows);
  scrub->begin(
      std::ranges::any_of(open, [](const view::AlertT& alert) { return alert.alert == kStoreDamaged; }));
  notifications->catch_up(log->tip().position);
  LUZIA_TRY(rows->status());
  for (schema::SystemFactUnion& fact : first_notes(site, log->tip().position == 0, boot_id))
    note({std::move(fact)});
  failpoint("rollback.accepted");
  LUZIA_TRY(record_acceptance());
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
    LUZIA_TRY(open_store_to_group(store, socket, *group));
  }
  LUZIA_TRY(server->listen(socket, group, options.inherited_socket));
  telegram->config_changed();
  if (rows_making) upkeep->replace_rows();
  return {};
}

void Daemon::State::note(SystemNote fact, Reply noted) {
  engine->submit(by_daemon(wall_now()), std::move(fact), std::move(noted));
}

/// A second socket for agents of other users, who cannot reach the first. If it cannot be opened, only they
/// are affected.
std::string Daemon::State::open_attempts_door(std::optional<gid_t> group) {
  if (geteuid() != 0) return {};
  const std::string path = attempts_socket_path(store);
  if (path.empty()) {
    spdlog::warn("{} is too long for a socket beside it: agents of other users cannot speak for their jobs",
                 store);
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
  engine->resume(log->tip().position, wall_now());
  return wall_clock->look(wall_now(), monotonic_now());
}

}  // namespace luzia
