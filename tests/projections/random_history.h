// Random valid histories. decide() and evolve() drive the jobs; events of other domains, and of a future
// program version, stand between them. The same seed and compiler give the same history.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "engine/job/job.h"
#include "tests/projections/log_writer.h"
#include "tests/projections/random_agent_facts.h"
#include "tests/projections/random_devices.h"
#include "tests/projections/random_flows.h"
#include "tests/projections/random_inputs.h"
#include "tests/projections/random_learning.h"
#include "tests/projections/random_queue_facts.h"
#include "tests/projections/random_schedules.h"
#include "tests/projections/random_tracked.h"

namespace luzia::test {

class RandomHistory {
 public:
  RandomHistory(EventLog& log, unsigned seed) : writer_(log), random_(seed) {}

  /// Writes about `events` events in groups of 1 to 20, spread over some weeks.
  void write(std::size_t events) {
    for (std::size_t begin = written_; written_ < begin + events;) {
      writer_.now +=
          below(4) == 0 ? static_cast<TimeUs>(below(3 * kHourUs)) : static_cast<TimeUs>(below(kSecondUs));
      step();
      if (below(10) < 3 || writer_.open_events() > 20) writer_.commit();
    }
    writer_.commit();
  }
  const std::vector<JobState>& jobs() const { return jobs_; }
  const std::vector<Flow>& flows() const { return flows_.flows(); }
  const std::map<std::string, Lesson>& lessons() const { return learning_.lessons(); }
  TimeUs now() const { return writer_.now; }

 private:
  std::uint64_t below(std::uint64_t bound) {
    return std::uniform_int_distribution<std::uint64_t>(0, bound - 1)(random_);
  }
  std::string one_of(std::initializer_list<const char*> words) {
    return *(words.begin() + static_cast<std::ptrdiff_t>(below(words.size())));
  }
  std::string job_id() const {
    std::string id = std::to_string(jobs_.size());
    return "k" + std::string(12 - id.size(), '0') + id;
  }

  void step() {
    if (jobs_.empty() || below(12) == 0) return begin_job();
    if (below(25) == 0) return write_aside();
    if (below(12) == 0) {
      written_ += flows_.step(writer_, jobs_[below(jobs_.size())].job);
      return;
    }
    if (below(15) == 0) {
      written_ += learning_.step(writer_);
      return;
    }
    JobState& job = jobs_[below(3) == 0 ? below(jobs_.size())
                                        : jobs_.size() - 1 - below(std::min<std::size_t>(6, jobs_.size()))];
    if (is_terminal(job.state) && below(8) == 0) return order(job, removal(job));
    if (job.tracked && below(3) != 0) return order(job, tracked_.step(job));
    if (below(8) == 0) return write_direct(job);
    if (below(5) == 0) return order(job, inputs_.command(job, writer_.now));
    order(job, random_command(job));
  }

  void begin_job() {
    switch (below(8)) {
      case 0:
        return import_job();
      case 1: {
        const JobCommand command = tracked_.beginning(job_id());
        jobs_.emplace_back();
        return order(jobs_.back(), command);
      }
      default:
        return queue_job();
    }
  }

