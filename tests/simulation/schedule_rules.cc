#include "tests/simulation/schedule_rules.h"

namespace luzia::test {
namespace {

const ConfiguredSchedule* find_configured(std::string_view name) {
  for (const ConfiguredSchedule& each : configured_schedules()) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

Recurrence rule_since(const ConfiguredSchedule& configured, TimeUs set) {
  Recurrence rule = configured.rule;
  rule.anchor = set;
  return rule;
}

std::vector<ConfiguredSchedule> make_schedules() {
  std::vector<ConfiguredSchedule> made(3);
  made[0] = {"often", {}, {Missed::once, Overlap::queue}};
  made[0].rule.every = 20 * kSecondUs;
  made[1] = {"each", {}, {Missed::all, Overlap::skip}};
  made[1].rule.every = 30 * kMinuteUs;
  made[2] = {"fields", {}, {Missed::skip, Overlap::cancel}};
  made[2].rule.cron = *parse_cron("*/2 * * * *");
  return made;
}

ToJob job_of(const std::string& schedule, const std::string& id) {
  QueueJob job;
  job.job = id;
  job.spec.project = "alpha";
  job.spec.agent = "shell";
  job.spec.kill_grace_ms = 5'000;
  job.spec.schedule = schedule;
  job.prompt = Blob{0, std::string(16, 's'), "the work of " + schedule};
  return {id, std::move(job)};
}

bool lives_in(const std::map<std::string, JobState>& jobs, const std::string& job) {
  const auto found = jobs.find(job);
  return found != jobs.end() && !is_terminal(found->second.state);
}

/// Step by step, unlike the code under test.
std::uint64_t times_between(const Recurrence& rule, TimeUs first, TimeUs end) {
  std::uint64_t count = 0;
  for (TimeUs time = first; time < end; time = next_due(rule, time)) ++count;
  return count;
}

}  // namespace

const std::vector<ConfiguredSchedule>& configured_schedules() {
  static const std::vector<ConfiguredSchedule> kSchedules = make_schedules();
  return kSchedules;
}

std::optional<ToSchedule> due_schedule_command(const ScheduleBook& book, TimeUs now, const std::string& job) {
  for (const ConfiguredSchedule& configured : configured_schedules()) {
    const auto known = book.all().find(configured.name);
    if (known == book.all().end()) {
      const TimeUs next = next_due(rule_since(configured, now), now);
      return ToSchedule{configured.name, SetSchedule{"alpha", configured.name, "UTC", next}};
    }
    const bool lives = book.last_lives(known->second);
    const Recurrence rule = rule_since(configured, known->second.set_us);
    auto command = due_command(known->second, rule, configured.policy, lives, now);
    if (!command) continue;
    if (auto* settle = std::get_if<SettleDue>(&*command)) settle->job = job;
    if (auto* take_up = std::get_if<TakeUpDue>(&*command)) take_up->job = job;
    return ToSchedule{configured.name, *std::move(command), job_of(configured.name, job)};
  }
  return std::nullopt;
}

ToSchedule random_schedule_command(Dice& dice, const std::map<std::string, Schedule>& known, TimeUs now,
                                   const std::string& job, std::string& words) {
  const auto& all = configured_schedules();
  const ConfiguredSchedule& configured = all[dice.below(all.size())];
  const auto state = known.find(configured.name);
  if (state == known.end() || dice.one_in(4)) {
    words = "pause schedule " + configured.name;
    return {configured.name, PauseSchedule{"enough"}};
  }
  if (dice.one_in(3)) {
    words = "run schedule " + configured.name;
    return {configured.name, RunSchedule{configured.policy.overlap, job}, job_of(configured.name, job)};
  }
  words = "resume schedule " + configured.name;
  return {configured.name, ResumeSchedule{"", next_due(rule_since(configured, state->second.set_us), now)}};
}

std::string ScheduleRules::settles(const Schedule& before, const schema::ScheduleDue& fact, TimeUs at) {
  const ConfiguredSchedule* configured = find_configured(before.schedule);
  const std::string what = "a due time of schedule " + before.schedule;
  if (configured == nullptr) return what + " comes before it is set";
  const Recurrence rule = rule_since(*configured, before.set_us);
  if (before.paused_us != 0) return what + " is settled during its pause";
  if (before.next_us == 0 || fact.due_us() < before.next_us) return what + " is settled twice";
  if (fact.due_us() > at) return what + " is settled before it is due";
  if (next_due(rule, fact.due_us() - 1) != fact.due_us()) return what + " is none of its rule";
  if (fact.missed() != times_between(rule, before.next_us, fact.due_us()))
    return what + " has another number of missed ones before it than it says";
  if (fact.next_us() != next_due(rule, fact.due_us())) return what + " is followed by a wrong one";
  missed_ += fact.missed();
  return {};
}

std::string ScheduleRules::dispatches(const Schedule& before, const schema::ScheduleDue& fact,
                                      const std::map<std::string, JobState>& jobs) {
  const std::string job(text(fact.job()));
  const std::string what = "schedule " + before.schedule + " dispatched " + job;
  const auto found = jobs.find(job);
  if (found == jobs.end() || found->second.spec->schedule != before.schedule)
    return what + ", which is no job of it";
  if (!jobs_.insert(job).second) return what + " twice";
  if (lives_in(jobs, before.last_job)) return what + " beside " + before.last_job;
  const auto asked = asked_.find(before.schedule);
  const bool by_person = fact.due_us() == 0 || (asked != asked_.end() && asked->second == fact.due_us());
  if (!by_person && !ran_.emplace(before.schedule, fact.due_us()).second)
    return what + " for a due time that had a job";
  return {};
}

std::string ScheduleRules::take(const schema::Event& event, const std::map<std::string, JobState>& jobs) {
  const auto* payload = event.payload_as_ScheduleEvent();
  if (payload == nullptr) return {};
  Schedule& schedule = schedules_[std::string(schedule_of_stream(text(event.stream())))];
  std::string wrong;
  if (payload->fact_as_ScheduleSet() != nullptr && schedule.position != 0)
    wrong = "schedule " + schedule.schedule + " is set again without news";
  if (const auto* fact = payload->fact_as_ScheduleDue()) {
    const bool waited = schedule.waiting_us != 0 && fact->due_us() == schedule.waiting_us;
    const bool by_person = fact->due_us() == 0, waits = fact->outcome() == schema::DueOutcome::waits;
    if (!waited && !by_person) wrong = settles(schedule, *fact, event.time_us());
    if (wrong.empty() && fact->outcome() == schema::DueOutcome::dispatched)
      wrong = dispatches(schedule, *fact, jobs);
    if (waits) ++waits_;
    if (waits && by_person) asked_[schedule.schedule] = event.time_us();
  }
  evolve(schedule, event);
  return wrong;
}

std::string ScheduleRules::check_ends(TimeUs now, const std::map<std::string, JobState>& jobs) const {
  for (const ConfiguredSchedule& configured : configured_schedules()) {
    const auto found = schedules_.find(configured.name);
    if (found == schedules_.end()) return "schedule " + configured.name + " was never set";
    const Schedule& schedule = found->second;
    if (schedule.paused_us != 0 || lives_in(jobs, schedule.last_job)) continue;
    if (schedule.waiting_us != 0) return "a due time of schedule " + configured.name + " waits for nothing";
    if (schedule.next_us <= now)
      return "a due time of schedule " + configured.name + " passed without a word";
  }
  return {};
}

}  // namespace luzia::test
