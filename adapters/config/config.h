// Configuration (TOML). Values are checked completely when read: a bad file changes nothing. Plain values:
// any thread may read a Config that nobody changes. Durations are milliseconds, written "250ms", "90s",
// "10m", "2h30m".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/time.h"
#include "engine/ports/agent.h"
#include "job.fb.h"

namespace luzia {

/// What is done about an attempt that has printed nothing for [monitor] silence_warning: a warning alone, a
/// question to people beside it, or a polite stop. Written warn, ask, kill; empty: what the next one says, of
/// the project, the agent and [monitor].
enum class WhenSilent : std::uint8_t { warn, ask, kill };

/// What becomes of a gate when it is asked for.
struct GatePolicy {
  enum class Word : std::uint8_t { ask, always, never, auto_after };
  Word word = Word::ask;
  std::uint64_t auto_after_ms = 0;
};

/// What a day (UTC) may cost; 0: whatever it takes.
struct DayBudgetConfig {
  double cost_usd = 0;
  std::uint64_t tokens = 0, time_ms = 0;
  bool stop_running = false;  // when one of them is used up
};

struct ProjectConfig {
  std::string path;  // working directory of its jobs; empty: the caller's
  std::vector<std::string> users, groups, tools, preflight;
  std::string user;   // whom its jobs run as; empty: the caller (of a daemon of root), else the daemon's user
  std::string agent;  // empty: [defaults] agent, else "shell"
  std::string framework, language, build_system;
  bool allow_auto_fix = false;
  std::optional<std::uint8_t> priority;     // 0..9; unset: [defaults] priority
  std::uint32_t max_running = 0;            // 0: [queue] max_per_project
  std::uint32_t share = 1;                  // of the places against other projects
  std::map<std::string, GatePolicy> gates;  // by name or pattern, see gate_policy.h
  std::optional<bool> snapshot;             // of all its jobs; unset: [git] snapshot
  std::string prompt;                       // template around its agents' tasks; empty: the task alone
  DayBudgetConfig budgets;                  // of all its jobs together
  std::string when_silent;                  // see WhenSilent
};

/// What everybody who is told of events has in common.
struct TellingConfig {
  std::vector<std::string> on;        // names of events, see engine/hook
  std::vector<std::string> projects;  // empty: all
  std::uint64_t timeout_ms = 10'000;
  std::uint32_t retries = 3;
  std::uint64_t cooldown_ms = 0, dwell_ms = 0;
  std::string quiet_hours;             // "22:00-07:00", "none"; empty: those of [notifications]
  std::optional<bool> unless_watched;  // unset: true for the desktop and Telegram only
  std::string escalate_to;             // name of whoever is told next when nobody answers; empty: nobody
  double escalate_after = 0.5;         // part of the time until the deadline
};

/// A command, or the desktop, that is told of events.
struct HookConfig : TellingConfig {
  std::vector<std::string> command;
  bool desktop = false;  // in place of a command: a notification of the session
};

/// An address that is told of events.
struct WebhookConfig : TellingConfig {
  std::string url;  // http or https
  std::string format = "json";
  std::map<std::string, std::string> headers;
};

/// A Telegram bot that tells of events and takes answers. In use when one of the two places of its token is
/// named.
struct TelegramConfig : TellingConfig {
  TelegramConfig() {
    on = {"question_asked",    "question_reminded", "approval_requested",
          "approval_reminded", "job_failed",        "alert_raised"};
    retries = 10;
    timeout_ms = 30'000;
  }
  std::string token_file;           // its own user's alone
  std::string token_variable;       // of the daemon's environment
  std::vector<std::int64_t> chats;  // that are told, and from which answers are taken
  std::string api = "https://api.telegram.org";

