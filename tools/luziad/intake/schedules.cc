#include "tools/luziad/intake/schedules.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>

#include "adapters/config/nearest.h"
#include "engine/base/failpoint.h"
#include "tools/luziad/intake/preview.h"

namespace luzia {
namespace {

/// The timer does not count the time that the machine sleeps.
constexpr TimeUs kScheduleLook = kMinuteUs, kScheduleRetry = 5 * kSecondUs;

Overlap overlap_of(const ScheduleConfig& config) {
  return config.overlap == "queue"    ? Overlap::queue
         : config.overlap == "cancel" ? Overlap::cancel
                                      : Overlap::skip;
}

DuePolicy policy_of(const ScheduleConfig& config) {
  const Missed missed = config.missed == "skip"  ? Missed::skip
                        : config.missed == "all" ? Missed::all
                                                 : Missed::once;
  return {missed, overlap_of(config)};
}

wire::DispatchJobT request_of_schedule(const ScheduleConfig& config) {
  wire::DispatchJobT request;
  request.project = config.project;
  request.task = config.task;
  request.agent = config.agent;
  request.priority = config.priority.value_or(request.priority);
  request.tags = config.tags;
  request.verify = config.verify;
  request.dir = config.dir;
  request.user = config.user;
  request.prompt_template = config.prompt;
  request.permissions = config.permissions;
  request.timeout_ms = config.timeout_ms;
  request.budget_time_ms = config.budget_time_ms;
  request.budget_cost_usd = config.budget_cost_usd;
  request.budget_tokens = config.budget_tokens;
  request.retries = config.retries.value_or(request.retries);
  request.worktree = config.worktree;
  return request;
}

std::string error_text(const Error& error) {
  return error.message + (error.hint.empty() ? "" : " (" + error.hint + ")");
}

}  // namespace

const Schedule* Schedules::find(const std::string& name) const {
  const auto& all = desk_.engine.schedules().all();
  const auto found = all.find(name);
  return found == all.end() || found->second.dropped_us != 0 ? nullptr : &found->second;
}

const Recurrence* Schedules::rule_of(const std::string& name) {
  const auto rule = rules_.find(name);
  if (rule == rules_.end() || !rule->second) return nullptr;
  if (const Schedule* state = find(name)) rule->second->anchor = state->set_us;
  return &*rule->second;
}

void Schedules::begin() {
  begun_ = true;
  look();
}

/// On a separate turn: it may be called while a job of a schedule is built.
void Schedules::config_changed() {
  config_changed_ = true;
  if (timer_ && begun_) timer_->start(0, [this] { look(); });
}

void Schedules::read_rules() {
  rules_.clear();
  for (const auto& [name, config] : desk_.config.schedules) {
    const auto rule = rules_.emplace(name, recurrence_of(config, 0)).first;
    if (!rule->second) spdlog::warn("schedule {}: {}", name, error_text(rule->second.error()));
  }
}

void Schedules::set_all() {
  const TimeUs now = wall_now();
  for (auto& [name, rule] : rules_) {
    const ScheduleConfig& config = desk_.config.schedules.at(name);
    const Schedule* state = find(name);
    const std::string fault = rule ? std::string() : rule.error().message;
    const bool same = state != nullptr && state->project == config.project &&
                      state->rule == rule_text(config) && state->time_zone == config.time_zone &&
                      state->fault == fault;
    // If the clock was ahead by days, due times of that future are settled: they would not come for as long.
    const bool from_the_future = same && std::max(state->set_us, state->last_us) > now + kDayUs;
    if (same && !from_the_future) continue;
    if (rule) rule->anchor = now;
    const TimeUs next = rule ? next_due(*rule, now) : 0;
    submit({name, SetSchedule{config.project, rule_text(config), config.time_zone, next, fault}}, now);
  }
  std::vector<std::string> dropped;
  for (const auto& [name, state] : desk_.engine.schedules().all()) {
    if (state.dropped_us == 0 && !desk_.config.schedules.contains(name)) dropped.push_back(name);
  }
  for (const std::string& name : dropped) submit({name, DropSchedule{}}, now);
}

/// On a separate turn: the engine has yet to notify others of this end.
void Schedules::job_changed(const JobState& job) {
  if (!timer_ || !begun_ || !is_terminal(job.state) || !job.spec || job.spec->schedule.empty()) return;
  timer_->start(0, [this] { look(); });
}

void Schedules::clock_stepped(TimeUs /*step*/) {
  if (begun_ && !config_changed_) set_all();
  look();
}

void Schedules::look() {
  if (!timer_ || !begun_ || threads_.stopping.stop_requested()) return;
  if (std::exchange(config_changed_, false)) {
    read_rules();
    set_all();
  }
  const TimeUs now = wall_now();
  const auto configured = desk_.config.schedules;
  for (const auto& [name, config] : configured) settle(name, config, now);
  arm(now);
}

void Schedules::arm(TimeUs now) {
  TimeUs at = config_changed_ ? now : failing_.empty() ? 0 : now + kScheduleRetry;
  for (const auto& [name, config] : desk_.config.schedules) {
    const Schedule* state = find(name);
    if (state == nullptr || state->paused_us != 0 || state->next_us == 0) continue;
    // What is due already waits for the end of a job, or for the next try.
    at = earlier_moment(
        at, state->next_us > now ? std::min(state->next_us, now + kScheduleLook) : now + kScheduleLook);
  }
  if (at == 0) return timer_->stop();
  timer_->start(static_cast<std::uint64_t>((at - now) / kMillisecondUs) + 1, [this] { look(); });
}

void Schedules::settle(const std::string& name, const ScheduleConfig& config, TimeUs now) {
  const Recurrence* rule = rule_of(name);
  for (std::uint64_t i = 0; rule != nullptr && i < kMostCaughtUp; ++i) {
    const Schedule* state = find(name);
    if (state == nullptr) return;
    const bool lives = desk_.engine.schedules().last_lives(*state);
    const Position before = state->position;
    auto command = due_command(*state, *rule, policy_of(config), lives, now);
    if (!command) return;
    ToSchedule item{name, *std::move(command)};
    if (!lives && !add_job(name, config, item, now)) return;
    submit(std::move(item), now);
    const Schedule* after = find(name);
    if (after == nullptr || after->position == before) return;  // refused; tried again later
  }
}

bool Schedules::add_job(const std::string& name, const ScheduleConfig& config, ToSchedule& item, TimeUs now) {
  auto* due = std::get_if<SettleDue>(&item.command);
  auto* take_up = std::get_if<TakeUpDue>(&item.command);
  if (due != nullptr && due->too_late) return true;
  auto job = job_of(name, config, daemon_itself(), now);
  if (!job && may_pass(job.error())) {
    if (failing_.insert(name).second) spdlog::warn("schedule {} waits: {}", name, job.error().message);
    return false;
  }
  failing_.erase(name);
  std::string& id = due != nullptr ? due->job : take_up->job;
  std::string& refused = due != nullptr ? due->refused : take_up->refused;
  if (job) {
    id = job->job;
    item.job = std::move(*job);
  } else {
    refused = error_text(job.error());
    spdlog::warn("schedule {}: no job: {}", name, refused);
  }
  return true;
}

Result<ToJob> Schedules::job_of(const std::string& name, const ScheduleConfig& config, const Caller& caller,
                                TimeUs now) {
  auto job = intake_.queue_job(caller, request_of_schedule(config), now);
  if (!job) return job;
  auto& queue = std::get<QueueJob>(job->command);
  queue.spec.schedule = name;
  LUZIA_TRY(check_start_size(queue));
  return job;
}

void Schedules::submit(ToSchedule item, TimeUs now) {
  const std::string name = item.schedule;
  const Schedule* state = find(name);
  CommandMeta meta = by_daemon(now, state != nullptr ? state->position : 0);
  meta.uid = geteuid();
  if (item.job) {
    meta.command_id = "schedule/" + name + "/" + std::to_string(meta.cause);
    meta.digest = blake2b({as_bytes(meta.command_id)});
  }
  const bool dispatches = item.job.has_value();
  desk_.engine.submit(meta, std::move(item), [this, name, dispatches](const Result<Outcome>& done) {
    if (dispatches) failpoint("schedule.durable");
    if (done) {
      failing_.erase(name);
      return;
    }
    if (failing_.insert(name).second) spdlog::warn("schedule {} waits: {}", name, done.error().message);
    if (timer_) arm(wall_now());
  });
  if (dispatches) failpoint("schedule.submitted");
}

// ----------------------------------------------------------------------------------------- requests

Status Schedules::check_known(const Caller& caller, const std::string& name) const {
  const Schedule* state = find(name);
  const auto its = desk_.config.schedules.find(name);
  // The log may not yet have the project that it would run in.
  if (state != nullptr && its != desk_.config.schedules.end() &&
      (caller.trusted || may_use(desk_.config, caller, its->second.project)))
    return {};
  std::vector<std::string> names;
  for (const auto& [each, config] : desk_.config.schedules) {
    if (caller.trusted || may_use(desk_.config, caller, config.project)) names.push_back(each);
  }
  const std::string near = nearest_name(name, names);
  return fail(ErrorKind::not_found, "no_such_schedule", "no schedule '" + name + "' is configured",
              near.empty() ? "luzia schedule list shows them" : "did you mean " + near + "?");
}

Status Schedules::may_run(const Caller& caller, const std::string& project, const ScheduleConfig& config) {
  const JobAccount its = LUZIA_TRY(intake_.run_as().account_for(daemon_itself(), project, config.user));
  const auto own = intake_.run_as().account_for(caller, project, config.user);
  if (own && own->uid == its.uid) return {};
  return fail(ErrorKind::refused, "user_not_allowed",
              caller.name + " may not let run what runs as " + its.name,
              "dispatch the task yourself: luzia dispatch " + project + " TASK");
}

Status Schedules::act(const RequestId& to, const Caller& caller, const wire::ActOnSchedule& request) {
  wire::ActOnScheduleT copy;
  request.UnPackTo(&copy);
  LUZIA_TRY(check_known(caller, copy.schedule));
  const CommandMeta meta = meta_of(caller, copy, schema::ActorKind::person);
  const ScheduleConfig config = desk_.config.schedules.at(copy.schedule);  // a copy, as in settle()
  ToSchedule item{copy.schedule, PauseSchedule{copy.note}};
  if (copy.action != wire::ScheduleAction::pause) {
    LUZIA_TRY(may_run(caller, config.project, config));
  }
  if (copy.action == wire::ScheduleAction::resume) {
    const Recurrence* rule = rule_of(copy.schedule);
    item.command = ResumeSchedule{copy.note, rule != nullptr ? next_due(*rule, meta.now) : kNeverDue};
  } else if (copy.action == wire::ScheduleAction::run) {
    auto job = LUZIA_TRY(job_of(copy.schedule, config, daemon_itself(), meta.now));
    item.command = RunSchedule{overlap_of(config), job.job};
    item.job = std::move(job);
  }
  LUZIA_TRY(submit_and_reply(desk_, to, meta, std::move(item)));
  look();
  return {};
}

}  // namespace luzia
