// Creates the parts of the daemon and connects them.
#include "tools/luziad/daemon_parts.h"

#include "adapters/socket/socket_path.h"
#include "tools/luziad/attempts/sandbox_rules.h"

namespace luzia {

/// One at a time: waits for the next after this one is made.
void DaemonParts::await_checkpoint() {
  core.view_thread->when_at(storage.checkpoints->next(), [this] {
    const Position position = core.view_thread->position();
    core.mailbox->post([this, position] {
      // Folding failed, or the rows are being rebuilt: no more checkpoints until the next start.
      if (position < storage.checkpoints->next() || stopping.stop_requested() ||
          upkeep.requests->rebuilding())
        return;
      core.workers->run([this, position] { storage.rows_reached(position); }, [this] { await_checkpoint(); });
    });
  });
}

OutputWatcher::Hooks DaemonParts::output_hooks() {
  OutputWatcher::Hooks output;
  output.found = [this](const std::string& job, RecordOutput stretch) {
    course.output_found(job, std::move(stretch));
  };
  output.grew = [this](const std::string& job, const LiveTail& tail) {
    doors.sessions->output_grew(job);
    watching.output_monitor->output_grew(job, tail);
  };
  output.recalled = [this](const std::string& job, const LiveTail& tail) {
    watching.output_monitor->last_line_recalled(job, tail);
  };
  output.requests = [this](const std::string& job, const std::optional<RequestMarks>& marks) {
    jobs.input_files->hinted(job, marks);
  };
  output.trouble = [](const std::string& job, const Error& error) {
    spdlog::warn("job {}: {}", job, error.message);
  };
  output.monotonic_now = [] { return monotonic_now(); };
  return output;
}

/// Nothing calls a callback before start(), so all parts exist by then.
void DaemonParts::compose() {
  secrets = std::make_unique<SecretBook>(SecretSurroundings{options.runner_program, open_files});
  compose_core();
  compose_watching();
  compose_doors();
  compose_notifying();
  compose_upkeep();
  compose_jobs();
  compose_sessions();
  list_followers();
}

void DaemonParts::compose_core() {
  core.mailbox = std::make_unique<Mailbox>(&loop);
  core.workers = std::make_unique<Workers>(&loop);
  core.history = std::make_unique<StoreHistory>(*storage.views, *storage.log);
  core.view_thread = std::make_unique<ViewThread>(*storage.log, all_projections(), storage.rows_to_fold());
  if (storage.checkpoints) await_checkpoint();
  core.committer = std::make_unique<Committer>(*storage.log, [this](CommitOutcome outcome) {
    // Pass it to the loop first: a client waits for it.
    const auto group = outcome.group;
    core.mailbox->post([this, outcome = std::move(outcome)] { course.committed(outcome); });
    if (group) core.view_thread->add(group);
  });
  Engine::Hooks told;
  told.effect = [this](const Effect& effect, const JobState& job) {
    if (effect.kind == EffectKind::deliver_answer) return jobs.answer_files->deliver(job, effect.input);
    jobs.attempts->carry_out(effect, job);
  };
  told.step_ready = [this](const Flow& flow, const view::FlowStepT& step) {
    doors.sessions->step_ready(flow, step);
  };
  told.command_refused = [](const std::string& stream, const Error& why) {
    spdlog::warn("{}: what the daemon does there by itself was refused: {}", stream, why.message);
  };
  told.job_changed = [this](const JobState& job) { course.job_changed(job); };
  core.engine = std::make_unique<Engine>(Engine::Options{storage.site.name, boot_id, capacity_of(config)},
                                         *core.committer, *core.history, std::move(told));
  core.engine->warn_of_duration(config.monitor.duration_warning_fraction);
}

void DaemonParts::compose_watching() {
  watching.known_issues =
      std::make_unique<KnownIssues>(cache_folder(storage.folder), options.patterns_folder);
  watching.watcher =
      std::make_unique<OutputWatcher>(&loop, line_decoders(), output_hooks(), OutputWatcher::Limits{});
  watching.tool_catalogue = std::make_unique<ToolCatalogue>(threads(), *storage.views, config, *core.engine);
  watching.contention = std::make_unique<ContentionWatch>(threads(), stored(), *core.engine);
  watching.tracked_jobs = std::make_unique<TrackedJobs>(
      &loop, *core.mailbox, *watching.watcher,
      TrackedJobs::Setting{
          boot_id, [this](const std::string& project) { return watching.known_issues->matcher(project); },
          [this](const std::string& job, JobCommand command) { report(job, std::move(command)); }});
  OutputMonitor::Hooks told;
  told.warn = [this](const std::string& job, WarnJob warning) { report(job, std::move(warning)); };
  told.question = [this](const JobState& job, const std::string& text) {
    return silence_question(config, *doors.ids, job, text, wall_now());
  };
  told.find_job = [this](const std::string& job) { return core.engine->find_live(job); };
  told.processes = [](const JobState& job) {
    return process_activity(static_cast<pid_t>(job.runner_pid)).text();
  };
  told.wall_now = wall_now;
  told.monotonic_now = monotonic_now;
  watching.output_monitor = std::make_unique<OutputMonitor>(&loop, config, std::move(told));
  compose_limits();
}

void DaemonParts::compose_limits() {
  watching.cgroups = std::make_shared<LimitCgroups>(find_delegated_cgroup());
  watching.cgroups->take_over();
  LimitWatch::Hooks hooks;
  hooks.stop = [this](const std::string& job, StopAtLimit stop) { report(job, std::move(stop)); };
  hooks.each_job = [this](const std::function<void(const JobState&)>& see) {
    for (const auto& [id, job] : core.engine->live_jobs()) see(job);
  };
  hooks.cgroup_of = [this](const std::string& job, std::uint32_t attempt) {
    return watching.cgroups->folder_of(job, attempt);
  };
  hooks.monotonic_now = [] { return monotonic_now(); };
  hooks.redactor = [this](const std::string& job) { return secrets->known(job); };
  watching.limits = std::make_unique<LimitWatch>(&loop, *core.mailbox, config, std::move(hooks));
  watching.hosts = std::make_unique<HostWatch>(
      &loop, *core.workers,
      HostWatch::Hooks{storage.folder + "/run",
                       [this](const std::string& job, ReportHosts hosts) { report(job, std::move(hosts)); },
                       [this](const std::string& job) { return core.engine->find_live(job); },
                       [this](const std::string& job) { return secrets->known(job); }});
}

void DaemonParts::compose_doors() {
  const auto rows = storage.views->snapshot();
  doors.ids = std::make_unique<IdSource>(storage.site.number, greatest_job_id(*rows));
  doors.intake = std::make_unique<Intake>(config, *doors.ids, [this] { return course.refresh_config(); });
  doors.server = std::make_unique<SocketServer>(
      &loop,
      SocketServer::Handlers{
          [this](ConnectionId id, const Peer& peer) { doors.sessions->opened(id, peer); },
          [this](ConnectionId id, const wire::ClientFrame& frame) { doors.sessions->received(id, frame); },
          [this](ConnectionId id) { doors.sessions->drained(id); },
          [this](ConnectionId id) { doors.sessions->closed(id); },
          [this](ConnectionId id, const wire::ClientFrame& frame) {
            return doors.sessions->redactor_of(id, frame);
          }});
}

void DaemonParts::compose_notifying() {
  notifying.hooks = std::make_unique<Hooks>(
      threads(), stored(), desk(), HookSurroundings{options.runner_program, {}, storage.folder, open_files},
      storage.site.name,
      [this](const std::string& job, bool ended) { return doors.sessions->watched(job, ended); });
  notifying.digests = std::make_unique<Digests>(&loop, stored(), desk());
  notifying.escalations = std::make_unique<Escalations>(&loop, config, *core.engine);
  notifying.notifications = std::make_unique<Notifications>(
      storage.folder, [this] { return default_jobs_root(config); }, *storage.log, *core.workers);
  notifying.status_lines = std::make_unique<StatusLines>(config);
  const auto around = [this] {
    return HookSurroundings{options.runner_program, socket, storage.folder, open_files, options.config_file,
                            options.client_program};
  };
  const auto kept = [this, around](auto* program) {
    return std::make_unique<ProgramKeeper>(*core.workers,
                                           [this, around, program] { return program(config, around()); });
  };
  notifying.telegram = kept(telegram_program);
  notifying.web = kept(web_program);
  notifying.fleet = kept(fleet_program);
}

std::vector<wire::DaemonFactT> DaemonParts::facts() const {
  const auto cpu = watching.cgroups->holds_cpu() ? wire::FactState::good : wire::FactState::warning;
  return {
      configuration.describe(),
      upkeep.scrub->describe(),
      upkeep.keeping->describe(),
      upkeep.sealing->describe(),
      daemon_fact(wire::DaemonTopic::removals, "not removed yet", upkeep.removal_work->left(),
                  wire::FactState::warning),
      daemon_fact(wire::DaemonTopic::limits, "limits of attempts are held", watching.cgroups->text(), cpu)};
}

void DaemonParts::compose_upkeep() {
  upkeep.requests = std::make_unique<Upkeep>(
      threads(), stored(), desk(), *watching.watcher,
      Upkeep::Doors{
          [this] { course.stop(DaemonEnding::stopped); }, [this] { return course.reload(); },
          [this] { course.stop(DaemonEnding::restart_with_new_views); },
          [this](const RequestId& to, const std::string& name) { return notifying.hooks->try_out(to, name); },
          [this] { return upkeep.admission->lack_of_room(); },
          [this](Scrub::Listener listener) { return upkeep.scrub->run_now(std::move(listener)); },
          [this] { return facts(); }, [this] { return upkeep.keeping->look_now(); },
          [this] { return upkeep.keeping->preview(); }},
      storage.rows_making);
  upkeep.wall_clock = std::make_unique<WallClock>(storage.folder, boot_id, *storage.log, *core.engine);
  upkeep.admission = std::make_unique<Admission>(&loop, *core.mailbox, config, storage.folder, *core.engine);
  upkeep.scrub = std::make_unique<Scrub>(&loop, *core.mailbox, config, storage.folder,
                                         [this](SystemNote fact) { note(std::move(fact)); });
  upkeep.store_watch = make_store_watch();
  upkeep.config_watch = std::make_unique<ConfigWatch>(
      &loop, options.config_file, [this] { course.refresh_config(); },
      [this](SystemNote fact) { note(std::move(fact)); });
  upkeep.login_watch = std::make_unique<LoginWatch>(&loop, config, *core.engine,
                                                    [this](SystemNote fact) { note(std::move(fact)); });
  upkeep.machine_monitor = std::make_unique<MachineMonitor>(
      &loop, config, storage.folder, [this](schema::AlertFactUnion fact) { note({std::move(fact)}); });
  upkeep.published_alerts = std::make_unique<PublishedAlerts>(&loop, stored(), desk());
  upkeep.removal_work = std::make_unique<RemovalWork>(threads(), stored(), *core.engine);
  upkeep.sealing = std::make_unique<Sealing>(threads(), stored(), config);
  upkeep.keeping = std::make_unique<Keeping>(threads(), stored(), config, *core.engine);
}

void DaemonParts::compose_jobs() {
  jobs.job_files = std::make_unique<JobFiles>(threads(), stored());
  jobs.auto_fix = std::make_unique<AutoFix>(threads(), stored(), config, *core.engine, *doors.intake);
  jobs.schedules = std::make_unique<Schedules>(threads(), desk(), *doors.intake);
  jobs.answer_files = std::make_unique<AnswerFiles>(threads(), *storage.log, *core.engine);
  jobs.input_files = std::make_unique<InputFiles>(threads(), config, *core.engine, *watching.watcher,
                                                  *doors.ids, *jobs.answer_files, *secrets);
  jobs.hand_answers = std::make_unique<HandAnswers>(threads(), config, *core.engine);
}

/// Requests reach all the others.
void DaemonParts::compose_sessions() {
  rlimit files{};
  (void)getrlimit(RLIMIT_NOFILE, &files);
  doors.sessions = std::make_unique<Sessions>(
      threads(), stored(), desk(), *watching.watcher, *doors.intake, *doors.ids, *upkeep.requests,
      *notifying.hooks, *upkeep.published_alerts, *watching.tracked_jobs, *jobs.schedules,
      *storage.credentials, *secrets, files.rlim_cur);
}

/// notifications.log is written before clients are notified of an end, and clients are notified before its
/// consequences begin.
void DaemonParts::list_followers() {
  followers = {upkeep.wall_clock.get(), notifying.notifications.get(), notifying.status_lines.get(),
               notifying.escalations.get()};
  for (Follower* each : doors.sessions->followers()) followers.push_back(each);
  const std::initializer_list<Follower*> others = {jobs.job_files.get(),
                                                   jobs.input_files.get(),
                                                   watching.output_monitor.get(),
                                                   jobs.auto_fix.get(),
                                                   watching.tool_catalogue.get(),
                                                   watching.contention.get(),
                                                   watching.tracked_jobs.get(),
                                                   watching.limits.get(),
                                                   watching.hosts.get(),
                                                   notifying.hooks.get(),
                                                   upkeep.scrub.get(),
                                                   notifying.telegram.get(),
                                                   notifying.web.get(),
                                                   notifying.fleet.get(),
                                                   upkeep.machine_monitor.get(),
                                                   upkeep.admission.get(),
                                                   upkeep.removal_work.get(),
                                                   jobs.answer_files.get(),
                                                   upkeep.store_watch.get(),
                                                   jobs.hand_answers.get(),
                                                   upkeep.published_alerts.get(),
                                                   upkeep.config_watch.get(),
                                                   upkeep.login_watch.get(),
                                                   upkeep.keeping.get(),
                                                   upkeep.sealing.get(),
                                                   jobs.schedules.get(),
                                                   notifying.digests.get()};
  followers.insert(followers.end(), others);
}

std::vector<std::string> DaemonParts::own_places(const std::string& home) const {
  std::vector<std::string> places = {storage.folder, cache_folder(storage.folder), socket};
  // At the socket for attempts without a sandbox, root and members of the store's group have all rights.
  for (const std::string& path : {attempts_socket_path(storage.folder), config.telegram.token_file,
                                  config.fleet.password_file, config.logging.log_file}) {
    if (!path.empty()) places.push_back(path);
  }
  places.insert(places.end(), config.files.begin(), config.files.end());
  const auto secret_files = all_secret_files(config, home);
  places.insert(places.end(), secret_files.begin(), secret_files.end());
  for (const auto& [name, profile] : config.agents) {
    const Agent* agent = agent_of(name, profile.command);
    const auto moved = agent == nullptr ? profile.env.end() : profile.env.find(agent->user_settings_variable);
    if (moved == profile.env.end()) continue;
    const auto state = state_to_hide(*agent, home, moved->second);
    places.insert(places.end(), state.begin(), state.end());
  }
  return places;
}

void DaemonParts::compose_attempts(const std::string& attempts_socket, const std::string& sandbox_door) {
  jobs.attempts = std::make_unique<Attempts>(
      &loop,
      Attempts::Setting{
          .run_dir = storage.folder + "/run",
          .boot_id = boot_id,
          .launch = {.socket_path = socket,
                     .runner_program = options.runner_program,
                     .open_files = open_files,
                     .client_program = options.client_program,
                     .credential =
                         [this](const std::string& job, std::uint32_t attempt) {
                           return storage.credentials->of(job, attempt);
                         },
                     .attempts_socket = attempts_socket,
                     .sandbox_door = sandbox_door,
                     .own_places = [this](const std::string& home) { return own_places(home); },
                     .prompt =
                         [this](const JobState& job, std::function<void(PromptBuild)> then) {
                           doors.sessions->prepare_prompt(job, std::move(then));
                         },
                     .limits = options.given_limits,
                     .cgroups = watching.cgroups,
                     .env_key = storage.credentials->environment_key(),
                     .secrets = secrets.get(),
                     .line_buffered =
                         [this](const std::string& agent) {
                           const auto profile = config.agents.find(agent);
                           return profile != config.agents.end() && profile->second.line_buffered;
                         }},
          .issues = [this](const std::string& project) { return watching.known_issues->matcher(project); },
          .last_requests =
              [this](const std::string& job, std::function<void()> then) {
                jobs.input_files->look_last(job, [this, job, then = std::move(then)]() mutable {
                  jobs.hand_answers->look_last(job, std::move(then));
                });
              }},
      *core.workers, *storage.log, *watching.watcher, [this](const std::string& job, JobCommand command) {
        if (auto* exit = std::get_if<RecordExit>(&command)) {
          watching.limits->complete(job, *exit);
          watching.hosts->conclude(job, exit->end.attempt);
        }
        report(job, std::move(command));
      });
  followers.insert(followers.begin(), jobs.attempts.get());
}

std::unique_ptr<StoreWatch> DaemonParts::make_store_watch() {
  StoreWatch::Handlers handlers;
  handlers.store_gone = [this] { course.store_gone(); };
  handlers.socket_gone = [this] {
    spdlog::error("the socket {} was deleted: luziad starts over, to bind it again", socket);
    course.stop(DaemonEnding::socket_gone);
  };
  handlers.socket_taken = [this] {
    spdlog::warn("another process listens at {}: luziad ends, so that the next daemon is that one's", socket);
    course.stop(DaemonEnding::socket_taken);
  };
  return std::make_unique<StoreWatch>(&loop, storage.folder, std::move(handlers));
}

void DaemonParts::note(SystemNote fact, Reply noted) {
  core.engine->submit(by_daemon(wall_now()), std::move(fact), std::move(noted));
}

void DaemonParts::report(const std::string& job, JobCommand command) {
  core.engine->submit(by_daemon(wall_now()), to_one_job(job, std::move(command)),
                      [job](const Result<Outcome>& outcome) {
                        if (!outcome) spdlog::warn("job {}: {}", job, outcome.error().message);
                      });
}

}  // namespace luzia
