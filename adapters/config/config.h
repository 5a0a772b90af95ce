// Configuration (TOML). A file is validated completely when it is read, so a bad file changes nothing. Plain
// values: any thread may read a Config that nobody changes. Durations are in milliseconds, written "250ms",
// "90s", "10m", "2h30m".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/time.h"
#include "engine/device/listening.h"
#include "engine/ports/agent.h"
#include "job.fb.h"

namespace luzia {

/// What the daemon does when an attempt has printed nothing for [monitor] silence_warning: only warn, also
/// ask people, or stop the attempt gracefully. Written warn, ask, kill. The project's value wins over the
/// agent's, and that over [monitor]'s; an empty value inherits.
enum class WhenSilent : std::uint8_t { warn, ask, kill };

/// How a gate is decided when an agent asks for approval.
struct GatePolicy {
  enum class Word : std::uint8_t { ask, always, never, auto_after };
  Word word = Word::ask;
  std::uint64_t auto_after_ms = 0;
};

/// Budgets of one day (UTC); 0: no limit.
struct DayBudgetConfig {
  double cost_usd = 0;
  std::uint64_t tokens = 0, time_ms = 0;
  bool stop_running = false;  // once a budget is used up
};

struct ProjectConfig {
  std::string path;  // working directory of its jobs; empty: the caller's
  std::vector<std::string> users, groups, tools, preflight;
  std::vector<std::string> verify;  // shell commands that prove what its agents have done
  bool verify_clean = false;        // nothing may be left that is not committed
  std::uint32_t verify_tries = 2;   // further attempts that are told what failed
  std::string user;   // runs its jobs; empty: the caller (root's daemon), else the daemon's user
  std::string agent;  // empty: [defaults] agent, else "shell"
  std::string framework, language, build_system;
  std::string focus;  // what its agents are told to keep in mind
  bool allow_auto_fix = false;
  std::optional<std::uint8_t> priority;     // 0..9; unset: [defaults] priority
  std::uint32_t max_running = 0;            // 0: [queue] max_per_project
  std::uint32_t share = 1;                  // of the slots, relative to other projects
  std::map<std::string, GatePolicy> gates;  // by name or pattern, see gate_policy.h
  std::optional<bool> snapshot;             // for all its jobs; unset: [git] snapshot
  std::string prompt;                       // template around its agents' tasks; empty: the task alone
  DayBudgetConfig budgets;                  // for all its jobs together
  std::string when_silent;                  // see WhenSilent
  SandboxConfig sandbox;
  schema::AttemptLimitsT limits;       // of each attempt; 0: those of the agent, else of [jobs]
  std::string permissions;             // of its jobs, and their maximum for members; empty: the agent's
  std::uint64_t answer_within_ms = 0;  // 0: [questions] answer_within
  std::uint64_t urgent_within_ms = 0;  // 0: answer_within, else those of [questions]
  SecretPlaces secrets;                // of its jobs' attempts; win over the agent's
};

/// Settings that all notification channels share.
struct ChannelConfig {
  std::vector<std::string> on;        // names of events, see engine/hook
  std::vector<std::string> projects;  // empty: all
  std::uint64_t timeout_ms = 10'000;
  std::uint32_t retries = 3;
  std::uint64_t cooldown_ms = 0, dwell_ms = 0;
  std::string quiet_hours;             // "22:00-07:00", "none"; empty: [notifications] quiet_hours
  std::optional<bool> unless_watched;  // unset: true for the desktop and Telegram only
  std::string digest;                  // "07:00", "07:00 1-5": when it gets a digest; empty: never
  std::string escalate_to;             // channel to notify next if nobody answers; empty: none
  double escalate_after = 0.5;         // fraction of the time until the deadline
};

/// A command, or the desktop, that is notified of events.
struct HookConfig : ChannelConfig {
  std::vector<std::string> command;
  bool desktop = false;  // instead of a command: a notification of the desktop session
};

/// A URL that is notified of events.
struct WebhookConfig : ChannelConfig {
  std::string url;         // http or https
  bool callbacks = false;  // posts ends of jobs to their callback_url, which must be below `url`
  std::string format = "json";
  std::map<std::string, std::string> headers;
};

/// A Telegram bot that sends notifications and accepts answers. In use if one of the two sources of its token
/// is set.
struct TelegramConfig : ChannelConfig {
  TelegramConfig() {
    on = {"question_asked",    "question_reminded", "approval_requested",
          "approval_reminded", "job_failed",        "alert_raised"};
    retries = 10;
    timeout_ms = 30'000;
  }
  std::string token_file;           // readable by its own user only
  std::string token_variable;       // an environment variable of the daemon
  std::vector<std::int64_t> chats;  // receive notifications; answers are accepted only from these
  std::string api = "https://api.telegram.org";

