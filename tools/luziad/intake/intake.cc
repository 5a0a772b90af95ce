#include "tools/luziad/intake/intake.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "adapters/config/job_gates.h"
#include "adapters/config/nearest.h"
#include "adapters/config/toml_text.h"
#include "adapters/git/repository.h"
#include "engine/base/characters.h"
#include "engine/base/lower_case.h"
#include "engine/base/shell_quote.h"
#include "engine/base/utf8.h"
#include "engine/base/variable_name.h"
#include "engine/event/limits_text.h"
#include "engine/job/attempt_limits.h"
#include "engine/job/job_ending.h"
#include "tools/luziad/attempts/launch_work.h"
#include "tools/luziad/attempts/prompts.h"
#include "tools/luziad/attempts/terminal_jobs.h"
#include "tools/luziad/base/time_limits.h"
#include "tools/luziad/intake/fallbacks.h"
#include "tools/luziad/intake/job_sandbox.h"

namespace luzia {
namespace {

/// In a dispatch: passes the task to the agent unchanged, whatever the project's settings say.
constexpr const char* kNoTemplate = "none";
/// Shell commands say what they do to files; agents' edits should be undoable.
constexpr const char* kShellAgent = "shell";
constexpr std::size_t kMaxOriginBytes = 200;
/// In a burst of jobs for one directory, it is checked once in this time.
constexpr TimeUs kDirectoryLookUs = 10 * kMillisecondUs;

/// The name that was probably meant, then all of them, up to a bound.
template <class Map>
std::string known_names(const Map& map, const std::string& meant) {
  std::vector<std::string> all;
  for (const auto& [name, value] : map) all.push_back(name);
  constexpr std::size_t kMostMeant = 100;  // a longer name is no misspelling
  const std::string nearest = meant.size() > kMostMeant ? std::string() : nearest_name(meant, all);
  std::string names = nearest.empty() ? "known: " : "did you mean " + nearest + "? known: ";
  if (all.empty()) return {};
  const std::size_t before = names.size();
  for (const auto& [name, value] : map) {
    if (names.size() > 200) return names + ", ...";
    if (names.size() > before) names += ", ";
    names += name;
  }
  return names;
}

Status check_words(const wire::DispatchJobT& request) {
  // In a session, people give the task when they are there.
  const bool may_be_silent = request.terminal == schema::Terminal::session && request.task.empty();
  if (!may_be_silent && request.task.find_first_not_of(" \t\r\n") == std::string::npos) {
    return fail(ErrorKind::usage, "empty_task", "the task is empty", "say what the agent should do");
  }
  if (request.task.find('\0') != std::string::npos) {
    return fail(ErrorKind::usage, "bad_task", "the task contains a NUL character");
  }
  for (const std::string& entry : request.env) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos || equals == 0 || entry.find('\0') != std::string::npos) {
      // Never the whole entry: it may be a secret.
      return fail(ErrorKind::usage, "bad_env",
                  "environment entry '" + entry.substr(0, std::min<std::size_t>(equals, 8)) +
                      "...' is not KEY=VALUE, or has a NUL");
    }
    if (!is_variable_name(entry.substr(0, equals))) {
      return fail(ErrorKind::usage, "bad_env",
                  "environment: no variable can be called '" + entry.substr(0, equals) + "'",
                  "a name has letters, digits and underscores, and begins with no digit");
    }
    if (entry.starts_with("LUZIA_")) {
      return fail(ErrorKind::usage, "bad_env",
                  "environment entry '" + entry.substr(0, equals) + "' is one that luzia sets itself");
    }
  }
  for (const std::string& tag : request.tags) {
    if (tag.empty() || !is_plain_line(tag, 64) || tag.find_first_of(" ,") != std::string::npos) {
      return fail(ErrorKind::usage, "bad_tag",
                  "tag '" + tag + "' is empty, over 64 bytes or has spaces, commas or control characters");
    }
  }
  return {};
}

/// The template around the task; empty: the task alone.
Result<std::string> template_of(const Config& config, const ProjectConfig& project,
                                const wire::DispatchJobT& request) {
  const bool own = request.prompt_template.empty();
  const std::string name = own ? project.prompt : request.prompt_template;
  if (name.empty() || name == kNoTemplate) return std::string();
  LUZIA_TRY(find_prompt_template(config.prompts.folder, name, own));
  return name;
}

