// Configuration (TOML). Values are checked completely when read: a bad file changes nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "job.fb.h"

namespace luzia {

struct AgentProfile {
  std::vector<std::string> command;
  bool stdin_prompt = true;  // stdin = "prompt" | "null"
  std::string output = "text";
  std::vector<std::string> resume;
  std::map<std::string, std::string> env;
  std::map<int, schema::ExitMeaning> exit_codes;
};

struct ProjectConfig {
  std::string path;
  std::vector<std::string> users, groups, tools, preflight;
  std::string agent;  // empty: [defaults] agent, else "shell"
  std::string framework, language, build_system;
  bool allow_auto_fix = false;
  std::optional<std::uint8_t> priority;
};

struct Config {
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
    std::uint32_t max_running = 0;  // 0: twice the cores
    std::uint32_t max_per_project = 0, max_per_agent = 0;  // 0: no limit
    double max_load = 0;
    int min_free_memory_percent = 0;
  } queue;
  struct {
    std::uint32_t max = 0;
    std::uint64_t backoff_ms = 10'000;
    double jitter = 0.1;
  } retry;
  struct {
    double cost_usd = 0;
    std::uint64_t tokens = 0, time_ms = 0;
  } budgets;
  struct {
    std::vector<std::string> files;
    bool allow_auto_fix = false;
  } issues;
  struct {
    std::string path, group, site;
  } store;
  struct {
    std::string root;
    std::uint64_t kill_grace_ms = 10'000, preflight_timeout_ms = 60'000;
  } jobs;
  struct {
    int memory_warning_percent = 80;
    double duration_warning_fraction = 0.8;
  } monitor;
  std::map<std::string, ProjectConfig> projects;
  std::map<std::string, AgentProfile> agents;  // shipped ones included
  std::vector<std::string> files;              // that were read, in order
};

/// /etc/luzia/luzia.toml, $XDG_CONFIG_HOME/luzia/luzia.toml (or ~/.config), then `explicit_file` or $LUZIA_CONFIG;
/// /etc/luzia/status_config.toml is read too. Later files win key by key. Missing files are skipped, except an
/// explicitly named one. Errors name file, line, column and the nearest valid key.
Result<Config> load_config(const std::string& explicit_file = {});
/// For tests and tools: one text over the shipped defaults.
Result<Config> parse_config(const std::string& toml, const std::string& file_name);
/// All files that would be read, and whether each exists.
std::vector<std::pair<std::string, bool>> config_paths(const std::string& explicit_file = {});
/// The effective configuration as TOML.
std::string show_config(const Config& config);

/// Where things are without (or with) configuration; creates nothing. Works without HOME and XDG variables (cron:
/// the home of the user database).
std::string default_store(const Config& config);
std::string default_jobs_root(const Config& config);

}  // namespace luzia
