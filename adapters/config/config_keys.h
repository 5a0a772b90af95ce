// Lists every key of the configuration once. The reader and the writer both walk this table, so the output of
// `config show` parses back. Private to adapters/config.
//
// A visitor has: table(name, body), named(name, map, body), listed(name, map, body), flag, optional_flag,
// integer, optional_integer, bytes, percent, real, text, choice, path, duration, texts, words, paths,
// home_paths, command, program, url, hours, daily_time, whole_numbers, text_map, secrets, headers, real_map,
// limits, exit_codes, fractions, gates.
#pragma once

#include <initializer_list>

#include "adapters/config/config.h"
#include "engine/hook/hook_events.h"

namespace luzia {

/// luzia-run accepts no longer time limit for a check.
constexpr std::uint64_t kYearMs = 365ULL * 24 * 3'600'000;

/// A thousand concurrent jobs for a year.
constexpr std::uint64_t kMostDayBudgetMs = 366ULL * 24 * 3'600'000 * 1'000;

template <class Visitor>
void visit_old_tool_keys(Config& c, Visitor& v) {
  v.table("status_updates", [&] {
    v.choice("verbosity", c.status_updates.verbosity, {"quiet", "normal", "verbose"});
    v.flag("show_task_started", c.status_updates.show_task_started);
    v.flag("show_progress_updates", c.status_updates.show_progress_updates);
    v.integer("progress_update_threshold_percent", c.status_updates.progress_update_threshold_percent, 0,
              100);
  });
  v.table("display", [&] {
    v.flag("use_colors", c.display.use_colors);
    v.flag("use_emojis", c.display.use_emojis);
    v.flag("compact_format", c.display.compact_format);
  });
  v.table("logging", [&] {
    v.path("log_file", c.logging.log_file);
    v.choice("log_level", c.logging.log_level,
             {"trace", "debug", "info", "warning", "error", "critical", "off"});
  });
  v.table("limits", [&] {
    v.integer("max_buffer_size", c.limits.max_buffer_size, 1, 1'000'000);
    v.integer("max_history", c.limits.max_history, 1, 1'000'000);
  });
}

template <class Visitor>
void visit_day_budget_keys(DayBudgetConfig& b, Visitor& v) {
  v.real("cost_per_day", b.cost_usd, 0, 1e9);
  v.integer("tokens_per_day", b.tokens, 0, std::int64_t{1} << 53);
  v.duration("time_per_day", b.time_ms, 0, kMostDayBudgetMs);
  v.flag("stop_running", b.stop_running);
}

template <class Visitor>
void visit_sandbox_keys(SandboxConfig& s, Visitor& v) {
  v.choice("sandbox", s.kind, {"off", "project", "strict"});
  v.choice("sandbox_when", s.when, {"always", "unattended"});
  v.network("sandbox_network", s.network, s.hosts);
  v.home_paths("sandbox_write", s.write);
  v.home_paths("sandbox_read", s.read);
  v.home_paths("sandbox_hide", s.hide);
}

template <class Visitor>
void visit_limit_keys(schema::AttemptLimitsT& l, Visitor& v) {
  v.bytes("memory", l.memory_bytes);
  v.percent("cpu", l.cpu_percent);
  v.integer("processes", l.processes, 0, 4'194'304);  // the most that Linux can have (pid_max)
  v.bytes("disk", l.disk_bytes);
}

template <class Visitor>
void visit_running_keys(Config& c, Visitor& v) {
  v.table("defaults", [&] {
    v.text("agent", c.defaults.agent);
    v.integer("priority", c.defaults.priority, 0, 9);
  });
  v.table("queue", [&] {
    v.integer("max_running", c.queue.max_running, 0, 100'000);
    v.integer("max_per_project", c.queue.max_per_project, 0, 100'000);
    v.integer("max_per_agent", c.queue.max_per_agent, 0, 100'000);
    v.limits("tags", c.queue.tags);
    v.flag("waiting_holds_slot", c.queue.waiting_holds_slot);
    v.duration("ageing", c.queue.ageing_ms);
    v.real("max_load", c.queue.max_load, 0, 1e6);
    v.integer("min_free_memory_percent", c.queue.min_free_memory_percent, 0, 100);
    v.bytes("stop_when_memory_below", c.queue.stop_when_memory_below);
    v.real("max_memory_pressure_percent", c.queue.max_memory_pressure_percent, 0, 100);
  });
  v.table("retry", [&] {
    v.integer("max", c.retry.max, 0, 1'000);
    v.duration("backoff", c.retry.backoff_ms, 0, kYearMs);
    v.real("jitter", c.retry.jitter, 0, 1);
    v.integer("breaker_failures", c.retry.breaker_failures, 0, 1'000'000);
    v.duration("breaker_quick", c.retry.breaker_quick_ms);
    v.duration("breaker_pause", c.retry.breaker_pause_ms);
  });
  v.table("budgets", [&] {
    v.real("cost_usd", c.budgets.cost_usd, 0, 1e9);
    v.integer("tokens", c.budgets.tokens, 0, std::int64_t{1} << 53);
    v.duration("time", c.budgets.time_ms);
    visit_day_budget_keys(c.budgets.day, v);
  });
  v.table("questions", [&] {
    v.fractions("remind_at", c.questions.remind_at);
    v.duration("default_timeout", c.questions.default_timeout_ms);
    v.duration("answer_within", c.questions.answer_within_ms);
    v.duration("urgent_within", c.questions.urgent_within_ms);
  });
  v.table("git", [&] {
    v.flag("snapshot", c.git.snapshot);
    v.bytes("snapshot_max_file", c.git.snapshot_max_file);
    v.duration("keep_snapshots", c.git.keep_snapshots_ms);
  });
  v.table("issues", [&] {
    v.paths("files", c.issues.files);
    v.flag("allow_auto_fix", c.issues.allow_auto_fix);
  });
  v.table("store", [&] {
    v.path("path", c.store.path);
    v.text("group", c.store.group);
    v.text("site", c.store.site);
    v.duration("scrub", c.store.scrub_ms, 0, kYearMs);
    v.duration("seal_every", c.store.seal_every_ms, 0, kYearMs);
    v.path("seal_to", c.store.seal_to);
  });
  v.table("jobs", [&] {
    v.path("root", c.jobs.root);
    v.duration("kill_grace", c.jobs.kill_grace_ms, 0, kYearMs);
    v.duration("preflight_timeout", c.jobs.preflight_timeout_ms, 0, kYearMs);
    v.duration("verify_timeout", c.jobs.verify_timeout_ms, 1, kYearMs);
    visit_sandbox_keys(c.jobs.sandbox, v);
    visit_limit_keys(c.jobs.limits, v);
  });
}

template <class Visitor>
void visit_monitor_keys(Config& c, Visitor& v) {
  v.table("monitor", [&] {
    v.integer("memory_warning_percent", c.monitor.memory_warning_percent, 0, 100);
    v.integer("memory_critical_percent", c.monitor.memory_critical_percent, 0, 100);
    v.real("memory_pressure_warning_percent", c.monitor.memory_pressure_warning_percent, 0, 100);
    v.real("load_warning_per_core", c.monitor.load_warning_per_core, 0, 1e6);
    v.integer("disk_warning_percent", c.monitor.disk_warning_percent, 0, 100);
    v.integer("disk_free_warning_mib", c.monitor.disk_free_warning_mib, 0, 1'000'000'000);
    v.duration("alert_dwell", c.monitor.alert_dwell_ms);
    v.real("duration_warning_fraction", c.monitor.duration_warning_fraction, 0, 100);
    v.duration("silence_warning", c.monitor.silence_warning_ms);
    v.choice("when_silent", c.monitor.when_silent, {"warn", "ask", "kill"});
    // Detectors report at least ten repetitions.
    v.integer("loop_warning_repeats", c.monitor.loop_warning_repeats, 0, 1'000'000'000);
    v.integer("flood_warning_mib", c.monitor.flood_warning_mib, 0, 1'000'000'000);
  });
}

template <class Visitor>
void visit_prompt_keys(Config& c, Visitor& v) {
  v.table("prompts", [&] {
    v.path("folder", c.prompts.folder);
    v.bytes("max_bytes", c.prompts.max_bytes);
  });
  v.table("web_search", [&] { v.text("url", c.web_search.url); });
}

template <class Visitor>
void visit_flow_keys(Config& c, Visitor& v) {
  v.table("flows", [&] { v.duration("keep_ended", c.flows.keep_ended_ms); });
  v.table("keep", [&] {
    v.duration("outputs", c.keep.outputs_ms);
    v.duration("job_dirs", c.keep.job_dirs_ms);
    v.duration("jobs", c.keep.jobs_ms);
    v.duration("texts", c.keep.texts_ms);
    v.bytes("size", c.keep.size);
  });
}

template <class Visitor>
void visit_project_keys(ProjectConfig& p, Visitor& v) {
  v.path("path", p.path);
  v.texts("tools", p.tools);
  v.texts("users", p.users);
  v.texts("groups", p.groups);
  v.account("user", p.user);
  v.text("agent", p.agent);
  v.texts("preflight", p.preflight);
  v.texts("verify", p.verify);
  v.flag("verify_clean", p.verify_clean);
  v.integer("verify_tries", p.verify_tries, 0, 100);
  v.table("knowledge", [&] {
    v.text("framework", p.framework);
    v.text("language", p.language);
    v.text("build_system", p.build_system);
  });
  v.text("focus", p.focus);
  v.flag("allow_auto_fix", p.allow_auto_fix);
  v.optional_integer("priority", p.priority, 0, 9);
  v.integer("max_running", p.max_running, 0, 100'000);
  v.integer("share", p.share, 1, 1'000);
  v.gates("gates", p.gates);
  v.optional_flag("snapshot", p.snapshot);
  v.text("prompt", p.prompt);
  v.table("budgets", [&] { visit_day_budget_keys(p.budgets, v); });
  v.choice("when_silent", p.when_silent, {"warn", "ask", "kill"});
  v.choice("permissions", p.permissions, permission_words());
  v.duration("answer_within", p.answer_within_ms);
  v.duration("urgent_within", p.urgent_within_ms);
  visit_sandbox_keys(p.sandbox, v);
  visit_limit_keys(p.limits, v);
  v.secrets("secrets", p.secrets);
}

/// The valid values of `output` in a profile: each agent's format, text, and auto, which recognizes each
/// line.
std::vector<std::string> output_formats();

template <class Visitor>
void visit_agent_keys(AgentProfile& a, Visitor& v) {
  v.command("command", a.command);
  std::string from = a.stdin_prompt ? "prompt" : "null";
  v.choice("stdin", from, {"prompt", "null"});
  a.stdin_prompt = from == "prompt";
  v.choice("output", a.output, output_formats());
  v.command("resume", a.resume);
  v.command("interactive", a.interactive);
  v.exit_codes("exit_codes", a.exit_codes);
  v.text_map("env", a.env);
  v.secrets("secrets", a.secrets);
  v.variables("pass_env", a.pass_env);
  v.choice("permissions", a.permissions, permission_words());
  v.integer("max_running", a.max_running, 0, 100'000);
  v.integer("limit_resumes", a.limit_resumes, 0, 1'000);
  v.duration("login_wait", a.login_wait_ms);
  v.duration("start_spacing", a.start_spacing_ms);
  v.texts("fallback", a.fallback);
  v.flag("breaker", a.breaker);
  v.flag("line_buffered", a.line_buffered);
  v.choice("when_silent", a.when_silent, {"warn", "ask", "kill"});
  visit_sandbox_keys(a.sandbox, v);
  visit_limit_keys(a.limits, v);
  v.real_map("costs", a.costs, {"input", "output", "cache_read", "cache_write"});
}

template <class Hook, class Visitor>
void visit_channel_keys(Hook& h, Visitor& v) {
  v.words("on", h.on, hook_event_names());
  v.texts("projects", h.projects);
  v.duration("timeout", h.timeout_ms, 1, 600'000);
  v.integer("retries", h.retries, 0, 100);
  v.duration("cooldown", h.cooldown_ms);
  v.duration("dwell", h.dwell_ms);
  v.hours("quiet_hours", h.quiet_hours);
  v.optional_flag("unless_watched", h.unless_watched);
  v.daily_time("digest", h.digest);
  v.text("escalate_to", h.escalate_to);
  v.real("escalate_after", h.escalate_after, 0, 1);
}

template <class Visitor>
void visit_hook_keys(HookConfig& h, Visitor& v) {
  v.program("command", h.command);
  v.flag("desktop", h.desktop);
  visit_channel_keys(h, v);
}

template <class Visitor>
void visit_webhook_keys(WebhookConfig& h, Visitor& v) {
  v.url("url", h.url);
  v.flag("callbacks", h.callbacks);
  v.choice("format", h.format, {"json", "slack", "ntfy"});
  v.headers("headers", h.headers);
  visit_channel_keys(h, v);
}

template <class Visitor>
void visit_schedule_keys(ScheduleConfig& s, Visitor& v) {
  v.duration("every", s.every_ms, 0, kYearMs);
  v.text("cron", s.cron);
  v.text("time_zone", s.time_zone);
  v.text("project", s.project);
  v.text("task", s.task);
  v.text("agent", s.agent);
  v.choice("missed", s.missed, {"once", "skip", "all"});
  v.choice("overlap", s.overlap, {"skip", "queue", "cancel"});
  v.optional_integer("priority", s.priority, 0, 9);
  v.texts("tags", s.tags);
  v.texts("verify", s.verify);
  v.path("dir", s.dir);
  v.account("user", s.user);
  v.text("prompt", s.prompt);
  v.choice("permissions", s.permissions, permission_words());
  v.duration("timeout", s.timeout_ms, 0, kYearMs);
  v.duration("budget_time", s.budget_time_ms, 0, kYearMs);
  v.integer("budget_tokens", s.budget_tokens, 0, std::int64_t{1} << 53);
  v.real("budget_cost", s.budget_cost_usd, 0, 1e9);
  v.optional_integer("retries", s.retries, 0, 1'000);
  v.flag("worktree", s.worktree);
}

template <class Visitor>
void visit_machine_keys(MachineConfig& m, Visitor& v) {
  v.text("ssh", m.ssh);
  v.text("store", m.store);
  v.texts("labels", m.labels);
  v.integer("max_running", m.max_running, 0, 100'000);
}

template <class Visitor>
void visit_notification_keys(Config& c, Visitor& v) {
  v.table("notifications", [&] {
    v.hours("quiet_hours", c.notifications.quiet_hours);
    v.words("quiet_except", c.notifications.quiet_except, hook_event_names());
  });
  v.table("telegram", [&] {
    v.path("token_file", c.telegram.token_file);
    v.text("token_variable", c.telegram.token_variable);
    v.whole_numbers("chats", c.telegram.chats);
    v.url("api", c.telegram.api);
    visit_channel_keys(c.telegram, v);
  });
}

template <class Visitor>
void visit_web_keys(WebConfig& w, Visitor& v) {
  v.table("web", [&] {
    v.flag("enabled", w.enabled);
    v.text("listen", w.listen);
    v.path("tls_cert", w.tls_cert);
    v.path("tls_key", w.tls_key);
    v.flag("behind_proxy", w.behind_proxy);
    v.texts("hosts", w.hosts);
    v.duration("push_dwell", w.push_dwell_ms);
    v.duration("push_cooldown", w.push_cooldown_ms);
    v.texts("push_services", w.push_services);
  });
}

template <class Visitor>
void visit_fleet_keys(FleetConfig& f, Visitor& v) {
  v.table("fleet", [&] {
    v.text("url", f.url);
    v.text("site", f.site);
    v.path("password_file", f.password_file);
    v.text("people_url", f.people_url);
    v.path("people_password_file", f.people_password_file);
    v.texts("orders", f.orders);
    v.texts("labels", f.labels);
  });
}

template <class Visitor>
void visit_keys(Config& c, Visitor& v) {
  visit_old_tool_keys(c, v);
  visit_running_keys(c, v);
  visit_monitor_keys(c, v);
  visit_prompt_keys(c, v);
  visit_flow_keys(c, v);
  v.named("projects", c.projects, [&](ProjectConfig& project) { visit_project_keys(project, v); });
  v.named("agents", c.agents, [&](AgentProfile& agent) { visit_agent_keys(agent, v); });
  v.listed("hooks", c.hooks, [&](HookConfig& hook) { visit_hook_keys(hook, v); });
  v.listed("webhooks", c.webhooks, [&](WebhookConfig& hook) { visit_webhook_keys(hook, v); });
  v.listed("schedules", c.schedules, [&](ScheduleConfig& schedule) { visit_schedule_keys(schedule, v); });
  v.named("machines", c.machines, [&](MachineConfig& machine) { visit_machine_keys(machine, v); });
  visit_notification_keys(c, v);
  visit_web_keys(c.web, v);
  visit_fleet_keys(c.fleet, v);
}

/// Where a secret may come from: file, command, env.
const std::vector<std::string>& secret_kinds();

/// The four words for the meaning of an exit code.
std::string exit_meaning_word(schema::ExitMeaning meaning);
std::optional<schema::ExitMeaning> parse_exit_meaning(std::string_view word);

/// The shipped agents and the shell.
std::map<std::string, AgentProfile> shipped_agents();

}  // namespace luzia