/// Fails if files are changed, new or in conflict; a hook that refuses a commit leaves them so. Prints them
/// all, then one line, the reason, with the first five.
constexpr const char* kNothingLeft = R"(# nothing is left uncommitted
rest=$(git status --porcelain) || exit
[ -z "$rest" ] && exit
printf '%s\n' "$rest"
printf '%s\n' "$rest" | awk '
  NR <= 5 { named = named (NR > 1 ? ", " : "") substr($0, 4, 50) }
  END { print "not committed: " named (NR > 5 ? " and " NR - 5 " more" : "") }'
exit 1)";

bool wants_clean(const wire::DispatchJobT& request, const ProjectConfig& project) {
  return request.verify_clean || (project.verify_clean && !request.no_verify);
}

/// Those of the project, then those of the dispatch. `bad_verify` (usage).
Status fill_verification(schema::JobSpecT& spec, const wire::DispatchJobT& request, const Config& config,
                         const ProjectConfig& project) {
  constexpr std::size_t kMostChecks = 20, kMostBytes = 8 << 10;
  constexpr std::uint32_t kMostTries = 100;
  if (!request.no_verify) spec.verify = project.verify;
  spec.verify.insert(spec.verify.end(), request.verify.begin(), request.verify.end());
  if (wants_clean(request, project)) spec.verify.emplace_back(kNothingLeft);
  if (spec.verify.empty()) return {};
  const bool good = std::ranges::all_of(spec.verify, [](const std::string& command) {
    return command.size() <= kMostBytes && command.find('\0') == std::string::npos;
  });
  if (std::ranges::any_of(spec.verify, [](const std::string& command) { return is_blank(command); })) {
    return fail(ErrorKind::usage, "bad_verify", "a check of its work is empty, so it would prove nothing",
                "name a command: --verify 'make test'; --no-verify leaves the project's checks out");
  }
  if (!good || spec.verify.size() > kMostChecks) {
    return fail(ErrorKind::usage, "bad_verify",
                "the checks of its work are over 20, or one is over 8 KiB or has a NUL",
                "put them into a script, and name the script");
  }
  spec.verify_timeout_ms = config.jobs.verify_timeout_ms;
  // A command cannot be told anything, and in a terminal a person does the telling.
  const bool can_correct = !executes_task(spec) && spec.terminal == schema::Terminal::none;
  if (can_correct) spec.verify_tries = std::min(request.verify_tries, kMostTries);
  if (can_correct && request.verify_tries == ~0U) spec.verify_tries = project.verify_tries;
  return {};
}

/// What is asked for, else what is configured. An order of a fleet gets no more than that. 0: none.
template <class Number>
Number bounded_by(Number configured, Number asked, const wire::DispatchJobT& request) {
  const bool is_wider = !request.order.empty() && configured > 0 && asked > configured;
  return asked > 0 && !is_wider ? asked : configured;
}

/// Each limit from the narrowest setting that has it. `bad_limit` (usage).
Status fill_limits(schema::JobSpecT& spec, const wire::DispatchJobT& request, const Config& config,
                   const ProjectConfig& project, const AgentProfile& profile) {
  constexpr std::uint64_t kLeastMemory = 1 << 20;
  const auto wanted = [&request](auto asked, auto... values) {
    decltype(asked) found = 0;
    ((found = found != 0 ? found : values), ...);
    return bounded_by(found, asked, request);
  };
  schema::AttemptLimitsT limits;
  const schema::AttemptLimitsT &ours = project.limits, &its = profile.limits, &all = config.jobs.limits;
  limits.memory_bytes = wanted(request.memory_bytes, ours.memory_bytes, its.memory_bytes, all.memory_bytes);
  limits.cpu_percent = wanted(request.cpu_percent, ours.cpu_percent, its.cpu_percent, all.cpu_percent);
  limits.processes = wanted(request.most_processes, ours.processes, its.processes, all.processes);
  limits.disk_bytes = wanted(request.disk_bytes, ours.disk_bytes, its.disk_bytes, all.disk_bytes);
  if (limits.memory_bytes != 0 && limits.memory_bytes < kLeastMemory) {
    return fail(ErrorKind::usage, "bad_limit",
                "a limit of " + size_words(limits.memory_bytes) + " of memory is below 1 MiB",
                "write a unit: 512M, 4G");
  }
  if (has_limits(limits)) spec.limits = std::make_unique<schema::AttemptLimitsT>(limits);
  return {};
}

