// Escalation: who is notified next if nobody answers. Each channel may name another one. That one is notified
// of a question or approval that is still open after a part of the time until its deadline, and may name a
// third. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "engine/hook/hook.h"

namespace luzia {

/// A channel, and where it escalates to.
struct EscalationRule {
  HookRule rule;       // rule.name is the name that people use
  std::string to;      // empty: nobody
  double after = 0.5;  // 0..1 of the time from the question to its deadline
};

/// An open question or approval.
struct OpenRequest {
  HookEvent event;  // the event of the request
  std::string project;
  TimeUs deadline = 0;  // 0: none, so nothing escalates
};

struct Escalation {
  std::string to;
  TimeUs at = 0;
  bool operator==(const Escalation&) const = default;
};

/// Each target once, at the earliest moment at which a channel escalates to it; sorted by moment, then name.
/// In a chain, a target is never reached before the channel that names it.
std::vector<Escalation> escalations(const std::vector<EscalationRule>& rules, const OpenRequest& request);

}  // namespace luzia
