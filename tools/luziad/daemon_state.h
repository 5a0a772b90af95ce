// The parts of luziad and how they are connected. Loop thread, except where a part says otherwise.
#pragma once

#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <unistd.h>

#include "adapters/agents/decoders.h"
#include "adapters/job_dir/job_dir.h"
#include "adapters/launcher/process_activity.h"
#include "engine/base/store_file.h"
#include "engine/log/rocks_event_log.h"
#include "engine/log/store_dir.h"
#include "engine/view/new_views.h"
#include "engine/view/older_rows.h"
#include "engine/view/rocks_view_store.h"
#include "engine/view/rollback.h"
#include "engine/view/scratch_views.h"
#include "engine/view/view_checkpoints.h"
#include "projections/engine_start.h"
#include "projections/queue.h"
#include "projections/registry.h"
#include "projections/store_history.h"
#include "projections/streams.h"
#include "tools/luziad/attempts/attempts.h"
#include "tools/luziad/attempts/job_files.h"
#include "tools/luziad/attempts/run_dir.h"
#include "tools/luziad/daemon.h"
#include "tools/luziad/hooks/escalations.h"
#include "tools/luziad/hooks/hooks.h"
#include "tools/luziad/hooks/notifications.h"
#include "tools/luziad/hooks/status_lines.h"
#include "tools/luziad/hooks/telegram_bot.h"
#include "tools/luziad/inputs/hand_answers.h"
#include "tools/luziad/inputs/input_files.h"
#include "tools/luziad/inputs/input_orders.h"
#include "tools/luziad/intake/auto_fix.h"
#include "tools/luziad/intake/sessions.h"
#include "tools/luziad/upkeep/admission.h"
#include "tools/luziad/upkeep/disk_room.h"
#include "tools/luziad/upkeep/machine_monitor.h"
#include "tools/luziad/upkeep/published_alerts.h"
#include "tools/luziad/upkeep/removal_work.h"
#include "tools/luziad/upkeep/scrub.h"
#include "tools/luziad/upkeep/site.h"
#include "tools/luziad/upkeep/store_watch.h"
#include "tools/luziad/upkeep/wall_clock.h"
#include "tools/luziad/watching/contention_watch.h"
#include "tools/luziad/watching/known_issues.h"
#include "tools/luziad/watching/limit_dates.h"
#include "tools/luziad/watching/output_monitor.h"
#include "tools/luziad/watching/tool_catalogue.h"

namespace luzia {

/// `unsafe_jobs_root`: for root's daemon, if other users could replace the folder.
Status safe_jobs_root(const Config& config);

/// Members are destroyed in reverse order, so a member comes before those that use it.
struct Daemon::State {
  DaemonOptions options;
  Config config;
  std::string config_read;    // config_stamp() of the last reading here; empty: none yet
  TimeUs config_read_at = 0;  // when the configuration in force was read
  std::string store, socket, boot_id;
  rlim_t open_files = 0;                 // the soft limit that this process started with
  std::optional<RollbackSign> rollback;  // set if a person accepted it
  Site site;
  uv_loop_t loop{};
  std::unique_ptr<EventLog> log;
  std::unique_ptr<ViewStore> stored_views;       // rows of an older program, or null
  std::unique_ptr<ViewStore> folded_views;       // rows to fold into; or null
  std::unique_ptr<ViewStore> views;              // what readers use
  std::shared_ptr<RowsInTheMaking> rows_making;  // replacement of the older rows, or null
  std::unique_ptr<StoreHistory> history;
  std::unique_ptr<Mailbox> mailbox;
  std::unique_ptr<Workers> workers;
  std::unique_ptr<ViewCheckpoints> checkpoints;
  std::unique_ptr<ViewThread> view_thread;
  std::unique_ptr<Committer> committer;
  std::unique_ptr<Engine> engine;
  std::unique_ptr<KnownIssues> known_issues;
  std::unique_ptr<OutputWatcher> watcher;
  std::unique_ptr<Attempts> attempts;
  std::unique_ptr<IdSource> ids;
  std::unique_ptr<AttemptCredentials> credentials;
  std::unique_ptr<Intake> intake;
  std::unique_ptr<SocketServer> server;
  std::unique_ptr<Parts> parts;
  std::unique_ptr<Hooks> hooks;
  std::unique_ptr<Escalations> escalations;
  std::unique_ptr<TelegramBot> telegram;
  std::unique_ptr<Upkeep> upkeep;
  std::unique_ptr<PublishedAlerts> published_alerts;
  std::unique_ptr<Sessions> sessions;
  std::unique_ptr<JobFiles> job_files;
  std::unique_ptr<AutoFix> auto_fix;
  std::unique_ptr<ToolCatalogue> tool_catalogue;
  std::unique_ptr<ContentionWatch> contention;
  std::unique_ptr<RemovalWork> removal_work;
  std::unique_ptr<AnswerFiles> answer_files;
  std::unique_ptr<InputFiles> input_files;
  std::unique_ptr<HandAnswers> hand_answers;
  std::unique_ptr<Notifications> notifications;
  std::unique_ptr<StatusLines> status_lines;
  std::unique_ptr<MachineMonitor> machine_monitor;
  std::unique_ptr<OutputMonitor> output_monitor;
  std::unique_ptr<WallClock> wall_clock;
  std::unique_ptr<Admission> admission;
  std::unique_ptr<Timer> deadline_timer;
  TimeUs armed_for = 0;
  std::unique_ptr<Scrub> scrub;
  std::unique_ptr<StoreWatch> store_watch;
  std::vector<Follower*> followers;        // notified in this order
  std::unique_ptr<Timer> taking_up_timer;  // bounds how long the first reads wait
  uv_prepare_t prepare{};
  uv_signal_t terminate{}, interrupt{}, hangup{};
  std::optional<DaemonEnding> ending;
  bool loop_open = false;
  bool closing = false;
  int left_to_stop = 0;
  std::stop_source stopping;

  ~State();

  Status open_store();
  Status open_rows();
  Status ask_for_acceptance();
  Status record_acceptance();
  Result<std::optional<RollbackSign>> find_rollback() const;
  Status use_older_rows(const OlderVersions& versions);
  void rows_reached(Position position, Position end = 0);
  void await_checkpoint();
  OutputWatcher::Hooks output_hooks();
  void compose();
  void compose_workers();
  void list_followers();
  void compose_monitors();
  Status start();
  void note(SystemNote fact, Reply noted = {});
  void watch_turns_and_signals();
  std::string open_attempts_door(std::optional<gid_t> group);
  void take_up();
  TimeUs resume();
  void turn();
  void look_at_clock(TimeUs now, TimeUs monotonic);
  void look_at_rows();
  void store_gone();
  void committed(const CommitOutcome& outcome);
  void job_changed(const JobState& job);
  void output_found(const std::string& job, RecordOutput stretch);
  void report(const std::string& job, JobCommand command);
  Status reload();
  bool refresh_config();
  std::string describe_config() const;
  void stop(DaemonEnding how);
  void close();
  void part_stopped();
  void flush();
};

}  // namespace luzia