/// Those of the dispatch, then those of the task.
Result<std::vector<std::string>> gates_of(const wire::DispatchJobT& request) {
  std::vector<std::string> gates;
  for (const std::string& gate : request.gates) {
    if (!is_gate_name(gate)) {
      return fail(ErrorKind::usage, "bad_gate", "--gate: '" + gate + "' is not the name of a gate",
                  "write a word such as deploy, or a tool call such as 'Bash(git push*)'");
    }
    if (std::ranges::find(gates, gate) == gates.end()) gates.push_back(gate);
  }
  for (std::string& gate : gates_in_task(request.task)) {
    if (std::ranges::find(gates, gate) == gates.end()) gates.push_back(std::move(gate));
  }
  if (gates.size() <= kMaxJobGates) return gates;
  return fail(ErrorKind::usage, "bad_gate",
              "--gate and the task name " + std::to_string(gates.size()) + " gates or more; at most " +
                  std::to_string(kMaxJobGates) + " are possible",
              "a pattern such as 'deploy*' stands for several");
}

/// A dispatch may not make the daemon call any address: only those below what the configuration names.
Status check_callback(const Config& config, const wire::DispatchJobT& request) {
  constexpr std::size_t kMostUrlBytes = 2'000;
  const std::string& url = request.callback_url;
  if (url.empty()) return {};
  const std::string low = lower_case(url);
  const bool plain = std::ranges::all_of(url, [](char c) { return c > ' ' && c < 0x7f; });
  const auto has = [&low](const char* part) { return low.find(part) != std::string::npos; };
  // What a server could decode twice, or as the end of the path, or in spite of being no UTF-8.
  const std::string_view path = std::string_view(low).substr(0, low.find('?'));
  const bool sly = std::ranges::any_of(std::array{"%25", "%0", "%1", "%c0", "%c1"}, [path](const char* part) {
    return path.find(part) != std::string_view::npos;
  });
  // A path that leads up again would leave what is named.
  if (!plain || sly || url.size() > kMostUrlBytes || has("..") || has("%2e") || has("%2f") || has("%5c") ||
      has("#") || has("\\")) {
    return fail(ErrorKind::usage, "bad_callback_url",
                "the callback URL has over 2000 bytes, other characters than those of URLs, a #, or a path "
                "with .., %25 or control characters",
                "percent-encode what is special in it");
  }
  const bool known = std::ranges::any_of(config.webhooks, [&](const auto& entry) {
    const WebhookConfig& hook = entry.second;
    const bool of_project =
        hook.projects.empty() || std::ranges::find(hook.projects, request.project) != hook.projects.end();
    return hook.callbacks && of_project && url.starts_with(hook.url);
  });
  if (known) return {};
  return fail(ErrorKind::refused, "callback_not_allowed",
              "no webhook of project " + request.project + " takes callbacks to this URL",
              "a [[webhooks]] with callbacks = true and the beginning of the URL as its url does");
}

/// `spec` already has its exit codes.
void fill_retries(schema::JobSpecT& spec, const wire::DispatchJobT& request, const Config& config) {
  const bool asked = request.retries != ~0u;
  spec.retries = asked ? request.retries : config.retry.max;
  if (asked) honour_asked_retries(spec);
  spec.retry_backoff_ms = config.retry.backoff_ms;
  spec.retry_jitter_percent = static_cast<std::uint8_t>(std::lround(config.retry.jitter * 100));
}

/// A job that waited in another tool's queue keeps its place in time, which others could use to get ahead.
Status take_origin(QueueJob& job, const Caller& caller, const wire::DispatchJobT& request) {
  job.enqueued = std::max<TimeUs>(0, request.enqueued_us);
  job.enqueued_by = bounded_utf8(request.enqueued_by, kMaxOriginBytes);
  job.skill_match = bounded_utf8(request.skill_match, kMaxOriginBytes);
  const bool is_plain = job.enqueued == 0 && job.enqueued_by.empty() && job.skill_match.empty();
  if (is_plain || caller.trusted) return {};
  return fail(ErrorKind::refused, "user_not_allowed",
              "the user " + caller.name + " may not import jobs from another queue",
              "root or the daemon's user runs luzia import");
}