  bool in_use() const { return !token_file.empty() || !token_variable.empty(); }
};

/// [web]: luzia-web, the page for browsers and phones.
struct WebConfig : WebListening {
  bool enabled = false;  // the daemon keeps the program running
  // Pushes to devices. Asks are not subject to the cooldown: each waits for a person.
  std::uint64_t push_dwell_ms = 10'000, push_cooldown_ms = 600'000;
  std::vector<std::string> push_services;  // "http://HOST:PORT": allowed beside public ones
};

/// The kinds of orders that a fleet's machines take.
inline constexpr std::string_view kOrderKinds[] = {"dispatch", "answer", "approve", "cancel", "retry"};

/// [fleet]: the PostgreSQL database that mirrors the logs of all machines of a fleet, as luzia-fleet does for
/// this one.
struct FleetConfig {
  std::string url;            // as check_database_url() allows; empty: no fleet
  std::string site;           // what this machine is called there; empty: its host name
  std::string password_file;  // readable by its own user only; empty: as libpq finds one (~/.pgpass)
  // With which people of this machine read the rows of all machines and place orders; empty: `url`.
  std::string people_url;
  std::string people_password_file;  // of that
  // Which orders of others this machine takes (kOrderKinds); none: it takes none. `labels`: what they may be
  // for, beside its site.
  std::vector<std::string> orders, labels;
};

/// A [[schedules]]: a job that recurs. What is unset is that of a dispatch.
struct ScheduleConfig {
  std::uint64_t every_ms = 0;  // 0: by `cron`
  std::string cron;            // five fields
  std::string time_zone;       // of the fields: Europe/Berlin; empty: the daemon's
  std::string project, task, agent;
  // Due times that passed while no daemon ran: one run for all, none, or one run for each.
  std::string missed = "once";
  std::string overlap = "skip";  // if the last job has not ended: skip, queue, cancel
  std::optional<std::uint8_t> priority;
  std::vector<std::string> tags, verify;
  std::string dir, user, prompt, permissions;
  std::uint64_t timeout_ms = 0, budget_time_ms = 0, budget_tokens = 0;
  double budget_cost_usd = 0;
  std::optional<std::uint32_t> retries;
  bool worktree = false;
};

/// A [machines.NAME]: another machine with Luzia, which ssh reaches.
struct MachineConfig {
  std::string ssh;                  // as parse_ssh_route() reads it
  std::string store;                // on that machine; empty: that of `ssh`, else its default
  std::vector<std::string> labels;  // for `luzia --on LABEL dispatch`
  std::uint32_t max_running = 0;  // jobs there at once, for a dispatch that may choose; 0: as it says itself
};

/// The label of every machine.
inline constexpr const char* kAnyMachine = "any";
/// What this machine is called in lists over several.
inline constexpr const char* kThisMachine = "local";

/// [keep]: how long what ended jobs left behind is kept; 0: always.
struct KeepConfig {
  std::uint64_t outputs_ms = 0;   // output.log of their attempts
  std::uint64_t job_dirs_ms = 0;  // their whole directories
  std::uint64_t jobs_ms = 0;      // the jobs themselves, as luzia rm removes them
  std::uint64_t texts_ms = 0;     // tasks, answers, ...: as luzia rm --purge
  std::uint64_t size = 0;         // bytes of all their directories; the oldest go first