  bool in_use() const { return !token_file.empty() || !token_variable.empty(); }
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
    std::map<std::string, std::uint32_t> tags;             // at once of the jobs with that tag
    bool waiting_holds_slot = true;       // false: who waits for a person counts for no limit
    std::uint64_t ageing_ms = 1'800'000;  // waited so long = one priority higher; 0: never
    double max_load = 0;                  // load average of a minute; 0: whatever it is
    int min_free_memory_percent = 0;
    double max_memory_pressure_percent = 0;  // of the last 10 s in which work waited for memory; 0: ditto
  } queue;
  struct {
    std::uint32_t max = 0;
    std::uint64_t backoff_ms = 10'000;
    double jitter = 0.1;
    std::uint32_t breaker_failures = 10;  // quick failures in a row stop a project; 0: never
    std::uint64_t breaker_quick_ms = 30'000, breaker_pause_ms = 600'000;
  } retry;
  struct {
    double cost_usd = 0;  // of a job, and so are the next two
    std::uint64_t tokens = 0, time_ms = 0;
    DayBudgetConfig day;  // of all projects together
  } budgets;
  struct {
    std::vector<std::string> files;
    bool allow_auto_fix = false;
  } issues;
  struct {
    std::string path, group, site;
    std::uint64_t scrub_ms = 7 * 86'400'000ULL;  // how often all of it is read; 0: never
  } store;
  struct {
    std::string root;
    std::uint64_t kill_grace_ms = 10'000, preflight_timeout_ms = 60'000;
  } jobs;
  struct {
    int memory_warning_percent = 80, memory_critical_percent = 95;  // used; 0: no alert, here and below
    double memory_pressure_warning_percent = 25;                    // as [queue] max_memory_pressure_percent
    double load_warning_per_core = 8;                               // load average of a minute
    int disk_warning_percent = 95;                                  // used of the store's disk, ...
    std::uint64_t disk_free_warning_mib = 1024;                     // ... or less free than that
    std::uint64_t alert_dwell_ms = 10'000;                          // an alert begins after so long
    double duration_warning_fraction = 0.8;  // of a job's estimate or time limit; 0: no warning, and below
    std::uint64_t silence_warning_ms = 600'000;  // without output
    std::string when_silent = "warn";            // then
    std::uint32_t loop_warning_repeats = 100;    // of the same line, or the same few lines
    std::uint32_t flood_warning_mib = 256;       // of output in a minute
  } monitor;
  struct {
    std::vector<double> remind_at = {0.5, 0.9};  // parts of the time until the deadline, ascending
    std::uint64_t default_timeout_ms = 0;        // of questions and gates that say none; 0: they wait
  } questions;
  struct {
    bool snapshot = true;                        // of the files before each attempt of all agents but shell
    std::uint64_t snapshot_max_file = 10 << 20;  // bytes; greater files are left out; 0: no limit
    std::uint64_t keep_snapshots_ms = 2'592'000'000;  // luzia gc removes those of jobs that ended before
  } git;
  struct {
    std::string folder;                  // templates by name; they come before those that ship
    std::uint64_t max_bytes = 64 << 10;  // of a whole prompt, the task apart
  } prompts;
  struct {
    std::string url;  // of a search, {query} in it; empty: the words alone are told
  } web_search;
  struct {
    std::uint64_t keep_ended_ms = 365ULL * 24 * 3600 * 1000;  // in lists, from their end; 0: for ever
  } flows;
  std::map<std::string, ProjectConfig> projects;
  std::map<std::string, AgentProfile> agents;  // shipped ones included
  std::map<std::string, HookConfig> hooks;     // [[hooks]] by name
  std::map<std::string, WebhookConfig> webhooks;
  struct {
    std::string quiet_hours;  // local time; empty or "none": never
    // What is told in quiet hours all the same.
    std::vector<std::string> quiet_except = {"question_asked", "question_reminded", "approval_requested",
                                             "approval_reminded"};
  } notifications;
  TelegramConfig telegram;
  std::vector<std::string> files;  // that were read, in order
  std::vector<Error> warnings;     // about the older tool's file, which never stops anything
};

struct ConfigFile {
  std::string path;
  bool required = false;  // missing is an error
};

/// The files to read, in order: /etc/luzia/status_config.toml (the older tool's), /etc/luzia/luzia.toml,
/// $XDG_CONFIG_HOME/luzia/luzia.toml (or ~/.config), then `explicit_file` or $LUZIA_CONFIG, which must exist.
std::vector<ConfigFile> config_files(const std::string& explicit_file = {});
/// The same with whether each exists.
std::vector<std::pair<std::string, bool>> config_paths(const std::string& explicit_file = {});

/// Reads config_files() over the shipped defaults. Later files win key by key. The error is the first of
/// check_config() and says how many more there are. What is wrong in a file named status_config.toml, the
/// older tool's, is left out with a warning.
Result<Config> load_config(const std::string& explicit_file = {});
Result<Config> load_config_files(const std::vector<ConfigFile>& files);
/// Everything that is wrong, each with file, line, column and the nearest valid name: `config_syntax`,
/// `config_unknown_key`, `config_type`, `config_range`, `config_unreadable`, `config_missing`.
std::vector<Error> check_config(const std::string& explicit_file = {});
/// For tests and tools: one text over the shipped defaults.
Result<Config> parse_config(const std::string& toml, const std::string& file_name);
/// The effective configuration as TOML that reads back to the same values.
std::string show_config(const Config& config);

/// What counts for a job of this project and agent.
WhenSilent when_silent(const Config& config, const std::string& project, const std::string& agent);

/// Where things are without (or with) configuration; creates nothing. The store: [store] path, else
/// store_by_surroundings(). The jobs root stands beside the store, as `jobs`; that of the system's store,
/// kSystemStore, is /var/log/luz-orchestrator/jobs.
std::string default_store(const Config& config);
/// Where what can be made again is kept: $XDG_CACHE_HOME/luzia, else ~/.cache/luzia, else (system daemon, or
/// no home) `store`/cache.
std::string cache_folder(const std::string& store);
std::string default_jobs_root(const Config& config);
/// Lists have flows that ended since; 0: all.
TimeUs flows_kept_since(const Config& config, TimeUs now);

}  // namespace luzia
