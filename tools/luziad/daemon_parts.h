// The parts of luziad and how they are connected. Loop thread, except where a part says otherwise.
#pragma once

#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <unistd.h>

#include "adapters/agents/decoders.h"
#include "adapters/job_dir/job_dir.h"
#include "adapters/launcher/limit_cgroups.h"
#include "adapters/launcher/process_activity.h"
#include "engine/log/rocks_event_log.h"
#include "engine/log/store_dir.h"
#include "projections/engine_start.h"
#include "projections/queue.h"
#include "projections/registry.h"
#include "projections/store_history.h"
#include "projections/streams.h"
#include "tools/luziad/attempts/attempts.h"
#include "tools/luziad/attempts/job_files.h"
#include "tools/luziad/configuration.h"
#include "tools/luziad/daemon.h"
#include "tools/luziad/hooks/digests.h"
#include "tools/luziad/hooks/escalations.h"
#include "tools/luziad/hooks/hooks.h"
#include "tools/luziad/hooks/kept_program.h"
#include "tools/luziad/hooks/notifications.h"
#include "tools/luziad/hooks/status_lines.h"
#include "tools/luziad/inputs/hand_answers.h"
#include "tools/luziad/inputs/input_files.h"
#include "tools/luziad/inputs/prompt_commands.h"
#include "tools/luziad/intake/auto_fix.h"
#include "tools/luziad/intake/schedules.h"
#include "tools/luziad/intake/sessions.h"
#include "tools/luziad/secrets/secret_book.h"
#include "tools/luziad/storage.h"
#include "tools/luziad/upkeep/admission.h"
#include "tools/luziad/upkeep/config_watch.h"
#include "tools/luziad/upkeep/keeping.h"
#include "tools/luziad/upkeep/login_watch.h"
#include "tools/luziad/upkeep/machine_monitor.h"
#include "tools/luziad/upkeep/published_alerts.h"
#include "tools/luziad/upkeep/removal_work.h"
#include "tools/luziad/upkeep/scrub.h"
#include "tools/luziad/upkeep/sealing.h"
#include "tools/luziad/upkeep/store_watch.h"
#include "tools/luziad/upkeep/wall_clock.h"
#include "tools/luziad/watching/contention_watch.h"
#include "tools/luziad/watching/host_watch.h"
#include "tools/luziad/watching/known_issues.h"
#include "tools/luziad/watching/limit_dates.h"
#include "tools/luziad/watching/limit_watch.h"
#include "tools/luziad/watching/output_monitor.h"
#include "tools/luziad/watching/tool_catalogue.h"
#include "tools/luziad/watching/tracked_jobs.h"

namespace luzia {

/// What the parts ask of the daemon as a whole.
class DaemonCourse {
 public:
  virtual void committed(const CommitOutcome& outcome) = 0;
  virtual void job_changed(const JobState& job) = 0;
  virtual void output_found(const std::string& job, RecordOutput stretch) = 0;
  /// Reads the configuration again. An error in the files leaves it unchanged.
  virtual Status reload() = 0;
  /// The same if the files have changed; false: unchanged. An error is logged.
  virtual bool refresh_config() = 0;
  virtual void stop(DaemonEnding how) = 0;
  virtual void store_gone() = 0;

 protected:
  ~DaemonCourse() = default;
};

/// Groups of parts, in the order in which compose() creates them. A part uses those before it directly and
/// those after it by callbacks; only sessions, which are created last and end first, use all. part_stopped()
/// closes the parts as `followers`. Members are destroyed in reverse order.
struct DaemonParts {
  explicit DaemonParts(DaemonCourse& its_course) : course(its_course) {}

  DaemonCourse& course;
  DaemonOptions options;
  Configuration configuration;
  const Config& config = configuration.in_force();
  std::string socket, boot_id;
  rlim_t open_files = 0;  // the soft limit that this process started with
  uv_loop_t loop{};
  Storage storage;
  std::unique_ptr<SecretBook> secrets;  // used by workers, too

