#include "tests/simulation/daemon_life.h"

#include <algorithm>

#include "engine/job/input_state.h"
#include "projections/engine_start.h"
#include "projections/live_jobs.h"
#include "projections/registry.h"
#include "tests/simulation/schedule_rules.h"

namespace luzia::test {
namespace {

std::string words_of(const Effect& effect) {
  constexpr const char* kNames[] = {"launch", "stop politely", "stop by force",
                                    "pause",  "continue",      "deliver an answer to"};
  return std::string(kNames[static_cast<std::size_t>(effect.kind)]) + " " + effect.job + "." +
         std::to_string(effect.attempt);
}

Error no_space() {
  return {ErrorKind::trouble, "log_write_failed", "no space left on the simulated device", ""};
}

}  // namespace

DaemonLife::DaemonLife(Surroundings& around, Dice& dice)
    : around_(around), dice_(dice), history_(around.views, around.log) {
  around_.log.open_again();
  if (auto caught_up = catch_up(around_.log, all_projections(), around_.views); !caught_up)
    broken_rule_ = "the views cannot catch up: " + caught_up.error().message;
  forget_untold();
  committer_ = std::make_unique<Committer>(
      around_.log,
      [this](CommitOutcome outcome) {
        if (outcome.group) to_fold_.push_back(outcome.group);
        outcomes_.push_back(std::move(outcome));
      },
      Committer::Stepped{});
  fold_ = std::make_unique<Fold>(all_projections(), around_.views);
  Engine::Hooks hooks;
  hooks.effect = [this](const Effect& effect, const JobState& job) { effect_named(effect, job); };
  hooks.job_changed = [this](const JobState& job) { job_changed(job); };
  hooks.step_ready = [this](const Flow& flow, const view::FlowStepT& step) { step_ready(flow, step); };
  engine_ =
      std::make_unique<Engine>(Engine::Options{"simulated", around_.machine.boot_id(), around_.capacity},
                               *committer_, history_, std::move(hooks));
  const auto rows = around_.views.snapshot();
  load_live_state(*engine_, *rows);
  engine_->resume(around_.log.tip().position, around_.now);
  std::vector<JobState> adopted;
  for (const auto& [id, job] : engine_->live_jobs()) {
    if (job.pid != 0 && !job.attempt_over && job.state != schema::JobState::queued) adopted.push_back(job);
  }
  for (const JobState& job : adopted) adopt(job);
}

/// Forgets output and exits that the last life reported but that did not reach the log: the next life reads
/// from the recorded place again. A start that failed may succeed this time.
void DaemonLife::forget_untold() {
  const auto rows = around_.views.snapshot();
  std::erase_if(around_.reports, [&](const ToJob& told) {
    const auto* exit = std::get_if<RecordExit>(&told.command);
    const auto* output = std::get_if<RecordOutput>(&told.command);
    if (exit == nullptr && output == nullptr) return false;
    const std::uint32_t attempt = exit != nullptr ? exit->end.attempt : output->attempt;
    const auto job = find_job_state(*rows, told.job);
    return !job || (job->attempt == attempt && !job->attempt_over && !is_terminal(job->state));
  });
}

// --------------------------------------------------------------------------------------- log and views

std::string DaemonLife::write_group() {
  return committer_->step() ? "a group is durable up to " + std::to_string(around_.log.tip().position) : "";
}

std::string DaemonLife::write_group_failing(bool stored_all_the_same) {
  if (!stored_all_the_same) around_.log.fail_next_append(no_space());
  if (!committer_->step()) {
    around_.log.open_again();
    return "";
  }
  if (stored_all_the_same) {  // the fsync failed, but the bytes were on the disk
    outcomes_.back() = {outcomes_.back().first, nullptr, no_space()};
    to_fold_.pop_back();
  }
  return stored_all_the_same ? "a group is stored and said to have failed" : "a group has failed";
}

std::string DaemonLife::deliver_outcome() {
  if (outcomes_.empty()) return "";
  const CommitOutcome outcome = std::move(outcomes_.front());
  outcomes_.pop_front();
  engine_->committed(outcome);
  return "the loop hears of the group from " + std::to_string(outcome.first) + " on";
}

std::string DaemonLife::fold_group() {
  if (to_fold_.empty()) return "";
  fold_->apply(*to_fold_.front());
  to_fold_.pop_front();
  if (auto flushed = fold_->flush(); !flushed) broken_rule_ = "rows cannot be written";
  engine_->views_reached(fold_->cursor().position);
  return "the views have reached " + std::to_string(fold_->cursor().position);
}

// -------------------------------------------------------------------------------------------- effects

void DaemonLife::effect_named(const Effect& effect, const JobState& job) {
  if (job.lifecycle_position > around_.log.tip().position)
    broken_rule_ = words_of(effect) + " is due before its order is durable";
  if (effect.kind == EffectKind::launch && !launched_.emplace(effect.job, effect.attempt).second)
    broken_rule_ = words_of(effect) + " is named twice in one life";
  due_.push_back({effect, job});
}

void DaemonLife::step_ready(const Flow& flow, const view::FlowStepT& step) {
  if (flow.position > around_.log.tip().position)
    broken_rule_ = flow.id + " is acted on before it is durable";
  ready_steps_.emplace_back(flow.id, step.name);
}

/// As luziad's Flows does: the flow may have changed since the step became ready.
std::string DaemonLife::hand_over_step() {
  if (ready_steps_.empty()) return "";
  const auto [id, name] = ready_steps_.back();
  ready_steps_.pop_back();
  const Flow* flow = engine_->flows().find(id);
  const view::FlowStepT* step = flow != nullptr ? find_step(*flow, name) : nullptr;
  if (step == nullptr) return "step " + name + " of " + id + " is gone";
  QueueJob job;
  job.job = "h" + std::to_string(++around_.handed_over);
  job.spec.project = flow->project;
  job.spec.agent = "shell";
  job.spec.kill_grace_ms = 5'000;
  job.spec.flow = id;
  job.spec.step = name;
  CommandMeta meta;
  meta.command_id = "flow/" + id + "/" + name + "/" + std::to_string(flow->position);
  meta.digest = blake2b({as_bytes(meta.command_id)});
  meta.now = around_.now;
  std::vector<ToJob> commands;
  std::string words = job.job + " is handed over for step " + name + " of " + id;
  commands.push_back({job.job, std::move(job)});
  engine_->submit(meta, std::move(commands), {});
  return words;
}

/// As luziad's Escalations does: each step has its own command id, and every life may repeat it.
std::string DaemonLife::escalate() {
  std::vector<std::pair<std::string, std::string>> open;  // job, question or approval
  for (const auto& [id, job] : engine_->live_jobs()) {
    for (const auto& input : job.inputs) {
      if (is_open(*input)) open.emplace_back(id, input->id);
    }
  }
  if (open.empty()) return "";
  const auto& [job, request] = open[dice_.below(open.size())];
  const std::string to = dice_.one_in(2) ? "boss" : "chief";
  CommandMeta meta;
  meta.command_id = "escalate/" + request + "/" + to;
  meta.now = around_.now;
  engine_->submit(meta, std::vector<ToJob>{{job, RemindOfInput{request, to}}}, {});
  return to + " is told of " + request + " of " + job;
}

/// As luziad's LimitWatch does, which looks at what each attempt uses.
std::string DaemonLife::stop_at_limit() {
  std::vector<const JobState*> running;
  for (const auto& [id, job] : engine_->live_jobs()) {
    if (has_process(job)) running.push_back(&job);
  }
  if (running.empty()) return "";
  const JobState& job = *running[dice_.below(running.size())];
  StopAtLimit stop;
  stop.attempt = job.attempt;
  if (job.spec->limits == nullptr) stop.reason = schema::StopReason::memory_pressure;
  stop.used = kMemoryLimit + 1;
  stop.largest.push_back({{}, 7, "node", kMemoryLimit});
  std::string words = job.job + "." + std::to_string(job.attempt) + " uses more memory than it may";
  report(job.job, std::move(stop));
  return words;
}

/// As luziad's LoginWatch does when the files of a login have changed.
std::string DaemonLife::see_new_login() {
  const auto parked = engine_->queue().stops().agent_limits.awaiting_login();
  if (parked.empty()) return "";
  CommandMeta meta;
  meta.now = around_.now;
  engine_->submit(meta, ToQueue{"", false, "its login has changed", parked.front().agent}, {});
  return parked.front().agent + " is logged in again";
}

std::string DaemonLife::carry_out_effect() {
  if (due_.empty()) return "";
  // Takes a random job, and the earliest entry of that job: its pause comes before its resume.
  std::size_t which = dice_.below(due_.size());
  for (std::size_t i = 0; i < which; ++i) {
    if (due_[i].effect.job == due_[which].effect.job) which = i;
  }
  const Due due = std::move(due_[which]);
  due_.erase(due_.begin() + static_cast<std::ptrdiff_t>(which));
  VirtualAttempt* attempt = around_.machine.find(due.effect.job, due.effect.attempt);
  switch (due.effect.kind) {
    case EffectKind::launch:
      launch(due.job);
      break;
    case EffectKind::stop_politely:
    case EffectKind::stop_by_force:
      if (attempt != nullptr)
        around_.machine.stop(*attempt, due.effect.kind == EffectKind::stop_by_force, around_.now);
      break;
    case EffectKind::pause_group:
      if (attempt != nullptr) attempt->stopped = true;
      break;
    case EffectKind::continue_group:
      if (attempt != nullptr) attempt->stopped = false;
      break;
    case EffectKind::deliver_answer:
      report(due.effect.job, ConfirmDelivery{due.effect.input, "file"});
      break;
  }
  return words_of(due.effect);
}

void DaemonLife::launch(const JobState& job) {
  if (job.boot_id != around_.machine.boot_id()) return adopt(job);
  const bool claimed = around_.machine.find(job.job, job.attempt) != nullptr;
  if (!claimed && dice_.one_in(8)) {
    schema::AttemptEndedT end;
    end.attempt = job.attempt;
    end.ended_us = around_.now;
    end.start_error = "no such program";
    return report(job.job, RecordExit{std::move(end), std::nullopt});
  }
  around_.machine.launch(job.job, job.attempt);
  follow(job);
}

void DaemonLife::follow(const JobState& job) {
  Following& following = following_[job.job] = Following{};
  following.number = job.attempt;
  following.boot_id = job.boot_id;
  following.known = true;
  following.start_told = job.pid != 0;
  following.scanned = job.checkpoint ? job.checkpoint->scanned_to : 0;
  if (!following.start_told && !dice_.one_in(4)) tell_start(job.job, following);
}

void DaemonLife::adopt(const JobState& job) {
  follow(job);
  Following& following = following_[job.job];
  if (job.boot_id == around_.machine.boot_id()) return;
  following.start_told = true;
  after_record(job.job, following, true);
}

// ------------------------------------------------------------------------------------------- processes

void DaemonLife::tell_start(const std::string& job, Following& following) {
  const VirtualAttempt* attempt = around_.machine.find(job, following.number);
  following.start_told = true;
  if (attempt == nullptr) return;
  report(job, ReportStarted{following.number, attempt->agent_pid, attempt->runner_pid, 1, 1});
}

std::string DaemonLife::notice_process() {
  std::vector<std::string> candidates;
  for (const auto& [job, following] : following_) {
    const VirtualAttempt* attempt = around_.machine.find(job, following.number);
    const bool gone =
        attempt == nullptr || (following.runner_seen_gone ? !attempt->agent_alive : !attempt->runner_alive);
    if (!following.ending && (!following.start_told || gone)) candidates.push_back(job);
  }
  if (candidates.empty()) return "";
  const std::string job = candidates[dice_.below(candidates.size())];
  Following& following = following_[job];
  if (!following.start_told) {
    tell_start(job, following);
    return "the start of " + job + " is seen";
  }
  after_record(job, following, following.runner_seen_gone);
  return "processes of " + job + " are seen to be gone";
}

void DaemonLife::after_record(const std::string& job, Following& following, bool agent_gone) {
  const VirtualAttempt* attempt = around_.machine.find(job, following.number);
  const std::uint32_t number = following.number;
  if (attempt != nullptr && attempt->record) {
    following.ending = true;
    ends_.push_back({job, RecordExit{*attempt->record, std::nullopt}});
    return;
  }
  if (!agent_gone && attempt != nullptr && attempt->agent_alive) {
    following.runner_seen_gone = true;
    return report(job, ReportRunnerGone{number});
  }
  schema::AttemptEndedT lost;
  lost.attempt = number;
  lost.ended_us = around_.now;
  lost.evidence_lost = true;
  following.ending = true;
  const bool restarted = following.boot_id != around_.machine.boot_id();
  ends_.push_back({job, RecordExit{std::move(lost), restarted ? schema::EndReason::machine_restarted
                                                              : schema::EndReason::runner_and_agent_gone}});
}

RecordOutput::Finding DaemonLife::usage_limit(std::uint32_t attempt) {
  schema::LimitReachedT limit;
  limit.attempt = attempt;
  limit.limit = "five_hour";
  limit.resets_us = around_.now + static_cast<TimeUs>(dice_.below(90)) * kSecondUs;
  schema::UsageFactUnion usage;
  usage.Set(std::move(limit));
  RecordOutput::Finding finding;
  finding.fact = std::move(usage);
  finding.evidence.kind = schema::EvidenceKind::inferred;
  return finding;
}

RecordOutput::Finding DaemonLife::used_tokens(std::uint32_t attempt) {
  schema::UsageReportedT used;
  used.attempt = attempt;
  used.output_tokens = dice_.below(60);
  schema::UsageFactUnion usage;
  usage.Set(std::move(used));
  RecordOutput::Finding finding;
  finding.fact = std::move(usage);
  finding.evidence.kind = schema::EvidenceKind::inferred;
  return finding;
}

RecordOutput::Finding DaemonLife::refused_login(std::uint32_t attempt) {
  schema::AgentErrorReportedT error;
  error.attempt = attempt;
  error.api_status = 401;
  schema::ReportFactUnion report;
  report.Set(std::move(error));
  RecordOutput::Finding finding;
  finding.fact = std::move(report);
  finding.evidence.kind = schema::EvidenceKind::inferred;
  return finding;
}

std::string DaemonLife::read_output() {
  for (auto& [job, following] : following_) {
    const VirtualAttempt* attempt = around_.machine.find(job, following.number);
    if (attempt == nullptr || attempt->output_bytes == following.scanned) continue;
    RecordOutput output;
    output.attempt = following.number;
    output.from = following.scanned;
    output.from_generation = 0;
    schema::OutputAppendedT appended;
    appended.attempt = following.number;
    appended.from = following.scanned;
    appended.to = following.scanned + 1 + dice_.below(attempt->output_bytes - following.scanned);
    appended.lines = appended.to - appended.from;
    appended.checkpoint = std::make_unique<schema::CheckpointT>();
    appended.checkpoint->scanned_to = appended.checkpoint->line_start = following.scanned = appended.to;
    output.appended = std::move(appended);
    if (dice_.one_in(4)) output.findings.push_back(usage_limit(following.number));
    if (dice_.one_in(2)) output.findings.push_back(used_tokens(following.number));
    if (dice_.one_in(6)) output.findings.push_back(refused_login(following.number));
    report(job, std::move(output));
    return "output of " + job + " is read to " + std::to_string(following.scanned);
  }
  return "";
}

std::string DaemonLife::tell_end() {
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    const std::string job = ends_[i].job;
    const Following& following = following_[job];
    const VirtualAttempt* attempt = around_.machine.find(job, following.number);
    if (attempt != nullptr && attempt->output_bytes > following.scanned) continue;
    ToJob end = std::move(ends_[i]);
    ends_.erase(ends_.begin() + static_cast<std::ptrdiff_t>(i));
    report(job, std::move(end.command));
    return "the end of " + job + "." + std::to_string(following.number) + " is told";
  }
  return "";
}