  void queue_job() {
    QueueJob command;
    command.job = job_id();
    command.spec.project = one_of({"alpha", "beta", "gamma"});
    command.spec.agent = one_of({"shell", "claude"});
    command.spec.timeout_ms = below(3) == 0 ? 60'000 : 0;
    command.spec.limit_resumes = static_cast<std::uint32_t>(below(3));
    if (below(4) == 0) command.spec.budget_tokens = 1 + below(20'000);
    command.spec.retries = static_cast<std::uint32_t>(below(3));
    auto asks = std::make_unique<schema::ExitCodeT>();
    asks->code = 2;
    asks->meaning = schema::ExitMeaning::needs_clarification;
    command.spec.exit_codes.push_back(std::move(asks));
    if (below(2) == 0) command.spec.tags = {"nightly"};
    if (below(3) == 0) command.spec.schedule = one_of({"s-0", "s-1", "s-2"});
    command.priority = static_cast<std::uint8_t>(below(10));
    if (below(3) == 0 && !jobs_.empty()) command.after = {jobs_[below(jobs_.size())].job};
    command.prompt = Blob{0, "0123456789abcdef", "task " + command.job};
    jobs_.emplace_back();
    order(jobs_.back(), std::move(command));
  }

  void import_job() {
    ImportJob command;
    command.fact.job = job_id();
    command.fact.spec = std::make_unique<schema::JobSpecT>();
    command.fact.spec->project = one_of({"alpha", "beta", "older"});
    command.fact.spec->tags = {"imported"};
    command.fact.state = below(2) == 0 ? schema::JobState::completed : schema::JobState::lost;
    if (below(2) == 0) command.fact.exit_code = static_cast<int>(below(3));
    command.fact.queued_us = command.fact.started_us = writer_.now - static_cast<TimeUs>(below(30 * kDayUs));
    command.fact.ended_us = command.fact.started_us + static_cast<TimeUs>(below(kHourUs));
    command.fact.output_bytes = below(1000);
    command.prompt = Blob{0, "0123456789abcdef", "done elsewhere"};
    jobs_.emplace_back();
    order(jobs_.back(), std::move(command));
  }

  void order(JobState& job, const JobCommand& command) {
    auto events = decide(job, command, writer_.now);
    if (!events) return;
    Source source;
    source.kind = one_of({"d", "p"}) == "d" ? schema::ActorKind::daemon : schema::ActorKind::person;
    source.uid = static_cast<std::uint32_t>(1000 + below(2));
    if (below(3) == 0) source.command_id = "command-" + std::to_string(below(400));
    source.digest = "0123456789abcdef";
    for (NewEvent& event : *events) {
      add(job, std::move(event), source);
      source.digest.clear();  // only the first event of a command has one
    }
  }
  void add(JobState& job, NewEvent event, const Source& source = {}) {
    evolve(job, writer_.add(std::move(event), source));
    ++written_;
  }

  JobCommand random_command(const JobState& job) {
    switch (below(20)) {
      case 0:
      case 1:
      case 2:
        return StartAttempt{"boot"};
      case 3:
      case 4:
        return ReportStarted{job.attempt, 4711, 4710, 99, 98};
      case 5:
      case 6:
        return random_exit(job);
      case 7:
        return CancelJob{std::nullopt, "enough"};
      case 8:
        return RetryJob{"again", below(2) == 0};
      case 9:
        return HoldJob{"hold it"};
      case 10:
        return ReleaseJob{};
      case 11:
        return PauseJob{};
      case 12:
        return ResumeJob{};
      case 13:
        return ReprioritizeJob{static_cast<std::uint8_t>(below(10))};
      case 14:
        return DeadlineReached{};
      case 15:
        return ReportDependency{job.after.empty() ? "none" : job.after.front(),
                                below(2) == 0 ? schema::JobState::completed : schema::JobState::failed};
      case 16:
      case 17:
      case 18:
        if (job.attempt > 0 && !job.tracked) return random_output(job);
        return random_report();
      default:
        return random_report();
    }
  }
  RemoveJob removal(const JobState& job) {
    RemoveJob remove{below(2) == 0, "tidy up"};
    if (job.prompt) remove.texts = {{job.queued_position, job.prompt->index}};
    remove.seen_version = job.version;
    return remove;
  }
  RecordExit random_exit(const JobState& job) {
    RecordExit exit;
    exit.end.attempt = job.attempt;
    if (below(6) == 0) {
      exit.end.evidence_lost = true;
      exit.lost_because = schema::EndReason::machine_restarted;
      return exit;
    }
    if (below(4) == 0) {
      exit.end.signal = 9;
    } else {
      exit.end.exit_code = static_cast<int>(below(3));
    }
    exit.end.ended_us = writer_.now;
    exit.end.wall_us = below(100 * kSecondUs);
    return exit;
  }
  RecordOutput random_output(const JobState& job) {
    RecordOutput output;
    output.attempt = job.attempt;
    output.from = job.checkpoint ? job.checkpoint->scanned_to : 0;
    output.from_generation = job.checkpoint ? job.checkpoint->generation : 0;
    schema::OutputAppendedT appended;
    appended.attempt = job.attempt;
    appended.from = output.from;
    appended.to = output.from + 1 + below(1000);
    appended.lines = below(20);
    appended.checkpoint = std::make_unique<schema::CheckpointT>();
    appended.checkpoint->generation = output.from_generation;
    appended.checkpoint->scanned_to = appended.checkpoint->line_start = appended.to;
    output.appended = std::move(appended);
    agent_facts_.add_to(output, writer_.now);
    return output;
  }
  PublishReport random_report() {
    PublishReport publish;
    if (below(2) == 0) {
      schema::ProgressReportedT progress;
      progress.progress_percent = static_cast<double>(below(101));
      progress.total_steps = static_cast<std::uint32_t>(below(3));
      publish.report.Set(std::move(progress));
    } else {
      schema::WarningReportedT reported;
      reported.message = "slow \x1b[31m";
      publish.report.Set(std::move(reported));
    }
    return publish;
  }

  /// Writes events of the job's stream that need no decision here.
  void write_direct(JobState& job) {
    using schema::JobState;
    switch (below(4)) {
      case 0:
        if (job.state == JobState::queued) add(job, job_event(job.job, parked()));
        return;
      case 1:
        if (job.state == JobState::parked) add(job, job_event(job.job, schema::JobUnparkedT{}));
        return;
      case 2:
        return write_issue(job);
      default:
        return write_usage(job);
    }
  }
  schema::JobParkedT parked() const {
    schema::JobParkedT fact;
    fact.until_us = writer_.now;
    return fact;
  }
  void write_issue(JobState& job) {
    const std::string fingerprint(1, static_cast<char>('a' + below(3)));
    schema::IssueFactUnion issue;
    if (below(2) == 0) {
      schema::IssueDetectedT fact;
      fact.attempt = job.attempt;
      fact.pattern = "pattern-" + fingerprint;
      fact.fingerprint = fingerprint;
      fact.line = "it broke\x1b[31m";
      fact.severity = schema::Severity::error;
      fact.rank = static_cast<schema::IssueRank>(1 + fingerprint[0] - 'a');
      fact.offset = static_cast<std::uint64_t>('c' - fingerprint[0]) * 100;
      issue.Set(std::move(fact));
    } else if (below(4) == 0) {
      schema::FixEndedT fact;
      fact.fingerprint = fingerprint;
      fact.fixed = below(2) == 0;
      issue.Set(std::move(fact));
    } else {
      schema::IssueRepeatedT fact;
      fact.attempt = job.attempt;
      fact.fingerprint = fingerprint;
      fact.count = 1 + below(100);
      issue.Set(std::move(fact));
    }
    add(job, job_event(job.job, std::move(issue)));
  }
  void write_usage(JobState& job) { add(job, job_event(job.job, agent_facts_.usage(job.attempt))); }
  /// Writes events of no job: switches, alerts, the daemon, and one of a domain unknown to this program.
  void write_aside() {
    NewEvent event;
    schema::QueueFactUnion queue;
    if (below(3) == 0) {
      const auto any = [this](std::uint64_t bound) { return below(bound); };
      const std::uint64_t kind = below(6);
      event = kind == 0   ? random_device_fact(any)
              : kind == 1 ? random_schedule_fact(any, writer_.now)
                          : random_queue_fact(any, writer_.now);
    } else if (below(4) == 0) {
      schema::AgentParkedT parked;
      parked.agent = one_of({"shell", "claude"});
      parked.until_us = writer_.now + static_cast<TimeUs>(below(kHourUs));
      queue.Set(std::move(parked));
      event = new_event("system", std::move(queue));
    } else if (below(4) == 0) {
      schema::AgentUnparkedT unparked;
      unparked.agent = one_of({"shell", "claude"});
      queue.Set(std::move(unparked));
      event = new_event("system", std::move(queue));
    } else if (below(3) == 0) {
      schema::QueuePausedT paused;
      paused.project = one_of({"", "alpha"});
      paused.note = "stop";
      queue.Set(std::move(paused));
      event = new_event("system", std::move(queue));
    } else if (below(2) == 0) {
      schema::QueueResumedT resumed;
      resumed.project = one_of({"", "alpha"});
      queue.Set(std::move(resumed));
      event = new_event("system", std::move(queue));
    } else {
      event.stream = "flow/unknown";  // a payload of unknown type
    }
    writer_.add(std::move(event));
    ++written_;
  }

  RandomAgentFacts agent_facts_{[this](std::uint64_t bound) { return below(bound); }};
  RandomTracked tracked_{[this](std::uint64_t bound) { return below(bound); }};
  RandomInputs inputs_{[this](std::uint64_t bound) { return below(bound); }};
  RandomLearning learning_{[this](std::uint64_t bound) { return below(bound); }};
  RandomFlows flows_{[this](std::uint64_t bound) { return below(bound); }};
  LogWriter writer_;
  std::mt19937 random_;
  std::vector<JobState> jobs_;
  std::size_t written_ = 0;
};

}  // namespace luzia::test