/// Who holds a job for an order releases it: luzia-fleet, which runs as the daemon's user. `account`: as whom
/// the job will run.
Status take_order(QueueJob& job, const Caller& caller, const wire::DispatchJobT& request, RunAs& run_as,
                  const JobAccount& account) {
  constexpr std::size_t kMostOrderBytes = 200;
  if (request.order.empty()) return {};
  if (!caller.trusted) {
    return fail(ErrorKind::refused, "user_not_allowed",
                "the user " + caller.name + " may not hold a job for an order of a fleet",
                "root or the daemon's user runs luzia-fleet");
  }
  if (!is_plain_line(request.order, kMostOrderBytes)) {
    return fail(ErrorKind::usage, "bad_order", "the order's id is over 200 bytes or has control characters");
  }
  job.order = request.order;
  return run_as.may_order(request.project, account.uid, account.name);
}

/// KEY=VALUE entries, each ended by a NUL; later ones win.
std::string environment_text(const AgentProfile& profile, const wire::DispatchJobT& request,
                             const JobPermissions& permissions) {
  std::string env;
  for (const auto& [key, value] : profile.env) env.append(key).append("=").append(value).push_back('\0');
  for (const std::string& entry : request.env) env.append(entry).push_back('\0');
  for (const auto& [key, value] : permissions.variables())
    env.append(key).append("=").append(value).push_back('\0');
  return env;
}

void fill_budgets(schema::JobSpecT& spec, const wire::DispatchJobT& request, const Config& config) {
  const auto& budgets = config.budgets;
  spec.budget_time_ms = bounded_by(budgets.time_ms, request.budget_time_ms, request);
  spec.budget_cost_usd = bounded_by(budgets.cost_usd, request.budget_cost_usd, request);
  spec.budget_tokens = bounded_by(budgets.tokens, request.budget_tokens, request);
}

void fill_account(schema::JobSpecT& spec, const JobAccount& account) {
  spec.user = account.name;
  spec.uid = account.uid;
  spec.gid = account.gid;
  spec.home = account.home;
}

/// What a request says of its job that needs no decision.
void fill_asked(schema::JobSpecT& spec, const wire::DispatchJobT& request) {
  spec.project = request.project;
  spec.timeout_ms = request.timeout_ms;
  spec.estimate_ms = request.estimate_ms;
  spec.worktree = request.worktree;
  spec.tags = request.tags;
  spec.flow = request.flow;
  spec.step = request.step;
  spec.parent_job = request.parent_job;
  spec.interactive = request.interactive;
  spec.callback_url = request.callback_url;
}

}  // namespace

bool may_pass(const Error& error) {
  return error.code == "out_of_resources" || error.code == "directory_silent";
}

Result<const ProjectConfig*> find_project(const Config& config, const Caller& caller,
                                          const std::string& project) {
  const auto it = config.projects.find(project);
  if (it == config.projects.end() || !may_use(config, caller, project)) {
    const std::string known = caller.trusted ? known_names(config.projects, project) : "";
    return fail(caller.trusted ? ErrorKind::usage : ErrorKind::refused, "unknown_project",
                "no project '" + project + "' is configured" + (caller.trusted ? "" : " for " + caller.name),
                (known.empty() ? std::string() : known + "; ") +
                    "for a new one: luzia project add DIR --name " + shell_quote(project));
  }
  return &it->second;
}

Status Intake::fill_agent(schema::JobSpecT& spec, const AgentProfile& profile, const ProjectConfig& project,
                          const JobPermissions& permissions) const {
  if (permissions.only_reads()) LUZIA_TRY(keep_from_changes(spec, profile));
  spec.command = permissions.in(profile.command);
  spec.stdin_prompt = profile.stdin_prompt;
  spec.output_format = profile.output;
  spec.resume_command = permissions.in(profile.resume);
  spec.permissions = permissions.word();
  spec.pass_env = passed_variables(spec.agent, profile);
  if (const Agent* known = agent_of(spec.agent, profile.command)) spec.login_help = known->login_help;
  spec.limit_resumes = profile.limit_resumes;
  spec.login_wait_ms = profile.login_wait_ms;
  SecretPlaces secrets = project.secrets;
  secrets.insert(profile.secrets.begin(), profile.secrets.end());
  for (const auto& [name, place] : secrets) {
    schema::SecretSourceT secret;
    secret.name = name;
    secret.kind = place.kind;
    secret.source = place.source;
    spec.secrets.push_back(std::make_unique<schema::SecretSourceT>(std::move(secret)));
  }
  for (const auto& [code, meaning] : profile.exit_codes) {
    auto entry = std::make_unique<schema::ExitCodeT>();
    entry->code = code;
    entry->meaning = meaning;
    spec.exit_codes.push_back(std::move(entry));
  }
  return {};
}