void DaemonLife::job_changed(const JobState& job) {
  const auto it = following_.find(job.job);
  if (it == following_.end() || !it->second.ending) return;
  const std::uint32_t number = it->second.number;
  if (job.attempt == number && !job.attempt_over && job.state != schema::JobState::queued) return;
  following_.erase(it);
  around_.machine.remove_claim(job.job, number);
}

// --------------------------------------------------------------------------------------------- reports

void DaemonLife::report(const std::string& job, JobCommand command) {
  around_.reports.push_back({job, command});
  CommandMeta meta;
  meta.now = around_.now;
  std::vector<ToJob> commands;
  commands.push_back({job, std::move(command)});
  engine_->submit(meta, std::move(commands), {});
}

/// As luziad does: each due time has a command id of its own.
std::string DaemonLife::look_at_schedules() {
  const std::string job = "d" + std::to_string(around_.scheduled + 1);
  auto item = due_schedule_command(engine_->schedules(), around_.now, job);
  if (!item) return "";
  ++around_.scheduled;
  CommandMeta meta;
  meta.now = around_.now;
  const auto known = engine_->schedules().all().find(item->schedule);
  meta.cause = known == engine_->schedules().all().end() ? 0 : known->second.position;
  if (item->job) {
    meta.command_id = "schedule/" + item->schedule + "/" + std::to_string(meta.cause);
    meta.digest = blake2b({as_bytes(meta.command_id)});
  }
  std::string words = "schedule " + item->schedule + " is looked at";
  engine_->submit(meta, *std::move(item), {});
  return words;
}

std::string DaemonLife::repeat_report() {
  if (around_.reports.empty()) return "";
  const std::size_t window = std::min<std::size_t>(around_.reports.size(), 24);
  const ToJob again = around_.reports[around_.reports.size() - 1 - dice_.below(window)];
  CommandMeta meta;
  meta.now = around_.now;
  engine_->submit(meta, std::vector<ToJob>{again}, {});
  return "an old report about " + again.job + " comes again";
}

}  // namespace luzia::test