  bool keeps_all() const { return (outputs_ms | job_dirs_ms | jobs_ms | texts_ms | size) == 0; }
};

struct Config {
  struct {
    std::string agent = "shell";
    std::uint8_t priority = 5;
  } defaults;
  struct {
    std::string verbosity = "normal";
    bool show_task_started = true, show_progress_updates = true;
    int progress_update_threshold_percent = 25;
  } status_updates;
  struct {
    bool use_colors = true, use_emojis = true, compact_format = false;
  } display;
  struct {
    std::string log_file, log_level = "info";
  } logging;
  struct {
    int max_buffer_size = 50, max_history = 100;
  } limits;
  struct {
    std::uint32_t max_running = 0;                         // 0: twice the cores
    std::uint32_t max_per_project = 0, max_per_agent = 0;  // 0: no limit
    std::map<std::string, std::uint32_t> tags;             // concurrent jobs with that tag
    bool waiting_holds_slot = true;       // false: a job that waits for a person holds no slot
    std::uint64_t ageing_ms = 1'800'000;  // priority rises by one per such wait; 0: never
    double max_load = 0;                  // load average of one minute; 0: no limit
    int min_free_memory_percent = 0;
    std::uint64_t stop_when_memory_below = 0;  // bytes of available memory; 0: stop nothing
    double max_memory_pressure_percent = 0;  // last 10 s, share in which work waited for memory; 0: no limit
  } queue;
  struct {
    std::uint32_t max = 0;
    std::uint64_t backoff_ms = 10'000;
    double jitter = 0.1;
    std::uint32_t breaker_failures = 10;  // quick failures in a row pause a project; 0: never
    std::uint64_t breaker_quick_ms = 30'000, breaker_pause_ms = 600'000;
  } retry;
  struct {
    double cost_usd = 0;  // per job, like the next two
    std::uint64_t tokens = 0, time_ms = 0;
    DayBudgetConfig day;  // all projects together
  } budgets;
  struct {
    std::vector<std::string> files;
    bool allow_auto_fix = false;
  } issues;
  struct {
    std::string path, group, site;
    std::uint64_t scrub_ms = 7 * 86'400'000ULL;  // interval of reading the whole store; 0: never
    std::uint64_t seal_every_ms = 0;             // interval of sealing the log; 0: never
    std::string seal_to;                         // the file of seals; empty: STORE.seals
  } store;
  struct {
    std::string root;
    std::uint64_t kill_grace_ms = 10'000, preflight_timeout_ms = 60'000, verify_timeout_ms = 1'800'000;
    SandboxConfig sandbox{
        .kind = "off", .when = "always", .network = "all", .hosts = {}, .write = {}, .read = {}, .hide = {}};
    schema::AttemptLimitsT limits;  // of each attempt; 0: none
  } jobs;
  struct {
    int memory_warning_percent = 80, memory_critical_percent = 95;  // used; 0 here and below: no alert
    double memory_pressure_warning_percent = 25;                    // see [queue] max_memory_pressure_percent
    double load_warning_per_core = 8;                               // load average of one minute
    int disk_warning_percent = 95;                                  // used part of the store's disk, ...
    std::uint64_t disk_free_warning_mib = 1024;                     // ... or less free space than this
    std::uint64_t alert_dwell_ms = 10'000;                          // a condition must last this long
    double duration_warning_fraction = 0.8;      // of an estimate or time limit; 0 here and below: never
    std::uint64_t silence_warning_ms = 600'000;  // without output
    std::string when_silent = "warn";            // see WhenSilent
    std::uint32_t loop_warning_repeats = 100;    // of the same line, or the same few lines
    std::uint32_t flood_warning_mib = 256;       // of output per minute
  } monitor;
  struct {
    std::vector<double> remind_at = {0.5, 0.9};  // fractions of the time until the deadline, ascending
    std::uint64_t default_timeout_ms = 0;        // of prompts that set none; 0: they wait indefinitely
    std::uint64_t answer_within_ms = 0;          // the time in which people mean to answer; 0: none
    std::uint64_t urgent_within_ms = 0;          // of jobs with priority kUrgent or more; 0: answer_within
  } questions;
  struct {
    bool snapshot = true;                        // of files before each attempt, for all agents but shell
    std::uint64_t snapshot_max_file = 10 << 20;  // bytes; larger files are left out; 0: no limit
    std::uint64_t keep_snapshots_ms = 2'592'000'000;  // after a job's end; luzia gc removes older ones
  } git;
  struct {
    std::string folder;                  // templates by name; they win over the shipped ones
    std::uint64_t max_bytes = 64 << 10;  // of a whole prompt without the task
  } prompts;
  struct {
    std::string url;  // search URL with {query}; empty: only the search terms are shown
  } web_search;
  struct {
    std::uint64_t keep_ended_ms = 365ULL * 24 * 3600 * 1000;  // listed this long after their end; 0: always
  } flows;
  KeepConfig keep;
  std::map<std::string, ProjectConfig> projects;
  std::map<std::string, AgentProfile> agents;  // including the shipped ones
  std::map<std::string, HookConfig> hooks;     // [[hooks]] by name
  std::map<std::string, WebhookConfig> webhooks;
  std::map<std::string, ScheduleConfig> schedules;  // [[schedules]] by name
  std::map<std::string, MachineConfig> machines;
  struct {
    std::string quiet_hours;  // local time; empty or "none": never
    // Events that are sent even in quiet hours.
    std::vector<std::string> quiet_except = {"question_asked", "question_reminded", "approval_requested",
                                             "approval_reminded", "device_paired"};
  } notifications;
  TelegramConfig telegram;
  WebConfig web;
  FleetConfig fleet;
  std::vector<std::string> files;  // read, in order
  std::vector<Error> warnings;     // about the older tool's file, which never causes an error
};

struct ConfigFile {
  std::string path;
  bool required = false;  // missing is an error
};

/// Returns the files to read, in order: /etc/luzia/status_config.toml (the older tool's),
/// /etc/luzia/luzia.toml, $XDG_CONFIG_HOME/luzia/luzia.toml (or ~/.config), then `explicit_file` or
/// $LUZIA_CONFIG, which must exist.
std::vector<ConfigFile> config_files(const std::string& explicit_file = {});
/// The same paths, each with whether the file exists.
std::vector<std::pair<std::string, bool>> config_paths(const std::string& explicit_file = {});

/// Reads config_files() over the shipped defaults. Later files win key by key. On failure, returns the first
/// error of check_config() and states how many more there are. Errors in a file named status_config.toml, the
/// older tool's, become warnings and the faulty values are ignored. A time zone that this machine lacks is an
/// error of check_config() alone: only its schedule cannot run.
Result<Config> load_config(const std::string& explicit_file = {});
Result<Config> load_config_files(const std::vector<ConfigFile>& files);
/// Returns all errors, each with file, line, column and the nearest valid name: `config_syntax`,
/// `config_unknown_key`, `config_type`, `config_range`, `config_unreadable`, `config_missing`.
std::vector<Error> check_config(const std::string& explicit_file = {});
/// For tests and tools: one text over the shipped defaults.
Result<Config> parse_config(const std::string& toml, const std::string& file_name);
/// The effective configuration as TOML that parses back to the same values.
std::string show_config(const Config& config);

/// The setting in force for a job of this project and agent.
/// In which time people mean to answer a question of such a job, in milliseconds; 0: no such time is set. The
/// project's times win over [questions]; urgent ones over others.
constexpr std::uint8_t kUrgent = 8;
std::uint64_t answer_within_ms(const Config& config, const std::string& project, std::uint8_t priority);
WhenSilent when_silent(const Config& config, const std::string& project, const std::string& agent);

/// The sandbox of a job of this project and agent: the project's words, else the agent's, else those of
/// [jobs]; the paths of all three.
SandboxConfig configured_sandbox(const Config& config, const ProjectConfig& project,
                                 const AgentProfile& agent);

/// The permissions that the configuration gives to a job of this project and agent: a word of
/// permission_words(), or empty if neither says any.
std::string configured_permissions(const ProjectConfig& project, const AgentProfile& agent);
/// Names of all variables that some jobs inherit from the daemon, or get as a secret.
std::vector<std::string> all_passed_variables(const Config& config);
/// Files from which some jobs get secrets, for a job's user with that home.
std::vector<std::string> all_secret_files(const Config& config, const std::string& home);

/// Paths in use, with or without configuration; creates nothing. The store is [store] path, else
/// store_by_surroundings(). The jobs root is `jobs` beside the store. For the system's store, kSystemStore,
/// it is /var/log/luz-orchestrator/jobs.
std::string default_store(const Config& config);
/// Folder for data that can be regenerated: $XDG_CACHE_HOME/luzia, else ~/.cache/luzia. For the system
/// daemon, or without a home: `store`/cache.
std::string cache_folder(const std::string& store);
std::string default_jobs_root(const Config& config);
/// Lists include flows that ended after this time; 0: all flows.
TimeUs flows_kept_since(const Config& config, TimeUs now);

}  // namespace luzia
