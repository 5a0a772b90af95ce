// Who is told next when nobody answers: each who is told of events may name another, who is told of a
// question or approval that is still open after a part of the time until its deadline; that one may name a
// third. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "engine/hook/hook.h"

namespace luzia {

/// One who is told of events, and whom he escalates to.
struct EscalationRule {
  HookRule rule;       // named as people name it
  std::string to;      // empty: nobody
  double after = 0.5;  // 0..1 of the time from the question to its deadline
};

/// A question or approval.
struct OpenRequest {
  HookEvent event;  // that asked
  std::string project;
  TimeUs deadline = 0;  // 0: none; then nobody is told next
};

struct Escalation {
  std::string to;
  TimeUs at = 0;
  bool operator==(const Escalation&) const = default;
};

/// Each name once, at the earliest moment at which somebody escalates to it; by moment, then name. Who is
/// reached by a chain is never reached before the one that names him.
std::vector<Escalation> escalations(const std::vector<EscalationRule>& rules, const OpenRequest& request);

}  // namespace luzia
