#include "tests/simulation/log_rules.h"

#include <algorithm>

namespace luzia::test {
namespace {

bool has_attempt(const JobState& job) {
  using schema::JobState;
  return (job.state == JobState::starting || job.state == JobState::running ||
          job.state == JobState::waiting) &&
         !job.attempt_over;
}

std::string name_of(const std::string& job, std::uint32_t attempt) {
  return "attempt " + std::to_string(attempt) + " of " + job;
}

}  // namespace

const std::string& LogRules::check() {
  for (auto group = cursor_->next(); group && *group; group = cursor_->next()) {
    for (const schema::Event* event : (*group)->events()) take(*event);
  }
  return broken_;
}

void LogRules::take(const schema::Event& event) {
  if (event.position() != ++position_)
    broken("the log has a hole before " + std::to_string(event.position()));
  const std::string stream(text(event.stream()));
  if (event.version() != ++versions_[stream]) broken("stream " + stream + " has a gap");
  const std::string id(text(event.command_id()));
  const bool first_of_command = event.command_digest() != nullptr && event.command_digest()->size() > 0;
  if (first_of_command && !commands_.insert(id).second) broken("command " + id + " took effect twice");
  if (const auto* queue = event.payload_as_QueueEvent()) take_switch(*queue);
  if (const std::string wrong = flows_.take(event, jobs_); !wrong.empty()) broken(wrong);
  if (const std::string wrong = learning_.take(event); !wrong.empty()) broken(wrong);
  if (const std::string wrong = schedules_.take(event, jobs_); !wrong.empty()) broken(wrong);
  const std::string name(job_of_stream(stream));
  if (name.empty()) return;
  JobState& job = jobs_[name];
  if (const auto* fact = event.payload_as_JobEvent()) take_job_fact(job, *fact, event.time_us());
  if (const auto* output = event.payload_as_OutputEvent()) {
    if (const auto* fact = output->fact_as_OutputAppended()) reads(job, *fact);
  }
  if (const std::string wrong = inputs_.take(event, job); !wrong.empty()) broken(wrong);
  if (const std::string wrong = told_.take(event, job); !wrong.empty()) broken(wrong);
  if (const std::string wrong = removals_.take(event, job, flows_); !wrong.empty()) broken(wrong);
  const JobUse before = use_of(job);
  evolve(job, event);
  if (const JobUse after = use_of(job); after != before) {
    // As the views fold it: if the clock was set back and a day comes again, its sums start at zero.
    for (const std::string& scope : {job.spec->project, std::string()})
      add_use(spending_[scope], before, after, event.time_us());
  }
  if (const std::string wrong = inputs_.agrees(job); !wrong.empty()) broken(wrong);
  const auto* life = event.payload_as_JobEvent();
  const bool is_start = life != nullptr && life->fact_as_AttemptStarting() != nullptr;
  // An answered job continues at once, even beyond a limit; in that mode a limit applies only to starts of
  // jobs that it counts.
  if (capacity_.waiting_holds_slot)
    check_limit(nullptr);
  else if (is_start)
    check_limit(&job);
}

void LogRules::begins(const JobState& job, const schema::JobEvent& event) {
  const auto* imported = event.fact_as_JobImported();
  const bool is_first = begins_job(event);
  if (is_first && !job.job.empty()) broken("job " + job.job + " was queued or imported twice");
  if (!is_first && job.job.empty()) broken("an event of a job before it was queued");
  if (imported == nullptr) return;
  imported_.emplace(text(imported->job()));
  if (!is_terminal(imported->state())) broken("an imported job has not ended");
}

void LogRules::take_job_fact(JobState& job, const schema::JobEvent& event, TimeUs time) {
  begins(job, event);
  if (const std::string wrong = troubles_.take(event, job); !wrong.empty()) broken(wrong);
  if (const auto* fact = event.fact_as_AttemptStarting()) starts(job, *fact, time);
  if (const auto* fact = event.fact_as_AttemptEnded()) attempt_ends(job, *fact);
  if (const auto* fact = event.fact_as_JobEnded()) job_ends(job, *fact);
  if (const auto* fact = event.fact_as_JobParked()) job_parks(job, *fact, time);
  if (const auto* fact = event.fact_as_AttemptStarted()) {
    const VirtualAttempt* real = machine_.find(job.job, fact->attempt());
    if (real == nullptr || real->agent_pid != fact->pid()) broken("a start that never was: " + job.job);
  }
  if (const auto* fact = event.fact_as_ExitRecordLate()) ends_[{job.job, fact->attempt()}].late = true;
}

void LogRules::starts(const JobState& job, const schema::AttemptStarting& fact, TimeUs time) {
  const std::string who = name_of(job.job, fact.attempt());
  if (fact.attempt() != job.attempt + 1) broken(who + " does not follow " + std::to_string(job.attempt));
  if (job.state != schema::JobState::queued) broken(who + " starts while the job is not queued");
  if (job.held) broken(who + " starts while the job is held");
  if (!job.after.empty()) broken(who + " starts before " + job.after.front());
  if (job.not_before_us > time) broken(who + " starts before its time");
  if (paused_.contains("") || paused_.contains(job.spec->project)) broken(who + " starts in a paused queue");
  if (parked_.contains(job.spec->agent)) broken(who + " starts while its agent's usage limit is reached");
  if (stopped_.contains(job.spec->project) && !capacity_.breaker.exempt_agents.contains(job.spec->agent))
    broken(who + " starts in a project that its failures stopped");
  if (draining_) broken(who + " starts while the daemon drains");
  if (imported_.contains(job.job)) broken(who + " starts, and was done elsewhere");
  for (const std::string& scope : {job.spec->project, std::string()}) {
    const TimeUs until = spending_[scope].until_us;
    // Setting the clock back by more than a day also ends the wait for the budget.
    if (until > time && until - time <= kDayUs) broken(who + " starts and the budget of the day is used up");
  }
}

void LogRules::attempt_ends(const JobState& job, const schema::AttemptEnded& fact) {
  const std::string who = name_of(job.job, fact.attempt());
  if (fact.attempt() != job.attempt) broken("a stale end: " + who);
  const auto [end, first] = ends_.try_emplace({job.job, fact.attempt()});
  if (!first) broken(who + " ended twice");
  end->second.lost = fact.evidence_lost();
  end->second.signal = fact.signal();
  if (fact.exit_code()) end->second.code = *fact.exit_code();
  end->second.start_error = !text(fact.start_error()).empty();
  const VirtualAttempt* real = machine_.find(job.job, fact.attempt());
  if (real == nullptr) return;  // luzia-run was never started
  if (real->agent_alive) broken(who + " is said to have ended, and its agent lives");
  if (fact.evidence_lost() && real->record) broken(who + " is said to be lost, and left an exit record");
  const std::uint64_t scanned = job.checkpoint ? job.checkpoint->scanned_to : 0;
  if (scanned != real->output_bytes)
    broken(who + " ended with " + std::to_string(scanned) + " of " + std::to_string(real->output_bytes) +
           " bytes of its output read");
}

void LogRules::job_ends(const JobState& job, const schema::JobEnded& fact) {
  using schema::EndReason;
  if (!is_terminal(fact.state())) broken("job " + job.job + " ended in a state that is no end");
  if (never_ran(fact.state())) broken("job " + job.job + " ended in a state that the log has no word for");
  if (never_ran(state_after(fact)) && job.attempt > 0)
    broken("job " + job.job + " ran, as it is said not to");
  for (const auto& [key, attempt] : machine_.attempts()) {
    if (attempt.job == job.job && attempt.agent_alive)
      broken("job " + job.job + " ended while " + name_of(job.job, attempt.number) + " lives");
  }
  const auto end = ends_.find({job.job, job.attempt});
  const bool has_end = end != ends_.end() && job.attempt > 0;
  const EndReason reason = fact.reason();
  if (reason == EndReason::exit_code && (!has_end || !end->second.code)) broken(job.job + ": no exit code");
  if (reason == EndReason::signal && (!has_end || end->second.signal == 0)) broken(job.job + ": no signal");
  if (reason == EndReason::start_failed && (!has_end || !end->second.start_error))
    broken(job.job + ": no failed start");
  const bool is_lost = reason == EndReason::machine_restarted || reason == EndReason::runner_and_agent_gone;
  if (is_lost && (!has_end || !end->second.lost)) broken(job.job + ": nothing was lost");
  if (reason == EndReason::cancelled_before_start && has_attempt(job)) broken(job.job + ": it had started");
  const bool stopped =
      reason == EndReason::timed_out ||
      (reason == EndReason::cancelled && job.state != schema::JobState::parked && !job.attempt_over);
  if (stopped && !job.stop_requested) broken(job.job + ": nobody asked it to stop");
}

void LogRules::job_parks(const JobState& job, const schema::JobParked& fact, TimeUs time) {
  if (job.limit.empty()) broken("job " + job.job + " is parked and met no limit");
  if (job.stop_requested) broken("job " + job.job + " was asked to stop, and is parked");
  if (fact.until_us() <= time) broken("job " + job.job + " is parked until a moment that is over");
  const auto end = ends_.find({job.job, job.attempt});
  if (end == ends_.end() || !end->second.code || *end->second.code == 0)
    broken("job " + job.job + " is parked, and its agent did not fail");
}

void LogRules::reads(const JobState& job, const schema::OutputAppended& fact) {
  const std::uint64_t recorded = job.checkpoint ? job.checkpoint->scanned_to : 0;
  if (fact.from() != recorded || fact.to() < fact.from())
    broken("output of " + job.job + " is not read line after line: " + std::to_string(fact.from()) +
           " after " + std::to_string(recorded));
}

void LogRules::take_switch(const schema::QueueEvent& event) {
  if (const auto* fact = event.fact_as_QueuePaused()) paused_.emplace(text(fact->project()));
  if (const auto* fact = event.fact_as_BreakerOpened()) stopped_.emplace(text(fact->project()));
  if (const auto* fact = event.fact_as_BreakerClosed()) stopped_.erase(std::string(text(fact->project())));
  if (const auto* fact = event.fact_as_AgentParked()) parked_.emplace(text(fact->agent()));
  if (const auto* fact = event.fact_as_AgentUnparked()) parked_.erase(std::string(text(fact->agent())));
  if (const auto* fact = event.fact_as_QueueResumed()) paused_.erase(std::string(text(fact->project())));
  if (event.fact_as_DrainStarted()) {
    draining_ = true;
    ++drains_;
  }
  if (event.fact_as_DrainEnded()) draining_ = false;
  if (const auto* fact = event.fact_as_ProjectBudgetLifted()) {
    schema::ProjectBudgetLiftedT lifted;
    fact->UnPackTo(&lifted);
    lift_budget(spending_[lifted.project], lifted);
  }
  if (const auto* fact = event.fact_as_ProjectBudgetNoted()) {
    schema::ProjectBudgetNotedT noted;
    fact->UnPackTo(&noted);
    note_budget(spending_[noted.project], noted);
    if (noted.reached) ++budgets_used_up_;
  }
}

void LogRules::check_limit(const JobState* started) {
  std::size_t running = 0;
  std::map<std::string, std::uint32_t> projects, agents, tags;
  for (const auto& [name, job] : jobs_) {
    if (!has_attempt(job)) continue;
    if (job.state == schema::JobState::waiting && !capacity_.waiting_holds_slot) continue;
    ++running;
    ++projects[job.spec->project];
    ++agents[job.spec->agent];
    for (const std::string& tag : job.spec->tags) ++tags[tag];
  }
  if (running > capacity_.max_running) broken(std::to_string(running) + " attempts run at once");
  for (const auto& [project, count] : projects) {
    if (started != nullptr && started->spec->project != project) continue;
    if (capacity_.max_per_project != 0 && count > capacity_.max_per_project)
      broken(std::to_string(count) + " attempts of project " + project + " run at once");
  }
  for (const auto& [name, limit] : capacity_.of_agent) {
    if (started != nullptr && started->spec->agent != name) continue;
    if (agents[name] > limit) broken(std::to_string(agents[name]) + " of " + name + " run at once");
  }
  for (const auto& [name, limit] : capacity_.of_tag) {
    if (started != nullptr && std::ranges::count(started->spec->tags, name) == 0) continue;
    if (tags[name] > limit) broken(std::to_string(tags[name]) + " of " + name + " run at once");
  }
}

LogRules::Seldom LogRules::seldom() const {
  return {drains_,
          budgets_used_up_,
          imported_.size(),
          inputs_.escalations(),
          learning_.trials(),
          flows_.removals(),
          removals_.removals(),
          removals_.erased(),
          removals_.expired(),
          troubles_.limits(),
          troubles_.logins(),
          troubles_.reroutes(),
          told_.by_prompt(),
          told_.by_calls(),
          schedules_.runs(),
          schedules_.missed(),
          schedules_.waits()};
}

std::string LogRules::check_all_ends() const {
  for (const auto& [key, attempt] : machine_.attempts()) {
    const auto end = ends_.find(key);
    const std::string who = name_of(key.first, key.second);
    if (end == ends_.end()) return who + " ran, and its end is not in the log";
    if (!attempt.record || end->second.lost) continue;
    if (end->second.code != attempt.record->exit_code || end->second.signal != attempt.record->signal)
      return who + ": the log has another end than its exit record";
  }
  for (const auto& [name, job] : jobs_) {
    if (!is_terminal(job.state))
      return "job " + name + " never ended: " + schema::EnumNameJobState(job.state) + ", attempt " +
             std::to_string(job.attempt) + (job.held ? ", held" : "") + (job.paused ? ", paused" : "") +
             (job.after.empty() ? "" : ", after " + job.after.front());
  }
  return {};
}

}  // namespace luzia::test
