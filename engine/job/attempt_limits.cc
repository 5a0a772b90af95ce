#include "engine/job/attempt_limits.h"

#include "engine/event/limits_text.h"
#include "engine/job/decide_parts.h"

namespace luzia {
namespace {

using schema::StopReason;

const schema::ProcessUseT& use_of(const schema::ProcessUseT& process) {
  return process;
}
const schema::ProcessUseT& use_of(const std::unique_ptr<schema::ProcessUseT>& process) {
  return *process;
}

/// " (largest: node (pid 12) 3.9 GiB, cc1 (pid 31) 80 MiB)"; empty if none is known.
template <class List>
std::string largest_words(const List& largest) {
  std::string words;
  for (const auto& each : largest) {
    const schema::ProcessUseT& process = use_of(each);
    words += (words.empty() ? "largest: " : ", ") + process.name + " (pid " + std::to_string(process.pid) +
             ") " + size_words(process.resident_bytes);
  }
  return words.empty() ? words : " (" + words + ")";
}

/// The option and the key that set a limit. The project's key counts wherever else the limit is set.
std::string how_to_allow_more(const JobState& state, const char* name) {
  return "; to allow more: --" + std::string(name) + ", or " + name + " in [projects." + state.spec->project +
         "], which counts before [agents." + state.spec->agent + "] and [jobs]";
}

std::uint64_t memory_of(const JobState& state) {
  return state.spec->limits ? state.spec->limits->memory_bytes : 0;
}
std::uint32_t processes_of(const JobState& state) {
  return state.spec->limits ? state.spec->limits->processes : 0;
}
std::uint64_t disk_of(const JobState& state) {
  return state.spec->limits ? state.spec->limits->disk_bytes : 0;
}

}  // namespace

bool has_limits(const schema::AttemptLimitsT& limits) {
  return limits.memory_bytes != 0 || limits.cpu_percent != 0 || limits.processes != 0 ||
         limits.disk_bytes != 0;
}

bool has_limits(const schema::JobSpecT& spec) {
  return spec.limits && has_limits(*spec.limits);
}

schema::EndReason end_of_limit(StopReason reason) {
  switch (reason) {
    case StopReason::process_limit:
      return schema::EndReason::process_limit;
    case StopReason::disk_limit:
      return schema::EndReason::disk_limit;
    case StopReason::memory_pressure:
      return schema::EndReason::memory_pressure;
    case StopReason::memory_limit:
    case StopReason::cancelled:
    case StopReason::timed_out:
    case StopReason::budget:
    case StopReason::dependency:
    case StopReason::policy:
    case StopReason::unanswered:
    case StopReason::attached:
      break;
  }
  return schema::EndReason::memory_limit;
}

std::string limit_note(const JobState& state, const StopAtLimit& reached) {
  const std::string largest = largest_words(reached.largest);
  if (reached.reason == StopReason::process_limit) {
    return "had " + process_words(reached.used) + ", and may have " + std::to_string(processes_of(state)) +
           largest + how_to_allow_more(state, "processes");
  }
  if (reached.reason == StopReason::disk_limit) {
    return "its job directory took " + size_words(reached.used) + " of disk, and may take " +
           size_words(disk_of(state)) + how_to_allow_more(state, "disk");
  }
  if (reached.reason == StopReason::memory_pressure) {
    return "the machine had only " + size_words(reached.free_memory) +
           " of memory left, and this job, which used " + size_words(reached.used) + ", had grown most" +
           largest + "; luzia retry " + state.job +
           " when there is room; [queue] stop_when_memory_below sets when a job is stopped";
  }
  return "used " + size_words(reached.used) + " of memory, and may use " + size_words(memory_of(state)) +
         largest + how_to_allow_more(state, "memory");
}

std::string limit_note(const JobState& state, const schema::ReachedLimitT& reached) {
  const std::string largest = largest_words(reached.largest);
  if (reached.reason == StopReason::process_limit) {
    return "the kernel refused it more than " + process_words(processes_of(state)) + largest +
           how_to_allow_more(state, "processes");
  }
  return "reached its limit of " + size_words(memory_of(state)) + " of memory, and the kernel killed it" +
         largest + how_to_allow_more(state, "memory");
}

std::vector<NewEvent> limit_events(const JobState& state, const ReportStarted& started) {
  std::vector<NewEvent> events;
  if (!has_limits(*state.spec)) return events;
  events.push_back(job_event(
      state.job, schema::AttemptLimitedT{{}, state.attempt, started.cgroup, started.limits_not_held}));
  if (started.limits_not_held.empty()) return events;
  schema::WarningReportedT warning;
  warning.warning_type = "LIMIT_NOT_HELD";
  warning.message = started.limits_not_held;
  warning.recommendation = "luzia doctor says what this machine can hold";
  events.push_back(job_event(state.job, std::move(warning)));
  return events;
}

/// Kills at once: a process that is asked to stop may keep growing.
Decided decide_command(const JobState& state, const StopAtLimit& command, TimeUs /*now*/) {
  if (is_stale(state, command.attempt) || !has_process(state) || state.stop_forced) return Events{};
  Events events;
  if (!state.stop_requested || state.attach) {
    events.push_back(stop_request(state, command.reason, limit_note(state, command), 0));
    auto& fact = *events.back().payload.AsJobEvent()->fact.AsStopRequested();
    for (const schema::ProcessUseT& process : command.largest)
      fact.largest.push_back(std::make_unique<schema::ProcessUseT>(process));
  }
  events.push_back(job_event(state.job, schema::StopForcedT{{}, state.attempt}));
  return events;
}

}  // namespace luzia
