#include "tools/luziad/watching/output_monitor.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <numeric>

#include "engine/base/counted.h"
#include "engine/event/job_state.h"
#include "engine/job/job_warnings.h"
#include "tools/luziad/watching/prompt_line.h"

namespace luzia {
namespace {

/// Attempts due this close together are checked together.
constexpr TimeUs kLookNotBefore = kSecondUs;

bool runs(const JobState& job) {
  return job.pid != 0 && !job.attempt_over && !is_terminal(job.state) &&
         job.state != schema::JobState::queued;
}

bool speaks(const JobState& job) {
  return runs(job) && job.state == schema::JobState::running && !job.paused && !job.stop_requested;
}

/// When output.log was last written; 0 if unknown. Only stats the file, because its user owns the folder.
TimeUs last_written(const std::string& job_dir) {
  struct stat status {};
  if (::fstatat(AT_FDCWD, (job_dir + "/output.log").c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return 0;
  return static_cast<TimeUs>(status.st_mtim.tv_sec) * kSecondUs + status.st_mtim.tv_nsec / 1000;
}

std::string stop_advice(const std::string& job) {
  return "; luzia cancel " + job + " stops it";
}

}  // namespace

// ------------------------------------------------------------------------------------------------ rate

void OutputRate::add(std::uint64_t bytes, TimeUs monotonic) {
  const TimeUs now = monotonic / kSlot;
  const TimeUs passed = std::min<TimeUs>(now - slot_, kSlots);
  for (TimeUs i = 1; i <= passed; ++i) bytes_[static_cast<std::size_t>((slot_ + i) % TimeUs{kSlots})] = 0;
  if (passed == kSlots) bytes_.fill(0);
  slot_ = now;
  bytes_[static_cast<std::size_t>(now % TimeUs{kSlots})] += bytes;
}

std::uint64_t OutputRate::last_minute() const {
  return std::accumulate(bytes_.begin(), bytes_.end(), std::uint64_t{0});
}

// ------------------------------------------------------------------------------------- watched attempts

void OutputMonitor::job_changed(const JobState& job) {
  if (!timer_) return;
  if (!runs(job)) {
    listened_.erase(job.job);
    return;
  }
  Listened& listened = listen(job);
  const bool spoke = std::exchange(listened.speaks, speaks(job));
  const bool asked = std::exchange(listened.asked_about, asks_about_silence(job));
  const bool told_to_wait = asked && !listened.asked_about;
  if ((spoke && !told_to_wait) || !listened.speaks) return;
  listened.quiet_since = hooks_.monotonic_now();
  if (const auto due = silent_at(job.job, listened)) arm(*due);
}

void OutputMonitor::adopt(const JobState& job) {
  if (!timer_ || !runs(job)) return;
  Listened& listened = listen(job);
  const TimeUs wall = hooks_.wall_now(), monotonic = hooks_.monotonic_now();
  // As without the restart, silence starts again after a pause or a wait.
  const TimeUs began = std::max(job.started_us, job.went_on_us);
  const TimeUs heard = std::min(wall, std::max(began, last_written(job.spec->job_dir)));
  listened.speaks = speaks(job);
  listened.asked_about = asks_about_silence(job);
  listened.quiet_since = monotonic - (wall - heard);
  listened.rate_counts_at = monotonic + kMinuteUs;
  if (job.checkpoint) {
    listened.awaits_last_line = job.checkpoint->scanned_to > 0;
    listened.bytes = job.checkpoint->scanned_to;
    listened.generation = job.checkpoint->generation;
  }
  if (const auto due = silent_at(job.job, listened)) arm(*due);
}

OutputMonitor::Listened& OutputMonitor::listen(const JobState& job) {
  Listened& listened = listened_[job.job];
  if (listened.attempt != job.attempt) {
    listened = Listened{};
    listened.attempt = job.attempt;
  }
  return listened;
}

void OutputMonitor::config_changed() {
  if (!timer_) return;
  timer_->stop();
  look_for_silence();
}

void OutputMonitor::close() {
  timer_.reset();
  listened_.clear();
}

// --------------------------------------------------------------------------------------------- silence

/// When (monotonic) it will have been silent for too long; nullopt: it may be silent, or a warning was given.
std::optional<TimeUs> OutputMonitor::silent_at(const std::string& id, const Listened& listened) const {
  const std::uint64_t limit_ms = config_.monitor.silence_warning_ms;
  if (!listened.speaks || limit_ms == 0 || limit_ms > 1ULL << 50) return std::nullopt;
  // Silence is reported once, and together with the prompt that precedes it, so wait for that line.
  if (listened.awaits_last_line) return std::nullopt;
  const JobState* job = hooks_.find_job(id);
  // A person is at the terminal, or will return to it: prompts are its purpose.
  if (job == nullptr || job->spec->terminal != schema::Terminal::none) return std::nullopt;
  const TimeUs limit = static_cast<TimeUs>(limit_ms) * kMillisecondUs;
  const TimeUs early = listened.asks.empty() ? limit : std::min(limit, kPromptPatience);
  if (!was_warned(*job, WarningKind::silence)) return listened.quiet_since + early;
  switch (rule_of(*job)) {
    case WhenSilent::warn:
      return std::nullopt;
    case WhenSilent::ask:
      if (asks_about_silence(*job)) return std::nullopt;
      return listened.quiet_since + early;
    case WhenSilent::kill:
      return listened.quiet_since + limit;
  }
  return std::nullopt;
}

WhenSilent OutputMonitor::rule_of(const JobState& job) const {
  return when_silent(config_, job.spec->project, job.spec->agent);
}

void OutputMonitor::arm(TimeUs due) {
  if (timer_->running() && armed_for_ <= due) return;
  armed_for_ = due;
  const TimeUs wait = std::max(kMillisecondUs, due - hooks_.monotonic_now());
  timer_->start(static_cast<std::uint64_t>(wait / kMillisecondUs) + 1, [this] { look_for_silence(); });
}

void OutputMonitor::look_for_silence() {
  const TimeUs now = hooks_.monotonic_now();
  std::optional<TimeUs> next;
  for (const auto& [id, listened] : listened_) {
    auto due = silent_at(id, listened);
    if (due && *due <= now) {
      warn_of_silence(id, listened);
      due = silent_at(id, listened);  // after an early warning, it is stopped later
    }
    if (due && (!next || *due < *next)) next = due;
  }
  if (next) arm(std::max(*next, now + kLookNotBefore));
}

void OutputMonitor::warn_of_silence(const std::string& id, const Listened& listened) {
  const TimeUs silent = hooks_.monotonic_now() - listened.quiet_since;
  WarnJob warning;
  warning.attempt = listened.attempt;
  warning.kind = WarningKind::silence;
  warning.message = "has printed nothing for " + format_duration(silent) + " (since " +
                    format_rfc3339(hooks_.wall_now() - silent) + ")";
  const JobState* job = hooks_.find_job(id);
  const std::string processes = job && hooks_.processes ? hooks_.processes(*job) : std::string();
  if (!listened.asks.empty()) warning.message += " and its last line asks: " + listened.asks;
  if (!processes.empty()) warning.message += "; " + processes;
  warning.recommendation =
      listened.asks.empty()
          ? "it may hang: luzia logs " + id + " shows its last lines" + stop_advice(id)
          : "nobody can answer it there: let the command not ask (-y, credentials in the environment)" +
                stop_advice(id);
  if (job != nullptr) add_what_follows(*job, silent, warning);
  hooks_.warn(id, std::move(warning));
}

void OutputMonitor::add_what_follows(const JobState& job, TimeUs silent, WarnJob& warning) const {
  switch (rule_of(job)) {
    case WhenSilent::warn:
      return;
    case WhenSilent::ask:
      if (hooks_.question) warning.ask = hooks_.question(job, "It " + warning.message + ". Wait on?");
      return;
    case WhenSilent::kill:
      // Do not stop it early at a prompt: what looks like one may not be.
      warning.stop = silent >= static_cast<TimeUs>(config_.monitor.silence_warning_ms) * kMillisecondUs;
      return;
  }
}

// -------------------------------------------------------------------------------------- floods and loops

void OutputMonitor::output_grew(const std::string& job, const LiveTail& tail) {
  const JobState* state = hooks_.find_job(job);
  if (state == nullptr || !timer_) return;
  Listened& listened = listen(*state);  // it may have printed before its start was reported
  listened.quiet_since = hooks_.monotonic_now();
  const bool recalled = take_last_line(listened, tail);
  if (const auto due = silent_at(job, listened); due && (recalled || !listened.asks.empty())) arm(*due);
  look_for_flood(job, listened, tail);
  look_for_loop(job, listened, tail);
}

void OutputMonitor::last_line_recalled(const std::string& job, const LiveTail& tail) {
  const auto it = listened_.find(job);
  if (it == listened_.end() || !timer_) return;
  take_last_line(it->second, tail);
  if (const auto due = silent_at(job, it->second)) arm(*due);
}

/// True: the line was awaited.
bool OutputMonitor::take_last_line(Listened& listened, const LiveTail& tail) {
  listened.asks = looks_like_prompt(tail.last_line) ? tail.last_line : std::string();
  return std::exchange(listened.awaits_last_line, false);
}

void OutputMonitor::look_for_flood(const std::string& id, Listened& listened, const LiveTail& tail) {
  const std::uint64_t before = tail.generation == listened.generation ? listened.bytes : 0;
  listened.generation = tail.generation;
  listened.bytes = tail.bytes;
  const TimeUs now = hooks_.monotonic_now();
  if (now < listened.rate_counts_at || tail.bytes <= before) return;
  listened.rate.add(tail.bytes - before, now);
  const std::uint64_t limit = std::uint64_t{config_.monitor.flood_warning_mib} << 20;
  const std::uint64_t printed = listened.rate.last_minute();
  const JobState* job = hooks_.find_job(id);
  if (limit == 0 || printed <= limit || was_warned(*job, WarningKind::output_flood)) return;
  WarnJob warning;
  warning.attempt = listened.attempt;
  warning.kind = WarningKind::output_flood;
  warning.message = "printed " + std::to_string(printed >> 20) + " MiB within a minute (until " +
                    format_rfc3339(hooks_.wall_now()) + "), more than " + std::to_string(limit >> 20) +
                    " MiB";
  warning.recommendation = "it may fill the disk of " + job->spec->job_dir + ": luzia logs -n 20 " + id +
                           " shows what it prints" + stop_advice(id);
  hooks_.warn(id, std::move(warning));
}

void OutputMonitor::look_for_loop(const std::string& id, const Listened& listened, const LiveTail& tail) {
  const Repetition& seen = tail.repetition;
  const std::uint32_t limit = config_.monitor.loop_warning_repeats;
  const JobState* job = hooks_.find_job(id);
  if (limit == 0 || seen.repeats < limit || was_warned(*job, WarningKind::output_loop)) return;
  WarnJob warning;
  warning.attempt = listened.attempt;
  warning.kind = WarningKind::output_loop;
  warning.message = "printed the same " +
                    (seen.cycle == 1 ? std::string("line") : counted(seen.cycle, "line")) + " " +
                    std::to_string(seen.repeats) + " times in a row" +
                    (seen.cycle == 1 ? ": " : ", the last of them: ") + seen.line;
  warning.recommendation = "it may go round in circles: luzia logs -f " + id + " shows it" + stop_advice(id);
  schema::EvidenceT evidence;
  evidence.kind = schema::EvidenceKind::inferred;
  evidence.attempt = listened.attempt;
  evidence.generation = tail.generation;
  evidence.log_from = seen.from;
  evidence.log_to = seen.to;
  evidence.rule = "output-loop";
  warning.evidence = std::move(evidence);
  hooks_.warn(id, std::move(warning));
}

}  // namespace luzia
