// What hooks can be told of: the names that a configuration uses, and which of them an event of the log
// bears. Pure; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/event/event.h"

namespace luzia {

/// What a hook can be told of. Facts about hooks are none of them: a hook never causes another.
enum class HookOn : std::uint8_t {
  job_queued,
  job_started,
  job_completed,
  job_failed,
  job_killed,
  job_timed_out,
  job_lost,
  job_skipped,    // also job_failed: it never ran
  job_cancelled,  // also job_killed: it never ran
  job_ended,      // any of the seven above
  job_retried,
  job_parked,
  question_asked,
  question_answered,
  question_reminded,   // still open at one of the moments of [questions] remind_at
  question_timed_out,  // nobody answered, and there was no default
  approval_requested,
  approval_decided,
  approval_reminded,
  alert_raised,
  alert_ended,
  warning,
  system_alert,  // published by an agent or a script
  queue_paused,
  queue_resumed,
  breaker_opened,
  breaker_closed,
  flow_gate_reached,  // also approval_requested: a step waits for a person
  flow_gate_decided,  // also approval_decided
  flow_ended,
  daemon_started,
};

/// A set of HookOn, one bit each.
using HookMask = std::uint32_t;
constexpr HookMask mask_of(HookOn on) {
  return HookMask{1} << static_cast<unsigned>(on);
}

/// "job_failed"
std::string_view hook_event_name(HookOn on);
std::optional<HookOn> parse_hook_event(std::string_view name);
/// All names, in the order above.
std::vector<std::string> hook_event_names();

/// An event as hooks see it.
struct HookEvent {
  Position position = 0;
  TimeUs time = 0;
  HookMask mask = 0;    // what it is called; 0: of no concern to any hook
  HookOn on{};          // the narrowest of these names
  std::string subject;  // what it is about, so that repetitions can be told: job or flow id, alert, project
  std::string request;  // id of the question or approval, step of a flow; empty: none, or all of the subject
  std::string project;  // as far as the event says it itself
  HookMask over_for = 0;  // conditions of the subject that this event ends (see HookRule::dwell_ms)
  std::string only_for;   // an escalation: nobody but this one is told, whatever else it is told of
  bool watched = false;   // somebody looked at the job when it happened; not from the event, the caller knows
};

/// `project` is only set for JobQueued and the queue's switches: for others the caller knows it by the
/// subject.
HookEvent hook_event(const schema::Event& event);

}  // namespace luzia