  struct {  // decides, and folds what was decided into rows
    std::unique_ptr<StoreHistory> history;
    std::unique_ptr<Mailbox> mailbox;
    std::unique_ptr<Workers> workers;
    std::unique_ptr<ViewThread> view_thread;
    std::unique_ptr<Committer> committer;
    std::unique_ptr<Engine> engine;
  } core;

  struct {  // what jobs write and change
    std::unique_ptr<KnownIssues> known_issues;
    std::unique_ptr<OutputWatcher> watcher;
    std::unique_ptr<OutputMonitor> output_monitor;
    std::unique_ptr<ToolCatalogue> tool_catalogue;
    std::unique_ptr<ContentionWatch> contention;
    std::unique_ptr<TrackedJobs> tracked_jobs;
    std::shared_ptr<LimitCgroups> cgroups;
    std::unique_ptr<LimitWatch> limits;
    std::unique_ptr<HostWatch> hosts;
  } watching;

  struct {  // clients and their requests
    std::unique_ptr<IdSource> ids;
    std::unique_ptr<Intake> intake;
    std::unique_ptr<SocketServer> server;
    std::unique_ptr<Sessions> sessions;
  } doors;

  struct {  // people and programs, of events
    std::unique_ptr<Hooks> hooks;
    std::unique_ptr<Digests> digests;
    std::unique_ptr<Escalations> escalations;
    std::unique_ptr<ProgramKeeper> telegram, web, fleet;
    std::unique_ptr<Notifications> notifications;
    std::unique_ptr<StatusLines> status_lines;
  } notifying;

  struct {  // the machine, the store and the clock
    std::unique_ptr<Upkeep> requests;
    std::unique_ptr<MachineMonitor> machine_monitor;
    std::unique_ptr<WallClock> wall_clock;
    std::unique_ptr<Admission> admission;
    std::unique_ptr<Scrub> scrub;
    std::unique_ptr<StoreWatch> store_watch;
    std::unique_ptr<ConfigWatch> config_watch;
    std::unique_ptr<LoginWatch> login_watch;
    std::unique_ptr<RemovalWork> removal_work;
    std::unique_ptr<Keeping> keeping;
    std::unique_ptr<Sealing> sealing;
    std::unique_ptr<PublishedAlerts> published_alerts;
  } upkeep;

  struct {  // their processes and directories
    std::unique_ptr<Attempts> attempts;
    std::unique_ptr<JobFiles> job_files;
    std::unique_ptr<AnswerFiles> answer_files;
    std::unique_ptr<InputFiles> input_files;
    std::unique_ptr<HandAnswers> hand_answers;
    std::unique_ptr<AutoFix> auto_fix;
    std::unique_ptr<Schedules> schedules;
  } jobs;

  std::vector<Follower*> followers;  // notified in this order
  std::stop_source stopping;

  Threads threads() { return {&loop, *core.workers, *core.mailbox, stopping.get_token()}; }
  Store stored() { return {storage.folder, *storage.log, *storage.views, *core.view_thread, *core.mailbox}; }
  Desk desk() { return {*core.engine, config, *doors.server}; }

  void compose();
  /// Attempts come later, because they need the sockets' paths.
  void compose_attempts(const std::string& attempts_socket, const std::string& sandbox_door);
  /// Files and folders that no sandbox shows.
  std::vector<std::string> own_places(const std::string& home) const;
  std::unique_ptr<StoreWatch> make_store_watch();
  void note(SystemNote fact, Reply noted = {});
  /// Submits a daemon's command about one job.
  void report(const std::string& job, JobCommand command);

 private:
  void await_checkpoint();
  OutputWatcher::Hooks output_hooks();
  void compose_core();
  void compose_watching();
  void compose_limits();
  void compose_doors();
  void compose_notifying();
  std::vector<wire::DaemonFactT> facts() const;
  void compose_upkeep();
  void compose_jobs();
  void compose_sessions();
  void list_followers();
};

}  // namespace luzia