Status Intake::check_directory(const wire::DispatchJobT& request, const std::string& path,
                               const JobAccount& account, TimeUs now) {
  const bool just_seen = path == seen_directory_ && account.uid == seen_by_ && now >= seen_at_ &&
                         now - seen_at_ < kDirectoryLookUs;
  if (just_seen) return {};
  const bool is_own = account.uid == geteuid();
  const PatientLook::Look look =
      is_own ? PatientLook::Look(is_directory) : may_enter_as(account.name, account.uid, account.gid);
  const auto found = path.starts_with('/') ? directories_.ask(path, look) : PatientLook::Answer::no;
  if (found == PatientLook::Answer::silent) {
    return fail(
        ErrorKind::trouble, "directory_silent", "the directory '" + path + "' does not answer",
        "see whether its file system is a network mount that is gone (findmnt -T); then dispatch again");
  }
  if (found == PatientLook::Answer::no) {
    return fail(
        ErrorKind::usage, "no_directory",
        "there is no directory '" + path + "'" + (is_own ? "" : " that " + account.name + " may enter"),
        request.dir.empty() ? "correct path of [projects." + request.project + "] in luzia.toml"
                            : "give an existing absolute path with --dir");
  }
  if (found == PatientLook::Answer::not_asked) return {};  // if there is none, the attempt reports it
  seen_directory_ = path;
  seen_by_ = account.uid;
  seen_at_ = now;
  return {};
}

/// Without a repository that check fails after all the work is done.
Status Intake::check_repository(const wire::DispatchJobT& request, const std::string& path) {
  const bool names_one = std::ranges::any_of(
      request.env, [](const std::string& entry) { return entry.starts_with("GIT_DIR="); });
  if (names_one || directories_.ask(path, may_have_repository) != PatientLook::Answer::no) return {};
  return fail(ErrorKind::usage, "no_repository",
              (request.verify_clean ? "--verify-clean: '" : "verify_clean of the project: '") + path +
                  "' is in no git repository, so nothing could be committed there",
              request.verify_clean ? "git init makes one; or leave --verify-clean out"
                                   : "git init makes one; --no-verify leaves the project's checks out");
}

Result<ToJob> Intake::queue_job(const Caller& caller, const wire::DispatchJobT& request, TimeUs now) {
  auto item = checked_job(caller, request, now);
  const bool unknown =
      !item && (item.error().code == "unknown_project" || item.error().code == "unknown_agent");
  if (!unknown || !refresh_ || !refresh_()) return item;
  return checked_job(caller, request, now);
}

Result<schema::JobSpecT> Intake::tracked_spec(const Caller& caller, const std::string& project) {
  auto known = find_project(config_, caller, project);
  if (!known && refresh_ && refresh_()) known = find_project(config_, caller, project);
  if (!known) return tl::unexpected(known.error());
  // Whoever could run a job as this account may publish about it: not the project's `user`.
  const auto account = LUZIA_TRY(run_as_.account_for(caller, {}, {}));
  schema::JobSpecT spec;
  spec.project = project;
  spec.user = account.name;
  spec.uid = account.uid;
  spec.gid = account.gid;
  return spec;
}

Result<ToJob> Intake::track_task(const Caller& caller, const wire::PublishT& request, TimeUs now) {
  TrackTask task;
  task.spec = LUZIA_TRY(tracked_spec(caller, request.project));
  task.job = ids_.next(now);
  task.task_id = request.task_id;
  task.started = *request.report.AsTaskStarted();
  task.started.task_id = request.task_id;
  task.started.project = request.project;
  const std::string& words = task.started.description;
  task.prompt = salts_.text(0, words.empty() ? request.task_id : words);
  const std::string id = task.job;
  return ToJob{id, std::move(task)};
}

