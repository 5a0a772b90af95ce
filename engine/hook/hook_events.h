// The events that hooks can be notified of: their names in the configuration, and which names an event of the
// log has. Pure; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/event/event.h"

namespace luzia {

/// What a hook can be notified of. Facts about hooks are not included: a hook never triggers another one.
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
  question_timed_out,  // nobody answered, and it had no default
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
  device_paired,  // whoever asks for alert_raised is notified of it too
  digest,         // of the channel that asked for it; no channel names it
};

/// Suffix of the name of a channel's queue of digests. No configured name has a slash.
constexpr std::string_view kDigestSuffix = "/digest";

/// A set of HookOn, one bit each.
using HookMask = std::uint64_t;
constexpr HookMask mask_of(HookOn on) {
  return HookMask{1} << static_cast<unsigned>(on);
}

/// "job_failed"
std::string_view hook_event_name(HookOn on);
std::optional<HookOn> parse_hook_event(std::string_view name);
/// All names that a channel may ask for, in the order above.
std::vector<std::string> hook_event_names();

/// An event as hooks see it.
struct HookEvent {
  Position position = 0;
  TimeUs time = 0;
  HookMask mask = 0;    // its names; 0: no hook can be notified of it
  HookOn on{};          // the most specific of these names
  std::string subject;  // what it is about, to detect repetitions: job or flow id, alert, project
  // Id of the question or approval, or step of a flow; empty: none, or all of the subject.
  std::string request;
  std::string project;    // if the event itself contains it
  HookMask over_for = 0;  // conditions of the subject that this event ends (see HookRule::dwell_ms)
  std::string only_for;   // of an escalation or a digest: only this target is notified
  std::string callback;   // of a job's end: the URL that its dispatch named
  bool watched = false;   // somebody was watching the job; set by the caller
};

/// `project` is set only for JobQueued and for pauses and resumes of the queue. For other events the caller
/// finds it by the subject.
HookEvent hook_event(const schema::Event& event);

}  // namespace luzia
