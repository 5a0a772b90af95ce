#include "tests/simulation/clients.h"

#include "tests/simulation/flow_commands.h"
#include "tests/simulation/input_commands.h"
#include "tests/simulation/learning_commands.h"
#include "tests/simulation/told_rules.h"

namespace luzia::test {
namespace {

std::string id_of(std::size_t which) {
  return "command-" + std::to_string(which);
}

/// A job that another tool ran. Each read of its folder gives the same job, except for its end.
ImportJob done_elsewhere(Dice& dice, const std::string& id) {
  ImportJob import;
  import.fact.job = id;
  import.fact.spec = std::make_unique<schema::JobSpecT>();
  import.fact.spec->project = "alpha";
  import.fact.spec->agent = "shell";
  import.fact.state = dice.one_in(2) ? schema::JobState::completed : schema::JobState::failed;
  import.fact.reason = schema::EndReason::imported;
  import.fact.queued_us = import.fact.started_us = kSecondUs;
  import.fact.ended_us = 2 * kSecondUs;
  import.prompt = {0, std::string(16, 's'), "was done elsewhere"};
  return import;
}

}  // namespace

QueueJob Clients::queue_job() {
  QueueJob job;
  job.job = "j" + std::to_string(jobs_.size() + 1);
  job.spec.project = dice_.one_in(2) ? "alpha" : "beta";
  job.spec.agent = dice_.one_in(3) ? "claude" : "shell";
  if (dice_.one_in(4)) job.spec.tags = {"gpu"};
  job.spec.kill_grace_ms = 5'000;
  job.spec.timeout_ms = dice_.one_in(3) ? 30'000 : 0;
  job.spec.retries = static_cast<std::uint32_t>(dice_.below(3));
  job.spec.retry_backoff_ms = dice_.below(4'000);
  job.spec.limit_resumes = static_cast<std::uint32_t>(dice_.below(3));
  if (dice_.one_in(2)) job.spec.login_wait_ms = 60'000;
  if (dice_.one_in(4)) {
    auto other = std::make_unique<schema::JobSpecT>(job.spec);
    other->agent = job.spec.agent == "claude" ? "codex" : "claude";
    job.spec.fallbacks.push_back(std::move(other));
  }
  if (dice_.one_in(3)) {
    job.spec.limits = std::make_unique<schema::AttemptLimitsT>();
    job.spec.limits->memory_bytes = kMemoryLimit;
  }
  job.priority = static_cast<std::uint8_t>(dice_.below(10));
  job.prompt = Blob{0, std::string(16, 's'), "do " + job.job};
  auto code = std::make_unique<schema::ExitCodeT>();
  code->code = 1;
  code->meaning = schema::ExitMeaning::retriable_failure;
  job.spec.exit_codes.push_back(std::move(code));
  auto asks = std::make_unique<schema::ExitCodeT>();
  asks->code = 2;
  asks->meaning = schema::ExitMeaning::needs_clarification;
  job.spec.exit_codes.push_back(std::move(asks));
  if (dice_.one_in(4) && !jobs_.empty()) job.after = {jobs_[dice_.below(jobs_.size())]};
  if (!flows_.empty() && dice_.one_in(6)) join_a_flow(job);
  jobs_.push_back(job.job);
  return job;
}

/// Imports new jobs together with some that were imported before.
std::vector<ToJob> Clients::import_jobs(std::string& words) {
  words = "import";
  std::vector<ToJob> batch;
  for (std::uint64_t count = 1 + dice_.below(3); count > 0; --count) {
    std::string id = "i" + std::to_string(imported_.size() + 1);
    if (!imported_.empty() && dice_.one_in(3)) {
      id = imported_[dice_.below(imported_.size())];
    } else {
      imported_.push_back(id);
      jobs_.push_back(id);
    }
    words += " " + id;
    batch.push_back({id, done_elsewhere(dice_, id)});
  }
  return batch;
}

void Clients::join_a_flow(QueueJob& job) {
  job.spec.flow = flows_[dice_.below(flows_.size())];
  job.spec.step = "s" + std::to_string(dice_.below(4));
}

/// Ended flows that the lists contain.
std::vector<std::string> Clients::ended_flows() const {
  std::vector<std::string> ended;
  for (const auto& [id, flow] : rules_.flows().flows()) {
    if (flow.state != view::FlowState::active && flow.removed_us == 0) ended.push_back(id);
  }
  return ended;
}

Command Clients::job_command(std::string& words, TimeUs now) {
  const std::string job = jobs_[dice_.below(jobs_.size())];
  const auto send = [&](const std::string& what, JobCommand command) -> Command {
    words = what + " " + job;
    return std::vector<ToJob>{{job, std::move(command)}};
  };
  if (dice_.one_in(3)) {
    std::string what;
    JobCommand command = random_input_command(dice_, sent_.size(), now, what);
    return send(what, std::move(command));
  }
  const auto known = rules_.jobs().find(job);
  if (known != rules_.jobs().end() && dice_.one_in(5)) {
    std::string what;
    JobCommand command = random_told_command(dice_, known->second, sent_.size(), what);
    return send(what, std::move(command));
  }
  if (known != rules_.jobs().end() && is_terminal(known->second.state) && dice_.one_in(4)) {
    if (dice_.one_in(2)) return send("remove", rules_.removals().command(dice_, known->second));
    const bool all = dice_.one_in(2);
    return send(all ? "expire the directory of" : "expire the output of",
                ExpireFiles{all ? schema::KeptFiles::directory : schema::KeptFiles::output, "jobs = 1d", 1});
  }
  switch (dice_.below(9)) {
    case 7:
      return send("reschedule",
                  RescheduleJob{now + static_cast<TimeUs>(dice_.below(30)) * kSecondUs, "later"});
    case 0:
      return send("hold", HoldJob{"wait"});
    case 1:
      return send("release", ReleaseJob{});
    case 2:
      return send("pause", PauseJob{});
    case 3:
      return send("resume", ResumeJob{});
    case 4:
      return send("retry", RetryJob{"again"});
    case 5:
      return send("reprioritize", ReprioritizeJob{static_cast<std::uint8_t>(dice_.below(10))});
    case 6: {
      const bool at_once = dice_.one_in(3);
      return send(at_once ? "kill" : "cancel",
                  CancelJob{at_once ? std::optional<std::uint64_t>(0) : std::nullopt, "enough"});
    }
    default: {
      PublishReport publish;
      schema::ProgressReportedT progress;
      progress.progress_percent = static_cast<double>(dice_.below(101));
      publish.report.Set(std::move(progress));
      return send("publish", std::move(publish));
    }
  }
}

Clients::Sent Clients::new_command(TimeUs now) {
  Sent sent;
  if (jobs_.empty() || dice_.one_in(3)) {
    std::vector<ToJob> batch;
    for (std::uint64_t count = 1 + (dice_.one_in(5) ? dice_.below(3) : 0); count > 0; --count) {
      QueueJob job = queue_job();
      sent.words += "queue " + job.job + (job.after.empty() ? "" : " after " + job.after[0]) + " ";
      const std::string id = job.job;
      batch.push_back({id, std::move(job)});
    }
    sent.command = std::move(batch);
  } else if (dice_.one_in(10)) {
    const std::string id = "f" + std::to_string(flows_.size() + 1);
    sent.command = random_flow(dice_, id, sent.words);
    flows_.push_back(id);
  } else if (!flows_.empty() && dice_.one_in(4)) {
    const std::vector<std::string> ended = ended_flows();
    if (ended.empty() || dice_.one_in(2)) {
      sent.command = random_flow_command(dice_, flows_, sent.words);
    } else {
      sent.command = ToFlow{ended[dice_.below(ended.size())], RemoveFlow{"done with"}};
      sent.words = "remove " + std::get<ToFlow>(sent.command).flow;
    }
  } else if (dice_.one_in(10)) {
    sent.command = random_learning_command(dice_, sent.words);
  } else if (dice_.one_in(15)) {
    const std::string job = "r" + std::to_string(sent_.size() + 1);
    sent.command = random_schedule_command(dice_, rules_.schedules().schedules(), now, job, sent.words);
  } else if (dice_.one_in(15)) {
    sent.command = import_jobs(sent.words);
  } else if (dice_.one_in(12)) {
    const bool pause = dice_.one_in(2);
    const std::string project = dice_.one_in(3) ? "" : "alpha";
    sent.words = (pause ? "pause queue " : "resume queue ") + project;
    sent.command = ToQueue{project, pause, ""};
  } else if (dice_.one_in(20)) {
    const bool drain = dice_.one_in(2);
    sent.words = drain ? "drain" : "end the drain";
    sent.command = ToDrain{drain, ""};
  } else if (dice_.one_in(20)) {
    sent.words = "let claude go on";
    sent.command = ToQueue{"", false, "logged in", "claude"};
  } else if (dice_.one_in(20)) {
    const std::string project = dice_.one_in(2) ? "" : "alpha";
    sent.words = "go over the budget of the day " + project;
    sent.command = ToQueue{project, false, "", "", true};
  } else {
    sent.command = job_command(sent.words, now);
  }
  return sent;
}

std::string Clients::send(Engine& engine, TimeUs now) {
  std::size_t which = sent_.size();
  const bool again = !sent_.empty() && dice_.one_in(4);
  if (again) {
    which = sent_.size() - 1 - dice_.below(std::min<std::size_t>(sent_.size(), 8));
  } else {
    sent_.push_back(new_command(now));
  }
  submit(engine, which, now);
  return (again ? "again: " : "") + sent_[which].words + " (" + id_of(which) + ")";
}

void Clients::submit(Engine& engine, std::size_t which, TimeUs now) {
  CommandMeta meta;
  meta.command_id = id_of(which);
  meta.digest = blake2b({as_bytes(meta.command_id)});
  meta.actor = schema::ActorKind::person;
  meta.uid = 1000;
  meta.now = now;
  engine.submit(meta, sent_[which].command,
                [this, which](const Result<Outcome>& answer) { answered(which, answer); });
}

void Clients::answered(std::size_t which, const Result<Outcome>& answer) {
  if (!answer) return;
  ++acknowledged_;
  Sent& sent = sent_[which];
  if (answer->position > log_.tip().position)
    broken_rule_ = id_of(which) + " was answered before it was durable";
  if (answer->repeated && !rules_.knows_command(id_of(which)) && rules_.check().empty() &&
      !rules_.knows_command(id_of(which)))
    broken_rule_ = id_of(which) + " is said to be a repetition and is not in the log";
  if (sent.promise && answer->repeated && answer->ids != sent.promise->ids)
    broken_rule_ = id_of(which) + " was answered differently the second time";
  if (!sent.promise) sent.promise = *answer;
}

std::string Clients::check_promises() const {
  for (std::size_t i = 0; i < sent_.size(); ++i) {
    const Sent& sent = sent_[i];
    if (!sent.promise) continue;
    for (const std::string& job : sent.promise->ids) {
      const bool known =
          rules_.jobs().contains(job) || rules_.flows().flows().contains(job) || rules_.learning().knows(job);
      if (!known) return id_of(i) + " was acknowledged and " + job + " is lost";
    }
    const auto* commands = std::get_if<std::vector<ToJob>>(&sent.command);
    const bool makes_jobs =
        commands != nullptr && std::holds_alternative<QueueJob>(commands->front().command);
    if (makes_jobs && !rules_.knows_command(id_of(i)))
      return id_of(i) + " was acknowledged and is not in the log";
  }
  return {};
}

void Clients::lift_all(Engine& engine, TimeUs now) {
  const auto send = [&](Command command) {
    CommandMeta meta;
    meta.now = now;
    engine.submit(meta, std::move(command), {});
  };
  for (const char* project : {"", "alpha"}) send(ToQueue{project, false, ""});
  send(ToDrain{false, ""});
  std::vector<std::string> jobs = jobs_;  // also the jobs of flows and schedules
  for (const auto& [job, state] : rules_.jobs()) {
    if (!state.spec->flow.empty() || !state.spec->schedule.empty()) jobs.push_back(job);
  }
  for (const std::string& job : jobs) {
    send(std::vector<ToJob>{{job, ReleaseJob{}}});
    send(std::vector<ToJob>{{job, ResumeJob{}}});
    settle_inputs(engine, job, now);
  }
  for (const std::string& flow : flows_) lift_flow(engine, flow, now);
}

}  // namespace luzia::test