ToJob Intake::track_work(schema::JobTrackedT work, std::string title, TimeUs now) {
  work.job = ids_.next(now);
  const std::string id = work.job;
  return {id, TrackWork{std::move(work), salts_.text(0, std::move(title))}};
}

Result<ToJob> Intake::checked_job(const Caller& caller, const wire::DispatchJobT& request, TimeUs now) {
  LUZIA_TRY(check_words(request));
  LUZIA_TRY(check_durations(request));
  const auto project = LUZIA_TRY(find_project(config_, caller, request.project));
  const std::string agent = !request.agent.empty()
                                ? request.agent
                                : (project->agent.empty() ? config_.defaults.agent : project->agent);
  const auto profile = config_.agents.find(agent);
  if (profile == config_.agents.end()) {
    return fail(ErrorKind::usage, "unknown_agent", "no agent '" + agent + "' is configured",
                known_names(config_.agents, agent) + "; for a new one add [agents." + toml_key(agent) +
                    "] with command = [...] to luzia.toml (luzia config path)");
  }
  const auto account = LUZIA_TRY(run_as_.account_for(caller, request.project, request.user));
  const std::string directory = request.dir.empty() ? project->path : request.dir;
  LUZIA_TRY(check_directory(request, directory, account, now));

  QueueJob job;
  job.job = ids_.next(now);
  job.priority =
      request.priority != 255 ? request.priority : project->priority.value_or(config_.defaults.priority);
  job.after = request.after;
  job.not_before = request.not_before_us;
  LUZIA_TRY(take_origin(job, caller, request));
  LUZIA_TRY(take_order(job, caller, request, run_as_, account));
  schema::JobSpecT& spec = job.spec;
  fill_asked(spec, request);
  spec.agent = agent;
  spec.working_dir = directory;
  spec.job_dir = default_jobs_root(config_) + "/" + job.job;
  fill_account(spec, account);
  LUZIA_TRY(fill_sandbox(spec, caller, request, configured_sandbox(config_, *project, profile->second),
                         profile->second));
  const auto permissions =
      LUZIA_TRY(permissions_of(caller, request, *project, {agent, profile->second}, spec.sandbox != nullptr));
  LUZIA_TRY(fill_agent(spec, profile->second, *project, permissions));
  spec.preflight = project->preflight;
  spec.preflight_timeout_ms = config_.jobs.preflight_timeout_ms;
  spec.snapshot = project->snapshot.value_or(config_.git.snapshot && agent != kShellAgent);
  spec.snapshot_max_bytes = config_.git.snapshot_max_file;
  spec.kill_grace_ms = config_.jobs.kill_grace_ms;
  fill_retries(spec, request, config_);
  fill_budgets(spec, request, config_);
  LUZIA_TRY(fill_limits(spec, request, config_, *project, profile->second));
  LUZIA_TRY(give_terminal(spec, profile->second, request));
  spec.prompt_template = LUZIA_TRY(template_of(config_, *project, request));
  spec.gates = LUZIA_TRY(gates_of(request));
  LUZIA_TRY(fill_verification(spec, request, config_, *project));
  if (wants_clean(request, *project)) LUZIA_TRY(check_repository(request, directory));
  LUZIA_TRY(check_callback(config_, request));
  spec.auto_fix = config_.issues.allow_auto_fix || project->allow_auto_fix;

  job.prompt = salts_.text(0, request.task);
  std::string env = environment_text(profile->second, request, permissions);
  if (!env.empty()) job.env = salts_.text(1, std::move(env));
  const auto fallbacks = LUZIA_TRY(fallbacks_of(config_, request, agent));
  LUZIA_TRY(add_fallbacks(job, fallbacks, [&](const std::string& other) -> Result<QueueJob> {
    wire::DispatchJobT asked = request;
    asked.agent = other;
    asked.fallback = {std::string(kNoFallback)};
    QueueJob made = std::get<QueueJob>(LUZIA_TRY(checked_job(caller, asked, now)).command);
    const bool only_reads = spec.sandbox && spec.sandbox->only_reads && made.spec.sandbox;
    if (only_reads) LUZIA_TRY(keep_from_changes(made.spec, config_.agents.at(other)));
    return made;
  }));
  const std::string id = job.job;
  return ToJob{id, std::move(job)};
}

}  // namespace luzia
