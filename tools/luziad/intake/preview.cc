#include "tools/luziad/intake/preview.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "engine/job/sandbox_words.h"
#include "projections/rows/json_object.h"
#include "tools/luziad/attempts/job_program.h"
#include "tools/luziad/attempts/launch_work.h"
#include "tools/luziad/upkeep/gates.h"

namespace luzia {
namespace {

/// Anything smaller is far from any system limit.
constexpr std::size_t kSmall = 16 << 10;
/// Linux's MAX_ARG_STRLEN, minus one byte each for the NUL and for the prefix of a variable on its way
/// through luzia-run.
constexpr std::size_t kMostOfOne = (128 << 10) - 2;
/// Linux allows a quarter of the stack limit, and never more than this (execve(2)).
constexpr std::size_t kMostOfAll = 6 << 20;
/// For luzia-run's own arguments and what the kernel adds.
constexpr std::size_t kReserve = 64 << 10;

/// The job's state as its first attempt would find it.
JobState first_attempt(const QueueJob& order, std::string id) {
  JobState job;
  job.job = std::move(id);
  job.attempt = 1;
  job.spec = std::make_unique<schema::JobSpecT>(order.spec);
  return job;
}

std::string content_of(const std::optional<Blob>& blob) {
  return blob ? blob->content : std::string();
}

std::size_t size_of(const std::optional<Blob>& blob) {
  return blob ? blob->content.size() : 0;
}

std::string size_text(std::size_t bytes) {
  return std::to_string((bytes + 1023) >> 10) + " KiB";
}

tl::unexpected<Error> task_too_long(const QueueJob& order, const std::string& why) {
  return fail(ErrorKind::usage, "task_too_long",
              "the task is " + size_text(size_of(order.prompt)) + " long and agent '" + order.spec.agent +
                  "' gets it as an argument: " + why,
              "write it to a file and name that in the task, or use an agent that reads the task from its "
              "standard input");
}

tl::unexpected<Error> environment_too_long(const std::string& what) {
  return fail(ErrorKind::usage, "environment_too_long", what + ", more than Linux gives to a program",
              "write it to a file and name that in the variable");
}

void seconds(JsonObject& json, std::string_view key, std::uint64_t ms) {
  json.number_or_null(key, static_cast<double>(ms) / 1000);
}

std::uint32_t own_or(const std::map<std::string, std::uint32_t>& own, const std::string& name,
                     std::uint32_t otherwise) {
  const auto it = own.find(name);
  return it == own.end() ? otherwise : it->second;
}

void write_limits(JsonObject& json, const schema::JobSpecT& spec, const Config& config) {
  const Capacity capacity = capacity_of(config);
  json.begin("limits");
  json.number_or_null("running", capacity.max_running);
  json.number_or_null("of_project", own_or(capacity.of_project, spec.project, capacity.max_per_project));
  json.number_or_null("of_agent", own_or(capacity.of_agent, spec.agent, capacity.max_per_agent));
  json.begin("of_tags");
  for (const std::string& tag : spec.tags) {
    if (const std::uint32_t most = own_or(capacity.of_tag, tag, 0); most != 0) json.number(tag, most);
  }
  json.end();
  json.end();
}

void write_budget(JsonObject& json, const schema::JobSpecT& spec) {
  json.begin("budget");
  seconds(json, "time_seconds", spec.budget_time_ms);
  json.number_or_null("cost_usd", spec.budget_cost_usd);
  json.number_or_null("tokens", spec.budget_tokens);
  json.end();
}

/// What each attempt may use; null: no limit.
void write_attempt_limits(JsonObject& json, const schema::JobSpecT& spec) {
  const schema::AttemptLimitsT limits = spec.limits ? *spec.limits : schema::AttemptLimitsT();
  json.begin("attempt_limits");
  json.number_or_null("memory_bytes", limits.memory_bytes);
  json.number_or_null("cpu_percent", limits.cpu_percent);
  json.number_or_null("processes", limits.processes);
  json.number_or_null("disk_bytes", limits.disk_bytes);
  json.end();
}

std::vector<std::string> names_of(const std::vector<std::string>& entries) {
  std::vector<std::string> names;
  for (const std::string& entry : entries) names.push_back(entry.substr(0, entry.find('=')));
  return names;
}

/// Names of the daemon's variables that the job would inherit and that are set.
std::vector<std::string> set_variables(const schema::JobSpecT& spec) {
  std::vector<std::string> names;
  for (const std::string& name : spec.pass_env) {
    if (spec.uid == geteuid() && getenv(name.c_str()) != nullptr) names.push_back(name);
  }
  return names;
}

std::vector<std::string> secrets_of(const schema::JobSpecT& spec) {
  std::vector<std::string> names;
  for (const auto& secret : spec.secrets) names.push_back(secret->name);
  return names;
}

}  // namespace

Result<std::string> preview_json(const QueueJob& order, const Config& config) {
  JobState job = first_attempt(order, "JOB");
  schema::JobSpecT& spec = *job.spec;
  spec.job_dir = default_jobs_root(config) + "/" + job.job;
  const auto command = LUZIA_TRY(attempt_command(job, content_of(order.prompt)));
  const auto environment = attempt_environment(job, content_of(order.env), "");
  const auto program = find_job_program(spec, command, environment);
  std::vector<std::string> fallbacks, sandboxes;
  for (const auto& each : spec.fallbacks) {
    fallbacks.push_back(each->agent);
    sandboxes.push_back(sandbox_words(each->sandbox.get()));
  }
  JsonObject json;
  json.text("project", spec.project);
  json.text("agent", spec.agent);
  json.text("user", spec.user);
  json.text("dir", attempt_directory(spec));
  json.text("job_dir", spec.job_dir);
  json.text("task", content_of(order.prompt));
  json.strings("command", command);
  json.text_or_null("program", program ? *program : std::string());
  json.strings("problems", program ? std::vector<std::string>() : std::vector{program.error().message});
  json.text("stdin", spec.terminal != schema::Terminal::none ? "terminal"
                     : spec.stdin_prompt                     ? "prompt"
                                                             : "null");
  json.strings("environment", names_of(environment));
  json.strings("passed_variables", set_variables(spec));
  json.strings("secrets", secrets_of(spec));
  json.strings("fallback", fallbacks);
  json.strings("fallback_sandboxes", sandboxes);
  json.text_or_null("permissions", spec.permissions);
  json.text_or_null("sandbox", sandbox_words(spec.sandbox.get()));
  json.boolean("snapshot", spec.snapshot || spec.worktree);
  json.boolean("worktree", spec.worktree);
  json.strings("preflight", spec.preflight);
  seconds(json, "preflight_timeout_seconds", spec.preflight.empty() ? 0 : spec.preflight_timeout_ms);
  json.strings("verify", spec.verify);
  json.number("verify_tries", spec.verify_tries);
  json.number("priority", static_cast<unsigned>(order.priority));
  json.strings("after", order.after);
  json.strings("tags", spec.tags);
  json.strings("gates", spec.gates);
  seconds(json, "timeout_seconds", spec.timeout_ms);
  seconds(json, "kill_grace_seconds", spec.kill_grace_ms);
  json.number("retries", spec.retries);
  seconds(json, "estimate_seconds", spec.estimate_ms);
  write_budget(json, spec);
  write_limits(json, spec, config);
  write_attempt_limits(json, spec);
  json.text_or_null("flow", spec.flow);
  json.text_or_null("step", spec.step);
  return json.take();
}

Status check_installed(const QueueJob& order, const Config& config) {
  const JobState job = first_attempt(order, order.job);
  const schema::JobSpecT& spec = *job.spec;
  const auto command = attempt_command(job, content_of(order.prompt));
  if (!command || command->empty()) return {};  // reported at the start, as always
  const auto environment = attempt_environment(job, content_of(order.env), "");
  if (find_job_program(spec, *command, environment)) return {};
  std::string installed;
  for (const auto& [name, profile] : config.agents) {
    if (!find_job_program(spec, profile.command, environment)) continue;
    installed.append(installed.empty() ? "" : ", ").append(name);
  }
  return fail(ErrorKind::refused, "no_program",
              "agent '" + spec.agent + "' is not installed: there is no program '" + command->front() +
                  "' that " + spec.user + " can execute; installed: " + installed,
              "install it, or name it in [agents." + spec.agent + "] command; --dry-run shows where it is " +
                  "looked for");
}

Status check_start_size(const QueueJob& order) {
  if (size_of(order.prompt) < kSmall && size_of(order.env) < kSmall) return {};
  const JobState job = first_attempt(order, order.job);
  const auto command = attempt_command(job, content_of(order.prompt));
  // A command that cannot be filled in is reported at the start, as always.
  if (!command) return {};
  const auto environment = attempt_environment(job, content_of(order.env), "");
  std::size_t total = 0;
  for (const std::string& word : *command) {
    if (word.size() > kMostOfOne) return task_too_long(order, "Linux takes at most 128 KiB in one");
    total += word.size() + 1 + sizeof(char*);
  }
  for (const std::string& entry : environment) {
    if (entry.size() > kMostOfOne) {
      return environment_too_long("the variable " +
                                  entry.substr(0, std::min<std::size_t>(entry.find('='), 100)) + " is " +
                                  size_text(entry.size()) + " long");
    }
    total += entry.size() + 1 + sizeof(char*);
  }
  const long asked = ::sysconf(_SC_ARG_MAX);
  const std::size_t most = asked > 0 ? std::min(static_cast<std::size_t>(asked), kMostOfAll) : kMostOfAll;
  if (total + kReserve <= most) return {};
  return environment_too_long("arguments and environment are " + size_text(total) + " together");
}

}  // namespace luzia
